"""The short guard of the chapter."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tests.fast.book.spinning_loop.example import distilled, idle_guard


def test_the_short_guard() -> None:
    """It fails beside a loop that polls, passes beside one that waits."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        waits = threading.Thread(target=loop.run_forever, daemon=True)
        waits.start()
        while not loop.is_running():
            time.sleep(0.01)
        idle_guard.assert_idle(0.1)
        polls = distilled.PollingLoop(1)
        polls.start()
        with pytest.raises(
            AssertionError, match=r"turned [\d,]+ times in .* something"
        ):
            for _ in range(100):  # a busy machine may give the loop no core for so long
                idle_guard.assert_idle(0.1)
        once = asyncio.BaseEventLoop.__dict__["_run_once"]
        assert once.__name__ == "_run_once"  # the stock one is back
        polls.stop()
        idle_guard.assert_idle(0.1)
        loop.call_soon_threadsafe(loop.stop)
        waits.join()


def test_the_short_guard_that_could_not_fail_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"no loop of asyncio ran.* sessions are op"):
        idle_guard.assert_idle(0.1)

    async def inside() -> None:  # its own loop stands still meanwhile
        with pytest.raises(RuntimeError, match="in another thread"):
            idle_guard.assert_idle(0.1)

    asyncio.run(inside())


def test_the_short_guard_and_a_loop_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def end_meanwhile(seconds: float) -> None:
        if seconds == 0.6:  # of the count
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    while not loop.is_running():
        time.sleep(0.01)
    monkeypatch.setattr(idle_guard.time, "sleep", end_meanwhile)
    with pytest.raises(RuntimeError, match="all the time"):
        idle_guard.assert_idle(0.6)
    loop.close()
