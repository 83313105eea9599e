"""From the notes that are taken while a loop runs to the records of a trace.

Notes are taken once for each callback, so they are little and flat; they are read when
there is time.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from looplab.clock.running import Clock
from looplab.trace.record import Record, Trace

__all__ = ["JOINED", "MOVED", "PAUSE", "Begun", "Reader"]


class Mark:
    """A note of something else than a callback that begins."""

    __slots__ = ()


#: An iteration began: no callback is running.
PAUSE = Mark()
#: The callback that is running moved the virtual clock.
MOVED = Mark()
#: A callback joined the ready queue.
JOINED = Mark()
#: A callback that began is noted as its label, or as (task, label, due) if there is
#: more to say, or as None if its handle was cancelled.
Begun = str | tuple[str | None, str, int | None] | None


class Reader:
    """Turns the notes of a run into records.

    Where the ready queue is first in, first out, the first to have joined is the first
    to leave, and the notes need not say which callback they are about.
    """

    def __init__(self, origin_ns: int, limit: int | None) -> None:
        self.origin_ns = origin_ns
        self.count = 0
        self.rows: deque[Record] = deque(maxlen=limit)
        self._waiting: deque[tuple[int, int | None]] = deque()  # ready at, woken for
        self._running: tuple[int, int | None, int, str | None, str] | None = None
        self._timer_due: int | None = None  # of the callback that runs
        self._left = 0  # how many have left the queue
        self._joined = 0
        self._ready_of: dict[int, tuple[int, int | None]] = {}  # by id of the handle
        self._at: int | None = None  # the time, while a callback runs

    def begin(self, at: int, what: Begun, ready: int, woken_for: int | None) -> None:
        if what is None:
            return
        if isinstance(what, str):
            self._running = (ready, None, at, None, what)
            return
        task, label, due = what
        self._timer_due = due
        if due is None and task is not None:
            due = woken_for
        self._running = (ready, due, at, task, label)

    def end(self, at: int) -> None:
        running, zero = self._running, self.origin_ns
        self._running = self._timer_due = None
        if running is None:
            return
        ready, due, run, task, label = running
        self.count += 1
        self.rows.append(
            Record(
                ready - zero,
                None if due is None else due - zero,
                run - zero,
                at - zero,
                task,
                label,
            )
        )

    def read_stamped(self, notes: list[Any]) -> None:
        """Read notes in which each callback that joins the queue has a time stamp."""
        waiting = self._waiting
        stamp: int | None = None  # a time whose meaning the next note tells
        for note in notes:
            if isinstance(note, int):
                if stamp is not None:
                    waiting.append((stamp, self._timer_due))
                stamp = note
                continue
            at = stamp if stamp is not None else self.origin_ns
            stamp = None
            self.end(at)
            if note is not PAUSE:
                ready, woken_for = waiting.popleft() if waiting else (at, None)
                self.begin(at, note, ready, woken_for)
        if stamp is not None:
            waiting.append((stamp, self._timer_due))

    def read_counted(self, notes: list[Any]) -> None:
        """Read notes that give the length of the queue when it may matter.

        Whatever joined the queue between two such lengths did so at one and the same
        time and for one and the same reason: the length is noted when the clock moves,
        when a timer's callback begins, and between iterations.  That is enough, since
        in an iteration timers come last.
        """
        waiting = self._waiting
        rest = iter(notes)
        for at in rest:
            note = next(rest)
            length: int | None = None
            if isinstance(note, int):
                length, note = note, next(rest)
            begins = not isinstance(note, Mark)
            self._left += begins
            if length is not None and self._left + length > self._joined:
                # Between iterations only the loop adds callbacks: timers, once it has
                # moved the clock to the time that this note has.
                ready = at if self._at is None else self._at
                joined = self._left + length - self._joined
                waiting.extend([(ready, self._timer_due)] * joined)
                self._joined += joined
            if note is MOVED:
                if self._at is not None:
                    self._at = at
                continue
            self.end(at)
            self._at = None
            if begins:
                ready, woken_for = waiting.popleft()
                self.begin(at, note, ready, woken_for)
                self._at = at

    def read_named(self, notes: list[Any]) -> None:
        """Read notes that say which callback they are about: it may overtake others."""
        for at, what, who in notes:
            if what is JOINED:
                self._ready_of[who] = (at, self._timer_due)
                continue
            self.end(at)
            if what is not PAUSE:
                at_first = (self.origin_ns, None)  # it was ready before the trace
                self.begin(at, what, *self._ready_of.pop(who, at_first))

    def already_running(self, at: int, task: str | None, label: str) -> None:
        self._running = (at, None, at, task, label)
        self._at = at

    def trace(self, end_ns: int, clock: Clock) -> Trace:
        """Return what was read, up to the time *end_ns* of the loop's clock."""
        return Trace(
            self.rows,
            end_ns=end_ns - self.origin_ns,
            clock=clock,
            dropped=self.count - len(self.rows),
        )
