"""The short guard of the chapter beside real threads."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from tests.contract.looplab.idle.opened import in_thread, wait, wait_until
from tests.fast.book.spinning_loop.example import distilled, idle_guard


def test_the_short_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails beside a loop that polls, passes beside one that waits."""
    counted = asyncio.BaseEventLoop.__dict__["_run_once"]

    def until_it_has_polled(seconds: float) -> None:
        """A sleep that lasts until the loop has turned a few dozen times."""
        turns = 0

        def turn() -> None:
            nonlocal turns
            turns += 1
            if turns < 50:
                polls.loop.call_soon(turn)

        polls.loop.call_soon_threadsafe(turn)
        wait_until(lambda: turns >= 50)

    clock = SimpleNamespace(sleep=lambda seconds: None, perf_counter=lambda: 0.0)
    monkeypatch.setattr(idle_guard, "time", clock)
    with in_thread(wait):
        idle_guard.assert_idle()
        polls = distilled.PollingLoop(1)
        polls.start()
        clock.sleep = until_it_has_polled
        with pytest.raises(AssertionError, match=r"turned [\d,]+ times .* something"):
            idle_guard.assert_idle()
        assert asyncio.BaseEventLoop.__dict__["_run_once"] is counted
        polls.stop()
        clock.sleep = lambda seconds: None
        idle_guard.assert_idle()


def test_the_short_guard_that_could_not_fail_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"no loop of asyncio ran.* sessions are op"):
        idle_guard.assert_idle(0.01)

    async def inside() -> None:  # its own loop stands still meanwhile
        with pytest.raises(RuntimeError, match="in another thread"):
            idle_guard.assert_idle(0.01)

    asyncio.run(inside())
