"""A guard for a test suite: an event loop that waits must not turn.

A loop that waits sits in its selector.  A loop whose task asks again and again whether
something has come *turns*: thousands of times a second, on a core of its own, and other
threads pay for it.  The guard counts the turns from outside::

    def test_idle_sessions_stay_idle():
        with open_session(), open_session():
            assert_idle()

It sees every asyncio loop of the process, also those that a library runs in threads: a
blocking portal of anyio, the test client of starlette.

This module needs the standard library and no other part of looplab: the file can be
copied into a test suite as it is.  Chapter 6 of *On Time* introduces it.
"""

from __future__ import annotations

import asyncio
import gc
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

__all__ = [
    "BusyLoopError",
    "LoopTurns",
    "Turns",
    "assert_idle",
    "assert_idle_here",
    "count_turns",
    "running_loops",
]

Loop = asyncio.AbstractEventLoop

#: Callbacks of each loop that are looked at, to say who keeps it busy.  A look walks
#: through a coroutine, and the loop must go on turning at nearly its own pace.
_LOOKS = 100
_LIBRARIES = ("asyncio", "anyio")
_lock = threading.Lock()
_counters: dict[Loop, list[_Counter]] = {}


class BusyLoopError(AssertionError):
    """An event loop turned while it had nothing to do.

    Attributes:
        turns: what was counted, a :class:`Turns`.
    """

    def __init__(self, message: str, turns: Turns) -> None:
        super().__init__(message)
        self.turns = turns


@dataclass(slots=True)
class _Counter:
    """The turns of one loop.  Only the loop's own thread writes here."""

    turns: int = 0
    looks: int = 0
    thread: str = ""
    seen: Counter[str] = field(default_factory=Counter)

    def turn(self, loop: Loop) -> None:
        if not self.turns:
            self.thread = threading.current_thread().name
        self.turns += 1
        if self.looks < _LOOKS:
            for handle in tuple(getattr(loop, "_ready", ()))[:5]:
                self.looks += 1
                self.seen[_work(handle)] += 1


@dataclass(frozen=True, slots=True)
class LoopTurns:
    """The turns of one loop.

    Attributes:
        thread: name of the thread that runs it; empty if it did not turn.
        turns: how many times it turned.
        busy_with: what ran most often in the first turns; empty if nothing did.
    """

    thread: str
    turns: int
    busy_with: str


class Turns:
    """How often event loops turned in a block; see :func:`count_turns`.

    The counts grow while the block runs.
    """

    def __init__(self, counters: Mapping[Loop, _Counter]) -> None:
        self._counters = dict(counters)
        self._started = time.perf_counter()
        self._ended: float | None = None

    @property
    def by_loop(self) -> Mapping[Loop, LoopTurns]:
        """Each loop with its turns, its thread and what kept it busy."""
        return MappingProxyType(
            {
                loop: LoopTurns(
                    counter.thread,
                    counter.turns,
                    max(counter.seen, key=counter.seen.__getitem__, default=""),
                )
                for loop, counter in self._counters.items()
            }
        )

    @property
    def most(self) -> int:
        """The turns of the loop that turned most."""
        return max((found.turns for found in self._counters.values()), default=0)

    @property
    def total(self) -> int:
        """The turns of all loops together."""
        return sum(found.turns for found in self._counters.values())

    @property
    def seconds(self) -> float:
        """How long they have been counted, in seconds."""
        return (self._ended or time.perf_counter()) - self._started

    def __repr__(self) -> str:
        turns, loops = self.total, len(self._counters)
        return (
            f"{turns:,} turn{'' if turns == 1 else 's'} of "
            f"{loops} loop{'' if loops == 1 else 's'} in {self.seconds:.2f} s"
        )

    def _stop(self) -> None:
        self._ended = time.perf_counter()


def running_loops() -> list[Loop]:
    """The event loops of this process that are running, in any thread.

    Includes the one of the calling thread.  The garbage collector is asked for them, so
    that nobody has to hand them over.

    Raises:
        RuntimeError: ``gc.freeze()`` has hidden objects from the garbage collector, and
            loops may be among them.
    """
    if gc.get_freeze_count():
        raise RuntimeError(
            "gc.freeze() has hidden objects of this process, and loops may be among "
            "them: call gc.unfreeze() first, or hand the loops over"
        )
    return [
        found
        for found in gc.get_objects()
        if issubclass(type(found), asyncio.AbstractEventLoop) and _is_running(found)
    ]


@contextmanager
def count_turns(*loops: Loop) -> Iterator[Turns]:
    """Count the turns of *loops* in the block; of all running ones if none is given.

    It works from any thread and also inside a coroutine, whose own loop then counts as
    well::

        with count_turns() as turns:
            time.sleep(0.3)
        print(turns)      # 12,059 turns of 4 loops in 0.30 s

    A turn is one pass of a loop through its selector and its ready queue.  A counted
    loop turns a little slower.  After the block nothing of it is left on the loops.

    Raises:
        TypeError: one of *loops* is not an event loop, or its turns cannot be seen from
            Python, such as uvloop's or those of looplab's virtual clock.
        RuntimeError: one of *loops* is closed, or none is given and none runs: a count
            of nothing would always be 0.
    """
    watched = list(dict.fromkeys(_checked(loops) if loops else _found()))
    counters = {loop: _Counter() for loop in watched}
    with _lock:
        for loop, counter in counters.items():
            _begin(loop, counter)
    turns = Turns(counters)
    try:
        yield turns
    finally:
        turns._stop()
        with _lock:
            for loop, counter in counters.items():
                _end(loop, counter)


def assert_idle(
    *loops: Loop, seconds: float = 0.3, turns: int = 10, settle: float = 0.05
) -> Turns:
    """Fail if a loop turns more than a few times while nobody asks it anything.

    Call it at a moment when every session waits, from a thread that runs none of the
    loops.  It sleeps for ``settle + seconds``.

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
    own = _own_loop()
    if own is not None and own in loops:
        raise RuntimeError(
            "assert_idle() would block the loop that it is to watch: in a coroutine "
            "write `await assert_idle_here()`"
        )
    _checked(loops)
    time.sleep(settle)
    others = loops or [loop for loop in running_loops() if loop is not own]
    if not others:
        raise RuntimeError(
            "no event loop runs in another thread of this process, so assert_idle() "
            "could never fail: call it while the sessions are open"
        )
    _must_run(others, "does not run", "start it, in a thread of its own, before")
    with count_turns(*others) as found:
        time.sleep(seconds)
    _judge(found, turns)
    _must_run(others, "ended during the count", "keep its session open until after")
    return found


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
    with count_turns(loop) as found:
        await asyncio.sleep(seconds)
    return _judge(found, turns)


def _judge(found: Turns, allowed: int) -> Turns:
    busy = [loop for loop in found.by_loop.values() if loop.turns > allowed]
    if not busy:
        return found
    busy.sort(key=lambda loop: -loop.turns)
    lines = [
        f"{'1 loop' if len(busy) == 1 else f'{len(busy)} loops'} turned while idle; "
        f"{allowed} turns are allowed in {found.seconds:.2f} s:"
    ]
    for loop in busy:
        what = f", busy with {loop.busy_with}" if loop.busy_with else ""
        lines.append(f"  {loop.turns:,} turns in thread {loop.thread!r}{what}")
    lines.append("Something polls: let it wait for an event or on an asyncio.Queue.")
    raise BusyLoopError("\n".join(lines), found)


# Which loops


def _must_run(loops: Iterable[Loop], what: str, fix: str) -> None:
    """Refuse a loop that could not turn, or not all the time."""
    for loop in _checked(loops):
        if not _is_running(loop):
            raise RuntimeError(
                f"{loop!r} {what}, so assert_idle() could not fail for it: {fix} the "
                "call of assert_idle()"
            )


def _is_running(loop: Any) -> bool:
    try:
        return bool(loop.is_running())
    except Exception:  # half made, or of a library with ideas of its own
        return False


def _own_loop() -> Loop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _found() -> list[Loop]:
    loops = running_loops()
    if not loops:
        raise RuntimeError(
            "no event loop runs in this process: there is nothing to count. Count "
            "while it runs, or hand the loop over"
        )
    return _checked(loops)


def _checked(loops: Iterable[Any]) -> list[Loop]:
    loops = list(loops)
    for loop in loops:
        if not isinstance(loop, asyncio.AbstractEventLoop):
            raise TypeError(
                f"{loop!r} is not an event loop: hand over what "
                "asyncio.get_running_loop() returned, or nothing to watch all loops"
            )
        kind = type(loop)
        if not isinstance(loop, asyncio.BaseEventLoop) or _is_virtual(loop):
            raise TypeError(
                f"the turns of a {kind.__module__}.{kind.__qualname__} cannot be "
                "counted: use asyncio's own loop for this test"
            )
        if loop.is_closed():
            raise RuntimeError(f"{loop!r} is closed: count while it runs")
    return loops


def _is_virtual(loop: Loop) -> bool:
    """Whether one call of the loop's method runs many turns, as in looplab.clock.

    Where no such loop was ever made the module need not be there.
    """
    module = sys.modules.get("looplab.clock.loop")
    return module is not None and isinstance(loop, module.VirtualTimeLoop)


# Counting: an attribute of the loop itself stands in front of its class's method, so
# that other loops run as they are.


def _begin(loop: Loop, counter: _Counter) -> None:
    counters = _counters.get(loop)
    if counters is not None:
        _counters[loop] = [*counters, counter]
        return
    _counters[loop] = [counter]
    once: Callable[[], None] = loop._run_once  # type: ignore[attr-defined]

    def counted() -> None:
        for each in _counters.get(loop, ()):
            each.turn(loop)
        once()

    loop._run_once = counted  # type: ignore[attr-defined]


def _end(loop: Loop, counter: _Counter) -> None:
    left = [each for each in _counters[loop] if each is not counter]
    if left:
        _counters[loop] = left
        return
    del _counters[loop]
    del loop._run_once  # type: ignore[attr-defined]


# What a handle will run


def _work(handle: asyncio.Handle) -> str:
    """The task and the line of it, or the name of the callback."""
    callback = getattr(handle, "_callback", None)
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        name = getattr(callback, "__qualname__", None) or type(callback).__qualname__
        return f"callback {name}"
    place = ""
    step: Any = task.get_coro()
    while step is not None:
        frame = getattr(step, "cr_frame", None) or getattr(step, "gi_frame", None)
        if frame is not None:
            file = PurePath(frame.f_code.co_filename)
            if not place or not set(file.parts) & set(_LIBRARIES):
                name = frame.f_code.co_name
                place = f"{file.name}:{frame.f_lineno} in {name}"
        step = getattr(step, "cr_await", None) or getattr(step, "gi_yieldfrom", None)
    return (
        f"task {task.get_name()!r} at {place}" if place else f"task {task.get_name()!r}"
    )


# Numbers


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
