"""A recording: every callback that a loop ran, who made it ready, and what it cost.

A :class:`looplab.trace.Trace` says when each callback was due, ready, ran and ended.
A recording says more: which callback made it ready or set its timer, when its data
arrived, how much of the time it computed, and for whom it worked.  With that it can
name who makes others late (:meth:`Recording.blame`) and take each request apart
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

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from looplab._numbers import NS
from looplab.trace import Origin, Record, Timer, Trace

if TYPE_CHECKING:
    from .changes import Change
    from .latencies import Request
    from .ledger import Ledger, Row
    from .prediction import Prediction

__all__ = [
    "Await",
    "Callback",
    "Code",
    "Job",
    "Mark",
    "OtherThread",
    "Pause",
    "Recording",
    "RequestNote",
    "Sample",
    "ThreadUse",
    "Window",
]


#: What made a callback ready: another callback, a timer, a file descriptor, another
#: thread; or it was ready before.
Cause = Literal["call", "timer", "io", "thread", "before"]


class Code(NamedTuple):
    """What a callback is: its qualified name and the line where it is defined."""

    name: str
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """``file.py:12``; empty if it is not Python."""
        return f"{self.file}:{self.line}" if self.line else ""


@dataclass(slots=True)
class Callback:
    """One callback that ran.  Times are nanoseconds from the start of the recording.

    Attributes:
        index: its number in the recording, in the order in which they ran.
        ready_ns: when it joined the ready queue.
        run_ns: when it began to run.
        ended_ns: when it gave the thread back.
        cpu_ns: CPU time that it used; ``None`` if unknown.
        cause: what made it ready, a :data:`Cause`.
        by: the number of the callback that made it ready, that set its timer, or that
            began to watch its file descriptor if these are the first data since.
        code: what it is.
        task: the name of its task, or ``None``.
        tag: the number of the tag it worked under; 0 for none.
        due_ns: when its timer was due.
        set_ns: when its timer was set.
        arrived_ns: when its data came to this machine, if the system knows.
        accepted: its data came on a connection that somebody else opened.
    """

    index: int
    ready_ns: int
    run_ns: int
    ended_ns: int
    cpu_ns: int | None
    cause: Cause
    by: int | None
    code: Code
    task: str | None
    tag: int = 0
    due_ns: int | None = None
    set_ns: int | None = None
    arrived_ns: int | None = None
    accepted: bool = True

    @property
    def waits_from_ns(self) -> int:
        """From when on it would have run, had nobody held the loop."""
        if self.due_ns is not None:
            return min(self.due_ns, self.ready_ns)
        if self.arrived_ns is not None:
            return min(self.arrived_ns, self.ready_ns)
        return self.ready_ns

    @property
    def held_ns(self) -> int:
        """How long it held the loop."""
        return self.ended_ns - self.run_ns


class Sample(NamedTuple):
    """Where the loop's thread was at a moment.

    Attributes:
        at_ns: when.
        callback: the number of the callback that ran.
        weight_ns: for how much time the sample stands.
        stack: places, the innermost first, out to the first of the program itself.
        others: (name, place) of each other thread that was not waiting for work.
    """

    at_ns: int
    callback: int
    weight_ns: int
    stack: tuple[Code, ...]
    others: tuple[tuple[str, Code], ...] = ()


class Pause(NamedTuple):
    """The garbage collector stopped the loop's thread."""

    callback: int
    held_ns: int
    generation: int


class ThreadUse(NamedTuple):
    """CPU time of a thread up to a moment, and how long it waited for a core."""

    at_ns: int
    name: str
    cpu_ns: int
    waited_ns: int


class RequestNote(NamedTuple):
    """One request: its tag, in which callbacks and when it began and ended; when its
    data came, if that is known better than by its callbacks."""

    tag: int
    first: int
    last: int
    began_ns: int
    ended_ns: int
    arrived_ns: int | None = None


class Mark(NamedTuple):
    """In a callback the tag changed: from the number *old* to *new*; 0 is none."""

    callback: int
    at_ns: int
    old: int
    new: int


class OtherThread(NamedTuple):
    """What another thread did in a window: CPU time, waiting for a core, its line."""

    name: str
    cpu_ns: int
    delay_ns: int
    code: Code | None


class Window(NamedTuple):
    """What threads did between two looks of the sampler, where that may explain a wait.

    Attributes:
        start_ns: the look before.
        end_ns: this look.
        cpu_ns: how long the loop's thread computed.
        delay_ns: how long it had work and no core.
        slices: how often it was given a core.
        own_cpu_ns: how long the sampler computed.
        own_delay_ns: how long the sampler had no core.
        late: this look came late.
        others: threads that computed or wanted to.
    """

    start_ns: int
    end_ns: int
    cpu_ns: int
    delay_ns: int
    slices: int
    own_cpu_ns: int
    own_delay_ns: int
    late: int
    others: tuple[OtherThread, ...] = ()


class Await(NamedTuple):
    """Where a request or block of a tag was suspended, the innermost place first; and
    what the threads of a pool did, if it waited for one: places and how many threads,
    below 0 if the pool was not full."""

    at_ns: int
    tag: int
    stack: tuple[Code, ...]
    pool: tuple[tuple[Code, int], ...] = ()


class Job(NamedTuple):
    """A job of an executor: for which tag, by which callback, and when it was
    submitted, began and ended (-1: not yet)."""

    tag: int
    callback: int
    submitted_ns: int
    began_ns: int
    ended_ns: int
    code: Code


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
        if 0 <= at < len(callbacks) and callbacks[at].index == index:
            return at
        at = bisect_left(callbacks, index, key=_number)  # some in between are lost
        is_there = at < len(callbacks) and callbacks[at].index == index
        return at if is_there else None

    def numbered(self, index: int | None) -> Callback | None:
        """The callback with the number *index*, if it is in the recording."""
        at = self.place_of(index)
        return None if at is None else self.callbacks[at]

    def position(self, index: int) -> int:
        """Where the callback with the number *index* is in the recording.

        Raises:
            KeyError: if it is not.
        """
        at = self.place_of(index)
        if at is None:
            raise KeyError(f"there is no callback {index} in the recording")
        return at

    def back_from(self, index: int | None) -> Iterator[Callback]:
        """The callback with this number, who made it ready, and so on, back to what
        came from outside."""
        callback = self.numbered(index)
        for _ in range(_HOPS):
            if callback is None:
                return
            yield callback
            callback = self.numbered(callback.by) if callback.cause == "call" else None

    def trigger_of(self, index: int | None) -> Callback | None:
        """What came from outside and led to the callback with this number."""
        *_, last = None, *self.back_from(index)
        return last

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
        for callback in self.callbacks:
            # What was ready as an iteration began belongs to it, and nothing else does.
            if not records or callback.ready_ns > looked:
                iteration, looked = iteration + 1, callback.run_ns
            by = self.place_of(callback.by)
            timer = None
            if callback.cause == "timer" and callback.due_ns is not None:
                timer = len(timers)
                was_set = (
                    callback.due_ns if callback.set_ns is None else callback.set_ns
                )
                timers.append(Timer(was_set, by, callback.due_ns, None, None))
            maker = by if callback.cause == "call" else None
            name = self.tag_of(callback) or callback.task
            times = (
                callback.ready_ns,
                callback.due_ns,
                callback.run_ns,
                callback.ended_ns,
            )
            records.append(Record(*times, name, callback.code.name))
            origins.append(Origin(iteration, maker, timer))
        return Trace(
            records,
            end_ns=self.end_ns,
            clock=self.clock,
            dropped=self.dropped,
            result=self.result,
            origins=origins,
            timers=timers,
        )

    @cached_property
    def ledger(self) -> Ledger:
        """All that was waited for; see :class:`looplab.diagnose.Ledger`."""
        from .ledger import Ledger

        return Ledger(self)

    # -- the questions ---------------------------------------------------------

    def blame(self, victim: str = "*") -> list[Row]:
        """The callbacks by what waited for them; see :func:`looplab.diagnose.blame`."""
        return self.ledger.blame(victim)

    def replay(self, *changes: Change) -> Prediction:
        """What *changes* would bring; see :func:`looplab.diagnose.predict`."""
        from .prediction import predict

        return predict(self, *changes)

    def requests(self) -> list[Request]:
        """Each request taken apart; see :func:`looplab.diagnose.requests`."""
        from .latencies import requests

        return requests(self)


_HOPS = 50  # callbacks from a request back to the data that set it off
_number: Any = attrgetter("index")


def _carry_due_times(recording: Recording) -> None:
    """Give the step of a task that a due timer woke the timer's due time.

    It is carried that one hop only, as in :mod:`looplab.trace`.
    """
    own = {
        callback.index: callback.due_ns
        for callback in recording.callbacks
        if callback.cause == "timer" and callback.due_ns is not None
    }
    for callback in recording.callbacks:
        if (
            callback.cause == "call"
            and callback.task is not None
            and callback.due_ns is None
        ):
            callback.due_ns = own.get(-1 if callback.by is None else callback.by)


def _carry_arrivals(recording: Recording) -> None:
    """Tell the callback that set off a request when the data of the request came."""

    def came(index: int | None, at: int) -> None:
        callback = recording.trigger_of(index)
        if callback is not None and callback.cause == "io":
            known = (
                callback.ready_ns
                if callback.arrived_ns is None
                else callback.arrived_ns
            )
            callback.arrived_ns = min(known, at)

    for note in recording.notes:
        if note.arrived_ns is not None:
            came(note.first, note.arrived_ns)
    for callback in recording.callbacks:
        if (
            callback.cause == "io"
            and callback.by is not None
            and callback.arrived_ns is not None
        ):
            came(callback.by, callback.arrived_ns)  # its connection came first
