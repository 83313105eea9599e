"""A guard to paste into a test suite: event loops that wait must not turn."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections import Counter


def running_loops() -> list[asyncio.BaseEventLoop]:
    """asyncio's loops that run in other threads.  Loops of uvloop are not seen."""
    own = asyncio._get_running_loop()
    return [
        loop
        for loop in gc.get_objects()
        if issubclass(type(loop), asyncio.BaseEventLoop)
        # A loop whose making has failed is among them; it has no thread to ask for.
        and getattr(loop, "_thread_id", None) is not None
        and loop is not own
    ]


def assert_idle(seconds: float = 0.3, *, turns: int = 10) -> None:
    """Fail when an event loop of this process turns while nobody asks it anything.

    Call it from a thread without a loop, at a moment when every session waits.

    Args:
        seconds: how long to look.
        turns: how many turns are allowed each loop in that time.

    Raises:
        AssertionError: A loop turned more often.
        RuntimeError: It could not fail: no loop runs, or one ended too soon.
        ValueError: A setting with which it could not fail.
    """
    numbers = isinstance(seconds, (int, float)) and isinstance(turns, int)
    if not numbers or not 0 < seconds <= 60 or turns < 0:
        raise ValueError(
            "seconds must be a number above 0 and up to 60, turns a whole number "
            f"from 0 on: not {seconds!r} and {turns!r}"
        )
    counts: Counter[int] = Counter()  # by thread, so that no count is lost
    late = 0.05  # seconds; a sleep that lasts that much too long was without a core
    once = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]

    def counted(loop: asyncio.BaseEventLoop) -> None:
        counts[threading.get_ident()] += 1
        once(loop)

    time.sleep(0.05)  # what the opening has left to do
    loops = running_loops()
    asyncio.BaseEventLoop._run_once = counted  # type: ignore[attr-defined]
    try:
        for _ in range(5):  # where the machine stood still, count again
            counts.clear()
            started = time.perf_counter()
            time.sleep(seconds)
            took = time.perf_counter() - started
            most = max(tuple(counts.values()), default=0)
            if most > turns or took < seconds + late:
                break
    finally:
        asyncio.BaseEventLoop._run_once = once  # type: ignore[attr-defined]
    if most > turns:
        raise AssertionError(
            f"an idle event loop turned {most:,} times in {took:.1f} s, "
            f"{turns} are allowed: something polls; let it wait for an event "
            "instead"
        )
    if not loops or not all(loop.is_running() for loop in loops):
        raise RuntimeError(
            "no loop of asyncio ran in another thread all the time, so this could "
            "not fail: call it while the sessions are open"
        )
