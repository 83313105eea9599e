"""A guard to paste into a test suite: event loops that wait must not turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter


def assert_idle(seconds: float = 0.3, *, turns: int = 10) -> None:
    """Fail when an event loop of this process turns while nobody asks it anything.

    Call it from a thread without a loop, at a moment when every session waits.

    Args:
        seconds: how long to look.
        turns: how many turns are allowed each loop in that time.

    Raises:
        AssertionError: A loop turned more often.
    """
    counts: Counter[int] = Counter()  # by thread, so that no count is lost
    once = asyncio.BaseEventLoop._run_once  # type: ignore[attr-defined]

    def counted(loop: asyncio.BaseEventLoop) -> None:
        counts[threading.get_ident()] += 1
        once(loop)

    time.sleep(0.05)  # what the opening has left to do
    asyncio.BaseEventLoop._run_once = counted  # type: ignore[attr-defined]
    started = time.perf_counter()
    try:
        time.sleep(seconds)
    finally:
        asyncio.BaseEventLoop._run_once = once  # type: ignore[attr-defined]
    most = max(counts.values(), default=0)
    if most > turns:
        raise AssertionError(
            f"an idle event loop turned {most:,} times in "
            f"{time.perf_counter() - started:.1f} s, {turns} are allowed: "
            "something polls; let it wait for an event instead"
        )
