"""What was recorded: one callback, and all of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from operator import attrgetter
from typing import Any, NamedTuple, overload

from looplab._numbers import NS
from looplab.clock.running import Clock

__all__ = ["Origin", "Record", "Timer", "Trace"]


@dataclass(frozen=True, slots=True)
class Record:
    """One callback that ran.  Times count from the start of the trace.

    The fields are whole nanoseconds; the properties are the same in seconds.

    Attributes:
        ready_ns: when it joined the ready queue; 0 if it was there before the trace.
        due_ns: when its timer was due; ``None`` if no timer set it off.
        run_ns: when it began to run.
        ended_ns: when it gave the thread back to the loop.
        task: the name of its task; ``None`` for a callback of no task.
        label: the qualified name of the task's coroutine, or of the callback.
    """

    ready_ns: int
    due_ns: int | None
    run_ns: int
    ended_ns: int
    task: str | None
    label: str

    @property
    def ready_at(self) -> float:
        """Seconds until it joined the ready queue."""
        return self.ready_ns / NS

    @property
    def due_at(self) -> float | None:
        """Seconds until its timer was due, or ``None``."""
        return None if self.due_ns is None else self.due_ns / NS

    @property
    def run_at(self) -> float:
        """Seconds until it began to run."""
        return self.run_ns / NS

    @property
    def ended_at(self) -> float:
        """Seconds until it gave the thread back."""
        return self.ended_ns / NS

    @property
    def lateness(self) -> float | None:
        """Seconds from due to run, or ``None`` if no timer set it off."""
        return None if self.due_ns is None else (self.run_ns - self.due_ns) / NS

    @property
    def queueing_delay(self) -> float:
        """Seconds that it waited in the ready queue."""
        return (self.run_ns - self.ready_ns) / NS

    @property
    def duration(self) -> float:
        """Seconds that it held the thread."""
        return (self.ended_ns - self.run_ns) / NS

    def __repr__(self) -> str:
        who = self.label if self.task is None else f"{self.label} in {self.task}"
        late = self.lateness
        return (
            f"<Record {who}: ran {self.run_at:.9g} to {self.ended_at:.9g} s"
            + (f", {late:.9g} s late" if late else "")
            + (f", {self.queueing_delay:.9g} s in the queue" if late is None else "")
            + ">"
        )


class Origin(NamedTuple):
    """How a callback came to run, where all of a run was recorded.

    Attributes:
        iteration: in which iteration of the loop it ran, counted from 0.
        maker: the place in the trace of the callback that made it ready; ``None`` if
            the loop did, or another thread, or what was there before the trace.
        timer: the place in :attr:`Trace.timers` of the timer whose callback it is, or
            ``None``.
    """

    iteration: int
    maker: int | None
    timer: int | None


class Timer(NamedTuple):
    """A timer that was set.  Times are whole nanoseconds from the start of the trace.

    Attributes:
        set_ns: when it was set.
        set_by: the place in the trace of the callback that set it, or ``None``.
        due_ns: when it was due.
        cancelled_ns: when it was cancelled before its callback ran, or ``None``.
        cancelled_by: the place of the callback that cancelled it, or ``None``.
    """

    set_ns: int
    set_by: int | None
    due_ns: int
    cancelled_ns: int | None
    cancelled_by: int | None


class Trace(Sequence[Record]):
    """The callbacks that a loop ran, in the order in which they ran.

    It is a sequence of :class:`Record`; a slice of it is a :class:`Trace` too.

    Args:
        records: in the order in which they ran.
        end_ns: when tracing stopped; the default is when the last callback ended.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if measured.
        result: what the traced coroutine returned.
        origins: how each record came to run, if all of the run was recorded.
        timers: the timers that were set, in that case.
        looks_between: the loop looked at its timers between any two callbacks, as one
            with priorities does, and not between iterations.
        watched: what was watched, after each record.

    Raises:
        ValueError: if the records are not in the order in which they ran, or there is
            not one origin for each.
    """

    __slots__ = (
        "_records",
        "clock",
        "end_ns",
        "looks_between",
        "origins",
        "result",
        "timers",
        "watched",
    )

    def __init__(
        self,
        records: Iterable[Record],
        *,
        end_ns: int | None = None,
        clock: Clock = "virtual",
        result: Any = None,
        origins: Iterable[Origin] | None = None,
        timers: Iterable[Timer] = (),
        looks_between: bool = False,
        watched: Iterable[int] = (),
    ) -> None:
        self._records = tuple(records)
        last = 0
        for record in self._records:
            if record.run_ns < last:
                raise ValueError(
                    f"{record!r} ran before the one that it follows ended: give the "
                    "records in the order in which they ran"
                )
            if record.ended_ns < record.run_ns:
                raise ValueError(f"{record!r} ended before it ran")
            last = record.ended_ns
        #: Nanoseconds from the start of the trace to its end.
        self.end_ns = last if end_ns is None else max(end_ns, last)
        #: ``"virtual"`` if the times are exact, ``"real"`` if they are measured.
        self.clock: Clock = clock
        #: What the traced coroutine returned, if :func:`record` made the trace.
        self.result = result
        #: How each record came to run, with ``record(main(), whole=True)``; a part of a
        #: trace has none.
        self.origins = None if origins is None else tuple(origins)
        #: The timers that were set, in the same case, in the order in which they were.
        self.timers = tuple(timers)
        #: Whether the loop looked at its timers between any two callbacks.
        self.looks_between = looks_between
        #: What ``watch`` returned after each callback of a whole run.
        self.watched = tuple(watched)
        if self.origins is not None and len(self.origins) != len(self._records):
            raise ValueError(
                f"there are {len(self.origins)} origins for {len(self._records)} "
                "records: give one for each"
            )

    # -- the sequence ----------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Trace: ...
    def __getitem__(self, index: int | slice) -> Record | Trace:
        if not isinstance(index, slice):
            return self._records[index]
        if index.step is not None and index.step < 0:
            raise ValueError(
                "a trace runs forwards: use reversed() to walk it backwards"
            )
        return self._part(self._records[index])

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return (
            self._records == other._records
            and self.end_ns == other.end_ns
            and self.clock == other.clock
        )

    def __hash__(self) -> int:
        return hash((self._records, self.end_ns, self.clock))

    def _part(self, records: Iterable[Record]) -> Trace:
        return Trace(
            records,
            end_ns=self.end_ns,
            clock=self.clock,
            result=self.result,
        )

    def filter(
        self,
        where: Callable[[Record], object] | None = None,
        *,
        task: str | None = None,
        label: str | None = None,
    ) -> Trace:
        """Return the records of one task, with one label, or for which *where* is true.

        The part spans the same time as the whole.
        """
        return self._part(
            record
            for record in self._records
            if (task is None or record.task == task)
            and (label is None or record.label == label)
            and (where is None or where(record))
        )

    # -- summary numbers, in seconds -------------------------------------------------

    @property
    def duration(self) -> float:
        """Seconds from the start of the trace to its end."""
        return self.end_ns / NS

    @property
    def busy(self) -> float:
        """Seconds in which a callback of this trace held the thread."""
        return sum(record.ended_ns - record.run_ns for record in self._records) / NS

    @property
    def idle(self) -> float:
        """Seconds in which none did."""
        ran = sum(record.ended_ns - record.run_ns for record in self._records)
        return (self.end_ns - ran) / NS

    @property
    def latest(self) -> Record | None:
        """The record with the worst lateness; ``None`` if no timer fired."""
        timed = [record for record in self._records if record.due_ns is not None]
        return max(
            timed, key=lambda record: record.run_ns - (record.due_ns or 0), default=None
        )

    @property
    def worst_lateness(self) -> float | None:
        """Seconds of the worst lateness; ``None`` if no timer fired."""
        latest = self.latest
        return None if latest is None else latest.lateness

    @property
    def longest(self) -> Record | None:
        """The callback that held the thread longest."""
        return max(self._records, key=attrgetter("duration"), default=None)

    # -- how it looks ----------------------------------------------------------------

    def _facts(self) -> list[tuple[str, str]]:
        how = "exact" if self.clock == "virtual" else "measured"
        worst = self.worst_lateness
        return [
            ("callbacks", f"{len(self):,}"),
            ("time", f"{self.duration:.9g} s ({self.clock} clock, {how})"),
            ("busy", f"{self.busy:.9g} s"),
            ("idle", f"{self.idle:.9g} s"),
            ("worst lateness", "no timer" if worst is None else f"{worst:.9g} s"),
        ]

    def __repr__(self) -> str:
        return f"<Trace {', '.join(f'{name}: {text}' for name, text in self._facts())}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>'
            for name, text in self._facts()
        )
        return f"<table><tbody>{rows}</tbody></table>"
