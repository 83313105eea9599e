"""CPU work and the time, on whatever clock the running loop has."""

from __future__ import annotations

import asyncio
import time
from asyncio import events
from collections.abc import Callable

from looplab._numbers import NS
from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.running import started_at
from looplab.clock.times import nanoseconds

__all__ = ["burn", "elapsed"]


def burn(seconds: float) -> None:
    """Hold the event loop for *seconds* of CPU work.

    On a :class:`VirtualTimeLoop` the clock moves by exactly *seconds* and the call
    returns at once.  Anywhere else the call spins until this thread has used that much
    CPU, so one experiment runs on both clocks.

    Args:
        seconds: 0 or more; whole nanoseconds count.

    Raises:
        TimeValueError: if *seconds* is negative, infinite or not a number.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    loop = events._get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        loop.burn(seconds)
        return
    end_ns = _cpu_time_ns() + nanoseconds(seconds, "burn()")
    while _cpu_time_ns() < end_ns:
        pass


def _finest_cpu_clock() -> Callable[[], int]:
    """This thread's CPU time; where that is too coarse or missing, the wall clock."""
    try:
        if time.get_clock_info("thread_time").resolution <= 1e-5:
            return time.thread_time_ns
    except (AttributeError, ValueError):
        pass
    return time.perf_counter_ns


_cpu_time_ns = _finest_cpu_clock()


def elapsed() -> float:
    """Return the seconds since the running loop began to run.

    Under :func:`run` and :func:`run_real` that is since the call.  On any other loop it
    is since the first call of ``elapsed()`` there, which returns 0.

    Raises:
        RuntimeError: if no loop is running.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        return (loop.time_ns() - loop.start_ns) / NS
    now = loop.time()
    return now - started_at(loop, now)
