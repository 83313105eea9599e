"""A recording: every callback that a loop ran, who made it ready, and what it cost.

A :class:`looplab.trace.Trace` says when each callback was due, ready, ran and ended.
A recording says more: which callback made it ready or set its timer, when its data
arrived, how much of the time it computed, and for whom it worked.  With that it can
name what makes others late (:meth:`Recording.blame`) and take each request apart
(:meth:`Recording.requests`).

>>> import asyncio
>>> from looplab import burn
>>> from looplab.diagnose import record
>>> async def main():
...     victim = asyncio.create_task(asyncio.sleep(0.1))
...     await asyncio.sleep(0)
...     burn(1)
...     await victim
>>> worst = record(main()).blame()[0]
>>> worst.name, worst.waited
('main', 0.9)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal

from looplab._numbers import NS
from looplab.trace import Origin, Record, Timer, Trace

from .changes import Change
from .events import (
    Await,
    Callback,
    Job,
    Mark,
    Pause,
    RequestNote,
    Sample,
    ThreadUse,
    Window,
)
from .latencies import Request, taken_apart
from .ledger import Ledger, Row
from .prediction import Prediction, predict


@dataclass
class Recording(Sequence[Callback]):
    """What one event loop ran, in the order in which it ran.

    A sequence of :class:`Callback`.  Made by :func:`looplab.diagnose.load` from a file
    of ``looplab trace``, or by :func:`looplab.diagnose.record` on the virtual clock.

    Attributes:
        clock: ``"virtual"``: the times are exact; ``"real"``: they are measured.
        about: facts of the process: ``argv``, ``python``, ``pid``, ``cores`` …
        tags: name of each tag by its number.
        notes: the requests.
        blocks: the blocks of :class:`looplab.tag` that have ended, in the same form.
        loop: the number of the loop in its process, from 1.
        end_ns: when the recording ended.
        dropped: how many callbacks a bound left out before the first one here.
        damaged: how many lines of the file could not be read.
        complete: the file was ended properly; else the program was killed or still
            runs, and its last moments may be missing.
    """

    callbacks: list[Callback]
    clock: Literal["virtual", "real"] = "real"
    about: Mapping[str, Any] = field(default_factory=dict)
    tags: dict[int, str] = field(default_factory=dict)
    notes: list[RequestNote] = field(default_factory=list)
    blocks: list[RequestNote] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    awaits: list[Await] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    threads: list[ThreadUse] = field(default_factory=list)
    loop: int = 1
    end_ns: int = 0
    dropped: int = 0
    complete: bool = True
    damaged: int = 0
    result: Any = None

    def __post_init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Tell each callback what follows from the others, once all are there."""
        if self.callbacks:
            self.end_ns = max(self.end_ns, self.callbacks[-1].ended_ns)
        _carry_due_times(self)
        _carry_arrivals(self)

    def __len__(self) -> int:
        return len(self.callbacks)

    def __getitem__(self, index: Any) -> Any:
        return self.callbacks[index]

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def __repr__(self) -> str:
        return (
            f"<Recording of {len(self):,} callbacks in {self.duration:.9g} s "
            f"({self.clock} clock)>"
        )

    @property
    def start_ns(self) -> int:
        """When the first callback was ready or ran, whichever came first."""
        if not self.callbacks:
            return 0
        first = self.callbacks[0]
        return first.run_ns if self.dropped else min(first.ready_ns, first.run_ns)

    @property
    def duration(self) -> float:
        """Seconds from the first callback to the end."""
        return (self.end_ns - self.start_ns) / NS

    @property
    def busy(self) -> float:
        """Seconds in which a callback held the loop."""
        return sum(callback.held_ns for callback in self.callbacks) / NS

    def place_of(self, index: int | None) -> int | None:
        """Where the callback with the number *index* is, if it is in the recording."""
        callbacks = self.callbacks
        if index is None or not callbacks:
            return None
        at = index - callbacks[0].index
        if not (0 <= at < len(callbacks) and callbacks[at].index == index):
            at = bisect_left(callbacks, index, key=_number)  # some in between are lost
        is_there = at < len(callbacks) and callbacks[at].index == index
        return at if is_there else None

    def numbered(self, index: int | None) -> Callback | None:
        """The callback with the number *index*, if it is in the recording."""
        at = self.place_of(index)
        return None if at is None else self.callbacks[at]

    def back_from(self, index: int | None) -> Iterator[Callback]:
        """The callback with this number, who made it ready, and so on, back to what
        came from outside."""
        callback = self.numbered(index)
        for _ in range(_HOPS):
            if callback is None:
                return
            yield callback
            callback = self.numbered(callback.by) if callback.cause == "call" else None

    def tag_of(self, callback: Callback) -> str | None:
        """The name of the tag that *callback* worked under, or None."""
        return self.tags.get(callback.tag) if callback.tag else None

    @property
    def trace(self) -> Trace:
        """The same as a :class:`looplab.trace.Trace`, for a timeline or a player.

        Each callback is called by its tag, or else by its task.  A recording does not
        say when a timer was cancelled, so there are only the timers that fired.
        """
        records: list[Record] = []
        origins: list[Origin] = []
        timers: list[Timer] = []
        iteration, looked = -1, -1
        for each in self.callbacks:
            # What was ready as an iteration began belongs to it, and nothing else does.
            if not records or each.ready_ns > looked:
                iteration, looked = iteration + 1, each.run_ns
            by, due, timer = self.place_of(each.by), each.due_ns, None
            if each.cause == "timer" and due is not None:
                timer = len(timers)
                was_set = due if each.set_ns is None else each.set_ns
                timers.append(Timer(was_set, by, due, None, None))
            maker = by if each.cause == "call" else None
            name = self.tag_of(each) or each.task
            times = each.ready_ns, due, each.run_ns, each.ended_ns
            records.append(Record(*times, name, each.code.name))
            origins.append(Origin(iteration, maker, timer))
        about: Any = {"end_ns": self.end_ns, "clock": self.clock, "result": self.result}
        return Trace(records, origins=origins, timers=timers, **about)

    @cached_property
    def ledger(self) -> Ledger:
        """All that was waited for; see :class:`looplab.diagnose.Ledger`."""
        return Ledger(self)

    def blame(self, victim: str = "*") -> list[Row]:
        """The callbacks, the most waited for first.

        Each has what others waited for it, whom it delayed, and how long it held the
        loop; one that nobody waited for has 0.  What was waited for and is no callback,
        such as another thread, is in :attr:`Ledger.rows`.

        Args:
            victim: count only those whose name this pattern matches, such as
                ``GET /*`` or ``timers of beat``.
        """
        return self.ledger.blame(victim)

    def replay(self, *changes: Change) -> Prediction:
        """What *changes* would bring; see :func:`looplab.diagnose.predict`."""
        return predict(self, *changes)

    def requests(self) -> list[Request]:
        """Each request taken apart, in the order in which they ended.

        Requests come from the adapters for ASGI, aiohttp and tornado.  One whose first
        callback a bound left out is left out too.
        """
        return self._requests

    @cached_property
    def _requests(self) -> list[Request]:
        return taken_apart(self)


_HOPS = 50  # callbacks from a request back to the data that set it off
_number: Any = attrgetter("index")


def _carry_due_times(recording: Recording) -> None:
    """Give the step of a task that a due timer woke the timer's due time.

    It is carried that one hop only, as in :mod:`looplab.trace`.
    """
    own: dict[int | None, int | None] = {}
    for callback in recording:
        if callback.cause == "timer":
            own[callback.index] = callback.due_ns
        elif callback.cause == "call" and callback.task and callback.due_ns is None:
            callback.due_ns = own.get(callback.by)


def _carry_arrivals(recording: Recording) -> None:
    """Tell the callback that set off a request when the data of the request came."""
    for note in recording.notes:
        _came(recording, note.first, note.arrived_ns)
    for callback in recording:
        if callback.cause == "io" and callback.by is not None:
            # Its connection came first.
            _came(recording, callback.by, callback.arrived_ns)


def _came(recording: Recording, index: int, at: int | None) -> None:
    *_, trigger = None, *recording.back_from(index)
    if at is not None and trigger is not None and trigger.cause == "io":
        known = trigger.arrived_ns
        trigger.arrived_ns = min(trigger.ready_ns if known is None else known, at)
