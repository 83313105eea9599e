"""What a run of the consumer did, and what many runs did."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from looplab.clock.running import Clock
from looplab.phases import Spread
from looplab.timeline import Timeline
from looplab.trace import Trace
from ontime.leases.settings import LeaseSettings
from ontime.measuring.tables import aligned, as_html, as_time, range_of

__all__ = ["LeaseCheck", "LeaseRun", "LeaseRuns", "MessageRecord", "Outcome", "State"]

#: What became of the processing of a message.
Outcome = Literal["done", "lost", "stopped"]


@dataclass(frozen=True, slots=True)
class LeaseCheck:
    """One check of a lease.  Times are in seconds from the start of the run.

    Attributes:
        due_at: when the wait before the check should have ended.
        ran_at: when the check ran.
        age: how long ago the lease had been renewed last.
    """

    due_at: float
    ran_at: float
    age: float

    @property
    def lateness(self) -> float:
        """Seconds from due to run."""
        return self.ran_at - self.due_at


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """What became of one message.  Times are in seconds from the start of the run.

    Attributes:
        number: its place in the order of receipt, from 0.
        received_at: when it was received.
        ended_at: when its processing ended, with its last round or because it was lost.
        closed_at: when the task that keeps its lease ended: it noticed that the work
            was done, or that the lease had run out.
        lost_at: when a check found its lease too old; ``None`` if none did.
        rounds: how many rounds of its work were computed.
        checks: the checks of its lease.
        renewals: when its lease was renewed.
    """

    number: int
    received_at: float
    ended_at: float
    closed_at: float
    lost_at: float | None
    rounds: int
    checks: tuple[LeaseCheck, ...] = field(repr=False)
    renewals: tuple[float, ...] = field(repr=False)

    @property
    def lost(self) -> bool:
        """Whether its lease ran out."""
        return self.lost_at is not None

    @property
    def seconds(self) -> float:
        """Seconds from its receipt to the end of its processing."""
        return self.ended_at - self.received_at


@dataclass(frozen=True, slots=True)
class State:
    """The counts of a run at a moment.

    Attributes:
        received: messages that had been received.
        success: those whose lease's task had noticed that they were done.
        failed: those that had lost their lease.
    """

    received: int
    success: int
    failed: int

    @property
    def running(self) -> int:
        """Messages that were received and neither done nor lost."""
        return self.received - self.success - self.failed

    def __str__(self) -> str:
        return f"{self.received}/{self.success}/{self.failed}/{self.running}"


@dataclass(frozen=True)
class LeaseRun:
    """What one run of the consumer did.  Times are in seconds.

    Attributes:
        settings: what it had to do.
        scheduler: the name of what decided the order.
        messages: one record for each message, in the order of receipt.
        makespan: from the start until the last message was over, its lease too.
        held: how many messages were held at once, at most.
        yields: how often a task gave its turn back, if the scheduler counts that.
        refresh_lateness: for each timer of a lease that ended, how late its task ran:
            run at - due at.
        threads: how many threads a modelled pool had at the end.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if they are measured.
        jitter: by how much timers could fire late.
        seed: of the jitter.
    """

    settings: LeaseSettings
    scheduler: str
    messages: tuple[MessageRecord, ...]
    makespan: float
    held: int
    yields: int | None = None
    refresh_lateness: tuple[float, ...] = field(default=(), repr=False)
    threads: int | None = None
    clock: Clock = "virtual"
    jitter: float = 0.0
    seed: int = 0
    _trace: Trace | None = field(default=None, repr=False, compare=False)

    @property
    def processed(self) -> int:
        """How many messages were finished under a lease."""
        return len(self.messages) - self.lost

    @property
    def lost(self) -> int:
        """How many messages lost their lease."""
        return sum(message.lost for message in self.messages)

    @property
    def floor(self) -> float:
        """Seconds of CPU that all messages need; one thread cannot be faster."""
        return self.settings.floor

    @property
    def stretch(self) -> float:
        """The makespan as a multiple of the floor; infinite if the floor is 0."""
        return self.makespan / self.floor if self.floor else math.inf

    @property
    def lease_ages(self) -> tuple[float, ...]:
        """Seconds since the last renewal, for each check, in the order of messages."""
        return tuple(check.age for one in self.messages for check in one.checks)

    @property
    def oldest_lease(self) -> float:
        """The greatest age of a lease at a check; 0 if none was checked."""
        return max(self.lease_ages, default=0.0)

    @property
    def worst_lateness(self) -> float:
        """Seconds that a refresh was late at worst, while it waited for the thread."""
        return max(self.refresh_lateness, default=0.0)

    @property
    def times(self) -> tuple[float, ...]:
        """Seconds that each processed message took, from receipt to its last round."""
        return tuple(one.seconds for one in self.messages if not one.lost)

    def state(self, at: float) -> State:
        """Return the counts *at* so many seconds from the start."""
        closed = [one for one in self.messages if one.closed_at <= at]
        failed = sum(one.lost for one in closed)
        received = sum(one.received_at <= at for one in self.messages)
        return State(received, len(closed) - failed, failed)

    @property
    def trace(self) -> Trace:
        """Everything that the loop ran, as a trace.

        Raises:
            ValueError: the run kept no trace, or threads ran side by side.
        """
        if self.threads is not None:
            raise ValueError(
                "a trace is the work of one thread, and this run had up to "
                f"{self.threads}: run the consumer on a loop"
            )
        if self._trace is None:
            raise ValueError("this run kept no trace: give consume() trace=True")
        return self._trace

    def timeline(self, **settings: Any) -> Timeline:
        """Return the run as a picture.

        Args:
            settings: passed on to :class:`looplab.Timeline`: ``start``, ``end``, …

        Raises:
            ValueError: see :attr:`trace` and :class:`looplab.Timeline`.
        """
        settings.setdefault("probe", "lease")
        settings.setdefault("colours", {"receive": "green"})
        return Timeline(self.trace, **settings)

    def _facts(self) -> list[tuple[str, str]]:
        how = "exact" if self.clock == "virtual" else "measured"
        facts = [
            ("scheduler", self.scheduler),
            ("processed", f"{self.processed:,}"),
            ("lost", f"{self.lost:,}"),
            ("makespan", f"{as_time(self.makespan)} ({how})"),
            ("floor, if none is lost", f"{as_time(self.floor)} of CPU"),
        ]
        if self.times:
            facts.append(("a processed message", range_of(self.times)))
        facts.append(("messages held at once", f"up to {self.held:,}"))
        if self.lease_ages:
            facts.append(("oldest lease at a check", as_time(self.oldest_lease)))
        facts.append(("worst refresh lateness", as_time(self.worst_lateness)))
        if self.yields is not None:
            facts.append(("yields", f"{self.yields:,}"))
        if self.threads is not None:
            facts.append(("threads", f"up to {self.threads:,}"))
        return facts

    def table(self) -> str:
        """Return the figures as text: a line for each, for a terminal.

        A notebook shows the same as a table of its own when a run is the last value of
        a cell; ``str()`` and ``repr()`` are one line.
        """
        return aligned(self._facts(), str.ljust)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.processed} processed, {self.lost} lost "
            f"in {as_time(self.makespan)}, {self.scheduler}>"
        )

    def _repr_html_(self) -> str:
        return as_html(self._facts())


@dataclass(frozen=True)
class LeaseRuns:
    """The same experiment over many jitters: what is luck, and what is not.

    A sequence of :class:`LeaseRun`, with the spread of their figures.
    """

    runs: tuple[LeaseRun, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[LeaseRun]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> LeaseRun:
        return self.runs[index]

    def spread(self, figure: Callable[[LeaseRun], float]) -> Spread:
        """Return the spread of any figure of the runs."""
        count = len(self.runs)
        return Spread(
            (index / count for index in range(count)),
            (figure(run) for run in self.runs),
        )

    @property
    def lost(self) -> Spread:
        """How many messages lost their lease."""
        return self.spread(lambda run: run.lost)

    @property
    def makespan(self) -> Spread:
        """Seconds until everything had ended."""
        return self.spread(lambda run: run.makespan)

    @property
    def worst_lateness(self) -> Spread:
        """Seconds by which the latest refresh was late."""
        return self.spread(lambda run: run.worst_lateness)

    @property
    def held(self) -> Spread:
        """Messages held at once, at most."""
        return self.spread(lambda run: run.held)

    def _table(self) -> list[tuple[str, str, str, str]]:
        rows = [(f"{len(self)} runs", "least", "median", "most")]
        for name, spread, form in (
            ("lost", self.lost, ",.9g"),
            ("makespan, s", self.makespan, ",.3f"),
            ("worst refresh lateness, s", self.worst_lateness, ".3f"),
            ("messages held at once", self.held, ",.9g"),
        ):
            low, middle, high = spread.min, spread.median, spread.max
            rows.append(
                (name, format(low, form), format(middle, form), format(high, form))
            )
        return rows

    def table(self) -> str:
        """Return the spread of the figures as text, for a terminal.

        See :meth:`LeaseRun.table`.
        """
        return aligned(self._table())

    def __repr__(self) -> str:
        lost = self.lost
        name = self.runs[0].scheduler
        return (
            f"<{type(self).__name__} lost {lost.min:g} to {lost.max:g}, median "
            f"{lost.median:g} of {len(self.runs[0].messages)} in {len(self)} runs, "
            f"{name}>"
        )

    def _repr_html_(self) -> str:
        head, *rows = self._table()
        return as_html(rows, head)
