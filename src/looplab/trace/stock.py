"""Trace a loop of asyncio's own: a queue that takes notes stands in for the loop's."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

from looplab._numbers import NS
from looplab.trace.labels import describe
from looplab.trace.reader import PAUSE, Begun, Reader
from looplab.trace.record import Trace

__all__ = [
    "NAMED",
    "NotingQueue",
    "attach_to_stock",
    "check_standing",
    "clock_of",
    "stand_in",
    "step_aside",
]

_Queue = deque[asyncio.Handle]
#: What is called by a name of its own, and is no step of a task.
NAMED = frozenset((FunctionType, type))


class NotingQueue(deque[asyncio.Handle]):
    """Marks the queues that stand in for a loop's own."""

    __slots__ = ()


def attach_to_stock(
    loop: Any, reader: Reader, limit: int | None
) -> Callable[[], Callable[[], Trace]]:
    """Put a queue that takes notes into *loop*; return what undoes it.

    That returns what reads the notes, which takes longer than to take them.

    The queue's methods run once for each callback, so they do as little as can be: they
    append to one flat list and read it only later.  They are made here, anew for each
    tracer, because a name of an enclosing function is looked up faster than an
    attribute.
    """
    now, due_of = clock_of(loop)
    origin, read = reader.origin_ns, reader.read_stamped
    notes: list[Any] = []
    note = notes.append
    enough = None if limit is None else 10 * limit + 1000
    leave: Callable[[_Queue], asyncio.Handle] = deque.popleft
    size = deque.__len__
    # Functions in handles of this type take the short way.
    plain: type[asyncio.Handle] = asyncio.Handle
    own: _Queue = loop._ready

    def about(handle: asyncio.Handle) -> Begun:
        nonlocal plain
        begun = describe(handle)
        if begun is None:
            return None
        if isinstance(handle, asyncio.TimerHandle):
            return begun[0], begun[1], due_of(handle)
        plain = type(handle)
        return begun

    def catch_up() -> None:
        seen = notes[:]
        del notes[: len(seen)]
        read(seen)

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: asyncio.Handle, /) -> None:
            note(now())
            join(handle)

        def popleft(self) -> asyncio.Handle:
            handle = leave(self)
            callback = handle._callback  # type: ignore[attr-defined]
            if type(handle) is plain and type(callback) in NAMED:
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
            note(PAUSE)
            if enough is not None and len(notes) > enough:
                catch_up()
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
        check_standing(loop, queue)
        end = now()
        notes.extend((end, PAUSE))
        # From here on the other queue passes on what a slow thread still puts into it,
        # and a loop that holds on to it for the rest of an iteration is served.
        join = own.append
        step_aside(loop, queue, own)
        leave = lambda _: own.popleft()  # noqa: E731
        # The loop may be traced again by the time that the slow thread goes on.
        join = lambda handle: loop._ready.append(handle)  # noqa: E731
        seen = notes[:]  # who is served late is noted, too

        def trace() -> Trace:
            read(seen)
            return reader.trace(end, "real")

        return trace

    return detach


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


def check_standing(loop: Any, queue: _Queue) -> None:
    """Raise :exc:`RuntimeError` unless *queue* is the loop's."""
    if loop._ready is not queue:
        raise RuntimeError(
            f"the ready queue of {loop!r} was replaced while it was traced: undo "
            "that before the tracer's with block ends"
        )


def step_aside(loop: Any, queue: _Queue, own: _Queue) -> None:
    """Give what waits in *queue* back to the loop's *own*, in its old place."""
    remaining = deque(queue)
    deque.clear(queue)
    own.extendleft(reversed(remaining))
    loop._ready = own


def clock_of(
    loop: Any,
) -> tuple[Callable[[], int], Callable[[asyncio.TimerHandle], int]]:
    """Return what tells the time, in nanoseconds, and when a timer is due by it."""
    if type(loop).time is not asyncio.BaseEventLoop.time:
        # A loop with a clock of its own.
        return lambda: round(loop.time() * NS), lambda timer: round(timer.when() * NS)
    if time.get_clock_info("monotonic").resolution <= 1e-6:
        return time.monotonic_ns, lambda timer: round(timer.when() * NS)
    # Windows: the loop's clock ticks every 16 ms, too coarse to time a callback with.
    ahead = time.perf_counter_ns() - time.monotonic_ns()
    return time.perf_counter_ns, lambda timer: round(timer.when() * NS) + ahead
