"""All of a run: beside what ran, which callback made which, and every timer.

The plain tracer notes times.  Times do not tell which of two callbacks, that ran at one
instant, made a third, nor where an iteration ended; so the whole of a run is noted by
another observer, at about three times the cost.  It is what
:class:`looplab.player.Player` moves.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.observers import Observer
from looplab.clock.running import Clock
from looplab.trace.labels import describe
from looplab.trace.record import Origin, Record, Timer, Trace
from looplab.trace.stock import (
    NotingQueue,
    check_standing,
    clock_of,
    stand_in,
    step_aside,
)

__all__ = ["Notes", "attach_whole"]


class _Ran(NamedTuple):
    """A callback that has left the ready queue."""

    run_ns: int
    ready_ns: int
    origin: Origin
    task: str | None
    label: str


class Notes(Observer):
    """What a loop tells, as records with their origins."""

    def __init__(
        self,
        now: Callable[[], int],
        due_of: Callable[[Any], int],
        watch: Callable[[], int] | None,
    ) -> None:
        self._now = now
        self._watch = watch
        self._watched: list[int] = []
        self._due_of = due_of
        self._zero = now()
        self._thread = threading.get_ident()
        self._iteration = 0
        self._running: _Ran | None = None
        self._records: list[Record] = []
        self._origins: list[Origin] = []
        self._timers: list[Timer] = []
        self._made: dict[int, tuple[int | None, int]] = {}  # by id of a ready handle
        self._timer_of: dict[int, int] = {}  # by id of a timer that is set

    def begin_with(self, task: str | None, label: str) -> None:
        """A callback of which the beginning was not seen is running."""
        self._running = _Ran(0, 0, Origin(0, None, None), task, label)

    @property
    def _maker(self) -> int | None:
        """The place that the callback that runs is going to have in the trace."""
        if self._running is None or threading.get_ident() != self._thread:
            return None
        return len(self._records)

    def _at(self) -> int:
        return self._now() - self._zero

    def joined(self, handle: asyncio.Handle, /) -> None:
        self._made[id(handle)] = self._maker, self._at()

    def left(self, handle: asyncio.Handle, /) -> None:
        self.pause()
        maker, ready = self._made.pop(id(handle), (None, 0))
        timer = self._timer_of.pop(id(handle), None)
        about = describe(handle)
        if about is not None:
            origin = Origin(self._iteration, maker, timer)
            self._running = _Ran(self._at(), ready, origin, about[0], about[1])

    def iteration(self) -> None:
        self.pause()
        self._iteration += 1

    def pause(self) -> None:
        """The callback that was running, if there was one, has ended."""
        ran, self._running = self._running, None
        if ran is None:
            return
        due: int | None = None
        if ran.origin.timer is not None:
            due = self._timers[ran.origin.timer].due_ns
        elif ran.origin.maker is not None and ran.task is not None:
            # A timer's due time is carried one hop, to the step that it wakes.
            timer = self._origins[ran.origin.maker].timer
            due = None if timer is None else self._timers[timer].due_ns
        self._records.append(
            Record(ran.ready_ns, due, ran.run_ns, self._at(), ran.task, ran.label)
        )
        self._origins.append(ran.origin)
        if self._watch is not None:
            self._watched.append(self._watch())

    def timer_set(self, handle: asyncio.TimerHandle) -> None:
        self._timer_of[id(handle)] = len(self._timers)
        due = self._due_of(handle) - self._zero
        self._timers.append(Timer(self._at(), self._maker, due, None, None))

    def timer_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """A timer that has not run is cancelled, whether it was noticed or not."""
        timer = self._timer_of.pop(id(handle), None)
        if timer is not None:
            self._timers[timer] = self._timers[timer]._replace(
                cancelled_ns=self._at(), cancelled_by=self._maker
            )

    def trace(self, clock: Clock, looks_between: bool) -> Trace:
        self.pause()
        return Trace(
            self._records,
            end_ns=self._at(),
            clock=clock,
            origins=self._origins,
            timers=self._timers,
            looks_between=looks_between,
            watched=self._watched,
        )


def _telling(notes: Notes, kind: Any) -> Any:
    """The like of a class of timers, which tells *notes* when one is cancelled.

    A loop is told only until it has noticed that the timer is due, and a handle has
    slots, so that its own ``cancel`` cannot be replaced.
    """

    class TimerHandle(kind):  # type: ignore[misc]
        __slots__ = ()

        def cancel(self) -> None:
            if not self._cancelled:
                notes.timer_cancelled(self)
            super().cancel()

    return TimerHandle


def attach_whole(
    loop: Any,
    task: str | None,
    label: str | None,
    *,
    watch: Callable[[], int] | None = None,
    notes: Notes | None = None,
) -> Callable[[], Callable[[], Trace]]:
    """Note all that *loop* does; return what ends that and returns what reads it.

    *label* is that of the callback that is running, if there is one.  What *watch*
    returns is noted after each callback.  *notes* may note more.
    """
    virtual = isinstance(loop, VirtualTimeLoop)
    if notes is None and virtual:
        notes = Notes(loop.time_ns, lambda timer: timer._due_ns, watch)
    elif notes is None:
        notes = Notes(*clock_of(loop), watch)
    if label is not None:
        notes.begin_with(task, label)
    telling: Any = cache(partial(_telling, notes))
    set_by = "_set_timer" if virtual else "call_at"
    hidden = (set_by, "_process_events")
    set_timer = getattr(loop, set_by)
    process = loop._process_events

    def note_timer(*args: Any, **context: Any) -> asyncio.TimerHandle:
        handle: asyncio.TimerHandle = set_timer(*args, **context)
        handle.__class__ = telling(type(handle))
        notes.timer_set(handle)
        return handle

    def note_iteration(events: Any) -> None:
        notes.iteration()
        process(events)

    vars(loop)[set_by] = note_timer
    if virtual:
        loop.add_observer(notes)
        let_go: Callable[[], None] = partial(loop.remove_observer, notes)
    else:
        loop._process_events = note_iteration
        queue, let_go = _noting(loop, notes)

    def detach() -> Callable[[], Trace]:
        if not virtual:
            check_standing(loop, queue)
        # A queue of priorities looks between callbacks as soon as somebody gives one.
        between = bool(getattr(loop._ready, "in_use", False))
        trace = notes.trace("virtual" if virtual else "real", between)
        let_go()
        for name in hidden:
            vars(loop).pop(name, None)
        return lambda: trace

    return detach


def _noting(
    loop: Any, notes: Notes
) -> tuple[deque[asyncio.Handle], Callable[[], None]]:
    """Put a queue that tells *notes* in the place of the ready queue of *loop*."""
    own: deque[asyncio.Handle] = loop._ready
    leave: Callable[[Any], asyncio.Handle] = deque.popleft

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: asyncio.Handle, /) -> None:
            notes.joined(handle)
            join(handle)

        def popleft(self) -> asyncio.Handle:
            handle = leave(self)
            notes.left(handle)
            return handle

        def __bool__(self) -> bool:
            while own:  # a thread had hold of the loop's own queue as we came
                self.append(own.popleft())
            notes.pause()
            return len(self) > 0

    queue = Queue()
    join = super(Queue, queue).append
    stand_in(loop, queue)

    def let_go() -> None:
        nonlocal join, leave
        # As in the plain tracer, a slow thread and a running iteration are served.
        join = own.append
        step_aside(loop, queue, own)
        leave = lambda _: own.popleft()  # noqa: E731
        join = lambda handle: loop._ready.append(handle)  # noqa: E731

    return queue, let_go
