"""Loops that cannot be found, or whose turns cannot be seen, are refused."""

from __future__ import annotations

import asyncio
import gc

import pytest

from looplab.idle import (
    assert_idle,
    assert_idle_here,
    count_turns,
)

SHORT = 0.1


def test_a_loop_that_is_closed_or_none() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(RuntimeError, match="is closed"):
        assert_idle(loop)
    with pytest.raises(TypeError, match="'app' is not an event loop"):
        assert_idle("app")  # type: ignore[arg-type]


def test_after_gc_freeze_the_guard_does_not_look_for_loops() -> None:
    gc.freeze()
    try:
        with pytest.raises(RuntimeError, match=r"gc\.freeze\(\) has hidden .*unfreeze"):
            assert_idle(seconds=SHORT)
        with pytest.raises(RuntimeError, match="hand the loops over"), count_turns():
            pass

        async def here() -> int:
            return (await assert_idle_here(seconds=SHORT)).total

        # The running loop needs no looking for.
        assert asyncio.run(here()) < 10
    finally:
        gc.unfreeze()


def test_a_foreign_loop_is_found_and_refused() -> None:
    class Foreign(asyncio.AbstractEventLoop):
        def is_running(self) -> bool:
            return True

    foreign = Foreign()  # type: ignore[abstract]
    with pytest.raises(TypeError, match="Foreign cannot be counted"):
        assert_idle(seconds=SHORT)
    del foreign
