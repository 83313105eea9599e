"""Trace a virtual loop: an observer notes what runs, and how it came to run.

Times do not tell which of two callbacks, that ran at one instant, made a third, nor
where an iteration ended.  Both are noted here, and with ``whole=True`` the timers too,
as :class:`looplab.player.Player` needs them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.observers import Observer
from looplab.trace.labels import describe
from looplab.trace.record import Origin, Record, Timer, Trace

__all__ = ["Notes", "attach_to_virtual"]


class Notes(Observer):
    """What a virtual loop tells, as records with their origins.

    Args:
        loop: the loop.
        running: task and label of the callback that is running, if there is one.
        whole: keep the origins and the timers, too.
        watch: is called after each callback; what it returns is kept.
    """

    def __init__(
        self,
        loop: VirtualTimeLoop,
        running: tuple[str | None, str] | None = None,
        *,
        whole: bool = True,
        watch: Callable[[], int] | None = None,
    ) -> None:
        self._loop = loop
        self._zero = loop.time_ns()
        self._whole = whole
        self._watch = watch
        self._watched: list[int] = []
        self._iteration = 0
        # (ready at, due at, run at, task, label) of the callback that runs
        self._running: tuple[int, int | None, int, str | None, str] | None = None
        if running is not None:
            self._running = 0, None, 0, *running
        self._origin = Origin(0, None, None)
        self._timer_due: int | None = None  # if a timer set it off
        self._records: list[Record] = []
        self._origins: list[Origin] = []
        self._timers: list[Timer] = []
        # By the identity of a ready handle: made by, ready at, woken for.
        self._made: dict[int, tuple[int | None, int, int | None]] = {}
        self._timer_of: dict[int, int] = {}  # by that of a timer that is set

    @property
    def _maker(self) -> int | None:
        """The place that the callback that runs is going to have in the trace."""
        return None if self._running is None else len(self._records)

    def _at(self) -> int:
        return self._loop._now_ns - self._zero

    def joined(self, handle: asyncio.Handle, /) -> None:
        # A timer's due time is carried one hop, to the step that it wakes.
        self._made[id(handle)] = self._maker, self._at(), self._timer_due

    def left(self, handle: asyncio.Handle, /) -> None:
        self.pause()
        maker, ready, due = self._made.pop(id(handle), (None, 0, None))
        timer = self._timer_of.pop(id(handle), None)
        about = describe(handle)
        if about is None:
            return
        if isinstance(handle, asyncio.TimerHandle):
            due = self._timer_due = handle._due_ns - self._zero  # type: ignore[attr-defined]
        elif about[0] is None:
            due = None
        self._running = (ready, due, self._at(), *about)
        self._origin = Origin(self._iteration, maker, timer)

    def iteration(self) -> None:
        self.pause()
        self._iteration += 1

    def pause(self) -> None:
        """The callback that was running, if there was one, has ended."""
        if self._running is None:
            return
        ready, due, run, task, label = self._running
        self._running = self._timer_due = None
        self._records.append(Record(ready, due, run, self._at(), task, label))
        self._origins.append(self._origin)
        if self._watch is not None:
            self._watched.append(self._watch())

    def timer_set(self, handle: Any) -> None:
        """A timer is set."""
        self._timer_of[id(handle)] = len(self._timers)
        due = handle._due_ns - self._zero
        self._timers.append(Timer(self._at(), self._maker, due, None, None))

    def timer_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """A timer that has not run is cancelled, whether it was noticed or not."""
        timer = self._timer_of.pop(id(handle), None)
        if timer is not None:
            self._timers[timer] = self._timers[timer]._replace(
                cancelled_ns=self._at(), cancelled_by=self._maker
            )

    def trace(self) -> Trace:
        """What was noted, up to now."""
        self.pause()
        return Trace(
            self._records,
            end_ns=self._at(),
            origins=self._origins if self._whole else None,
            timers=self._timers,
            # A queue of priorities looks between callbacks as soon as one is given.
            looks_between=bool(getattr(self._loop._ready, "in_use", False)),
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


def attach_to_virtual(
    loop: VirtualTimeLoop, notes: Notes
) -> Callable[[], Callable[[], Trace]]:
    """Let *notes* observe *loop*; return what ends that and returns the trace."""
    if notes._whole:
        telling: Any = cache(partial(_telling, notes))
        set_timer = loop._set_timer

        def note_timer(*args: Any) -> asyncio.TimerHandle:
            handle = set_timer(*args)
            handle.__class__ = telling(type(handle))
            notes.timer_set(handle)
            return handle

        vars(loop)["_set_timer"] = note_timer
    loop.add_observer(notes)

    def detach() -> Callable[[], Trace]:
        trace = notes.trace()
        loop.remove_observer(notes)
        if notes._whole:
            del vars(loop)["_set_timer"]
        return lambda: trace

    return detach
