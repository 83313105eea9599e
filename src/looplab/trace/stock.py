"""Trace a loop of asyncio's own: a queue that takes notes stands in for the loop's."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from looplab._numbers import NS
from looplab.trace.labels import describe
from looplab.trace.record import Record, Trace

__all__ = ["NotingQueue", "attach_to_stock", "real_clock", "stand_in", "step_aside"]

_Queue = deque[asyncio.Handle]
#: What is called by a name of its own, and is no step of a task.
_NAMED = frozenset((FunctionType, type))
_PAUSE = object()  # a note: an iteration began, no callback is running


class NotingQueue(deque[asyncio.Handle]):
    """Marks the queues that stand in for a loop's own."""

    __slots__ = ()


def attach_to_stock(
    loop: Any, running: tuple[str | None, str] | None
) -> Callable[[], Callable[[], Trace]]:
    """Put a queue that takes notes into *loop*; return what undoes it.

    That returns what reads the notes, which takes longer than to take them.  *Running*
    is the task and the label of the callback that is running, if there is one.

    The queue's methods run once for each callback, so they do as little as can be: they
    append to one flat list.  They are made here, anew for each tracer, because a name
    of an enclosing function is looked up faster than an attribute.
    """
    now, due_of = _clock_of(loop)
    origin = now()
    notes: list[Any] = []
    note = notes.append
    leave: Callable[[_Queue], asyncio.Handle] = deque.popleft
    size = deque.__len__
    # Functions in handles of this type take the short way.
    plain: type[asyncio.Handle] = asyncio.Handle
    own: _Queue = loop._ready

    def about(handle: asyncio.Handle) -> Any:
        nonlocal plain
        begun = describe(handle)
        if begun is None:
            return None
        if isinstance(handle, asyncio.TimerHandle):
            return (*begun, due_of(handle))
        plain = type(handle)
        return (*begun, None)

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: asyncio.Handle, /) -> None:
            note(now())
            join(handle)

        def popleft(self) -> asyncio.Handle:
            handle = leave(self)
            callback = handle._callback  # type: ignore[attr-defined]
            if type(handle) is plain and type(callback) in _NAMED:
                note(now())
                note(callback.__qualname__)
            else:
                begun = about(handle)
                note(now())
                note(begun)
            return handle

        def __bool__(self) -> bool:
            while own:  # a thread had hold of the loop's own queue as we came
                self.append(own.popleft())
            note(now())
            note(_PAUSE)
            return size(self) > 0

        def clear(self) -> None:
            while size(self):
                leave(self)
                note(now())
                note(None)

    queue = Queue()
    join = super(Queue, queue).append
    notes.extend([origin] * stand_in(loop, queue))

    def detach() -> Callable[[], Trace]:
        nonlocal join, leave
        if loop._ready is not queue:
            raise RuntimeError(
                f"the ready queue of {loop!r} was replaced while it was traced: undo "
                "that before the tracer's with block ends"
            )
        end = now()
        notes.extend((end, _PAUSE))
        # From here on the other queue passes on what a slow thread still puts into it,
        # and a loop that holds on to it for the rest of an iteration is served.
        join = own.append
        step_aside(loop, queue, own)
        leave = lambda _: own.popleft()  # noqa: E731
        # The loop may be traced again by the time that the slow thread goes on.
        join = lambda handle: loop._ready.append(handle)  # noqa: E731
        seen = notes[:]  # who is served late is noted, too
        rows = _records(seen, origin, running)
        return lambda: Trace(rows, end_ns=end - origin, clock="real")

    return detach


def _records(
    notes: list[Any], zero: int, running: tuple[str | None, str] | None
) -> Iterator[Record]:
    """The records in *notes*, where each that joins the queue has a time stamp.

    The queue is first in, first out, so the first to have joined is the first to leave,
    and the notes need not say which callback they are about.
    """
    waiting: deque[tuple[int, int | None]] = deque()  # ready at, woken for
    # (ready at, due at, run at, task, label)
    begun: Any = None if running is None else (0, None, 0, *running)
    timer_due: int | None = None  # of the callback that runs
    stamp: int | None = None  # a time whose meaning the next note tells
    for note in notes:
        if isinstance(note, int):
            if stamp is not None:
                waiting.append((stamp - zero, timer_due))
            stamp = note
            continue
        at, stamp = (stamp or zero) - zero, None
        if begun is not None:
            ready, due, run, task, label = begun
            yield Record(ready, due, run, at, task, label)
        begun = timer_due = None
        if note is _PAUSE:
            continue
        ready, due = waiting.popleft() if waiting else (at, None)
        if isinstance(note, str):
            begun = ready, None, at, None, note
        elif note is not None:
            task, label, timer_due = note
            if timer_due is not None:
                due = timer_due = timer_due - zero
            elif task is None:
                due = None
            begun = ready, due, at, task, label


def stand_in(loop: Any, queue: _Queue) -> int:
    """Put *queue* in the place of the loop's own; return how many callbacks it took.

    Another thread may add a callback at any moment.  So the queues are exchanged first
    and emptied afterwards, and what was there before goes before what arrives.
    """
    own: _Queue = loop._ready
    loop._ready = queue
    moved = [own.popleft() for _ in range(len(own))]
    queue.extendleft(reversed(moved))
    return len(moved)


def step_aside(loop: Any, queue: _Queue, own: _Queue) -> None:
    """Give what waits in *queue* back to the loop's *own*, in its old place."""
    remaining = deque(queue)
    deque.clear(queue)
    own.extendleft(reversed(remaining))
    loop._ready = own


def real_clock() -> tuple[Callable[[], int], int]:
    """What tells the time that passes, in nanoseconds, and how far it is ahead of the
    loop's clock."""
    if time.get_clock_info("monotonic").resolution <= 1e-6:
        return time.monotonic_ns, 0
    # Windows: the loop's clock ticks every 16 ms, too coarse to time a callback with.
    return time.perf_counter_ns, time.perf_counter_ns() - time.monotonic_ns()


def _clock_of(
    loop: Any,
) -> tuple[Callable[[], int], Callable[[asyncio.TimerHandle], int]]:
    """Return what tells the time, in nanoseconds, and when a timer is due by it."""
    if type(loop).time is not asyncio.BaseEventLoop.time:
        # A loop with a clock of its own.
        return lambda: round(loop.time() * NS), lambda timer: round(timer.when() * NS)
    now, ahead = real_clock()
    return now, lambda timer: round(timer.when() * NS) + ahead
