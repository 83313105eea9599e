"""The guard: it fails if a loop turns while nobody asks it anything."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable

from .counting import Turns, count_turns
from .loops import Loop, checked, is_running, own_loop, running_loops

__all__ = ["BusyLoopError", "assert_idle", "assert_idle_here"]

#: Seconds that a count may last too long.  A caller that wakes later had no core, and
#: perhaps the loops had none either: then it says nothing that they did not turn.
_LATE = 0.05
_COUNTS = 5  # at most, where each of them is late


class BusyLoopError(AssertionError):
    """An event loop turned while it had nothing to do.

    Attributes:
        turns: what was counted, a :class:`Turns`.
    """

    def __init__(self, message: str, turns: Turns) -> None:
        super().__init__(message)
        self.turns = turns


def assert_idle(
    *loops: Loop, seconds: float = 0.3, turns: int = 10, settle: float = 0.05
) -> Turns:
    """Fail if a loop turns more than a few times while nobody asks it anything.

    Call it at a moment when every session waits, from a thread that runs none of the
    loops.  It sleeps for ``settle + seconds``.  If that sleep ends more than 0.05 s too
    late, the machine may have stood still, and it counts again, up to five counts.

    Args:
        loops: the loops to watch; without any, all that run, except the one of the
            calling thread, which cannot turn meanwhile.
        seconds: how long to count.
        turns: how many turns are allowed each loop in that time.  A loop that waits
            needs none; a timer needs one or two each time it fires.
        settle: seconds before the count, for what the set-up has left to do.

    Returns:
        What was counted.

    Raises:
        BusyLoopError: an :class:`AssertionError` that names thread, task and line.
        TypeError: a loop's turns cannot be counted, or a setting is not a number.
        ValueError: a number is out of range.
        RuntimeError: the guard could not fail: no loop runs, one of *loops* is closed
            or has not been started, one ended before the count did.  Or a loop is the
            calling thread's own: use :func:`assert_idle_here` there.

    Introduced in the chapter *Find the loop that spins*.
    """
    seconds, turns, settle = _limits(seconds, turns, settle)
    own = own_loop()
    if own is not None and own in loops:
        raise RuntimeError(
            "assert_idle() would block the loop that it should watch: in a coroutine "
            "write `await assert_idle_here()`"
        )
    checked(loops)
    time.sleep(settle)
    others = loops or [loop for loop in running_loops() if loop is not own]
    if not others:
        raise RuntimeError(
            "no event loop runs in another thread of this process, so assert_idle() "
            "could never fail: call it while the sessions are open"
        )
    _must_run(others, "does not run", "start it, in a thread of its own, before")
    for _ in range(_COUNTS):
        with count_turns(*others) as counted:
            time.sleep(seconds)
        _judge(counted, turns)
        _must_run(others, "ended during the count", "keep its session open until after")
        if counted.seconds < seconds + _LATE:
            break
    return counted


async def assert_idle_here(
    *, seconds: float = 0.3, turns: int = 10, settle: float = 0.05
) -> Turns:
    """Fail if the running loop turns more than a few times while this waits.

    The same as :func:`assert_idle` for the loop that runs this coroutine.  The wait
    itself takes two turns.

    Raises:
        BusyLoopError: an :class:`AssertionError` that names thread, task and line.
        TypeError: the loop's turns cannot be counted, or a setting is not a number.
        ValueError: a number is out of range.
    """
    seconds, turns, settle = _limits(seconds, turns, settle)
    loop = asyncio.get_running_loop()
    await asyncio.sleep(settle)
    for _ in range(_COUNTS):
        with count_turns(loop) as counted:
            await asyncio.sleep(seconds)
        _judge(counted, turns)
        if counted.seconds < seconds + _LATE:
            break
    return counted


def _judge(turns: Turns, allowed: int) -> None:
    busy = [loop for loop in turns.by_loop.values() if loop.turns > allowed]
    if not busy:
        return
    busy.sort(key=lambda loop: -loop.turns)
    lines = [
        f"{'1 loop' if len(busy) == 1 else f'{len(busy)} loops'} turned while idle; "
        f"{allowed} turns are allowed in {turns.seconds:.2f} s:"
    ]
    for loop in busy:
        what = f", busy with {loop.busy_with}" if loop.busy_with else ""
        lines.append(f"  {loop.turns:,} turns in thread {loop.thread!r}{what}")
    lines.append("Something polls: let it wait for an event or on an asyncio.Queue.")
    raise BusyLoopError("\n".join(lines), turns)


def _must_run(loops: Iterable[Loop], what: str, fix: str) -> None:
    """Refuse a loop that could not turn, or not all the time."""
    for loop in checked(loops):
        if not is_running(loop):
            raise RuntimeError(
                f"{loop!r} {what}, so assert_idle() could not fail for it: {fix} the "
                "call of assert_idle()"
            )


def _limits(seconds: float, turns: int, settle: float) -> tuple[float, int, float]:
    seconds = _number(seconds, "seconds")
    if seconds <= 0:
        raise ValueError(
            f"seconds must be above 0, not {seconds:g}: nothing turns in no time"
        )
    settle = _number(settle, "settle")
    if settle < 0:
        raise ValueError(f"settle must be 0 or more, not {settle:g}")
    if isinstance(turns, bool) or not isinstance(turns, int):
        raise TypeError(f"expected turns as a whole number, got {turns!r}")
    if turns < 0:
        raise ValueError(f"turns must be 0 or more, not {turns}")
    return seconds, turns, settle


def _number(value: float, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected {what} as a number of seconds, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{what} must be a finite number of seconds, not {value!r}")
    return float(value)
