"""What a run of the consumer did, and what many runs did."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from looplab.clock.running import Clock
from looplab.phases import Spread
from looplab.timeline import Timeline
from looplab.trace import Trace
from ontime.leases.settings import LeaseSettings
from ontime.measuring.tables import as_html, as_time, range_of

__all__ = [
    "ConsumerRun", "LeaseCheck", "LeaseRun", "LeaseRuns", "MessageRecord", "Outcome",
    "State",
]  # fmt: skip

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


@dataclass(slots=True)
class MessageRecord:
    """What became of one message.  Times are in seconds from the start of the run.

    The consumer writes it while it runs; what has not happened yet is not a number.

    Attributes:
        number: its place in the order of receipt, from 0.
        received_at: when it was received.
        token: what its source knows it by: of a real bus, the
            :class:`~ontime.bus.Delivery`.
        ended_at: when its processing ended, with its last round or because it was lost.
        closed_at: when the task that keeps its lease ended: it noticed that the work
            was done, or that the lease had run out.
        lost_at: when its lease was found to have run out; ``None`` if it never was.
        outcome: of its processing: ``"done"``, ``"lost"``, or ``"stopped"`` if the run
            ended first.
        rounds: how many rounds of its work were computed.
        checks: the checks of its lease.
        renewals: when its lease was renewed.
    """

    number: int
    received_at: float
    token: Any = field(repr=False)
    ended_at: float = math.nan
    closed_at: float = math.nan
    lost_at: float | None = None
    outcome: Outcome | None = None
    rounds: int = 0
    checks: list[LeaseCheck] = field(default_factory=list, repr=False)
    renewals: list[float] = field(default_factory=list, repr=False)

    @property
    def lost(self) -> bool:
        """Whether its lease was found to have run out."""
        return self.lost_at is not None

    @property
    def renewed_at(self) -> float:
        """When its lease began to run."""
        return self.renewals[-1] if self.renewals else self.received_at

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


@dataclass(frozen=True, kw_only=True)
class ConsumerRun:
    """What any run of the consumer did.  Times are in seconds.

    Attributes:
        settings: what it had to do.
        scheduler: the name of what decided the order.
        messages: one record for each receipt, in order.
        makespan: from the start until everything had ended.
        held: how many messages were held at once, at most.
        refresh_lateness: for each timer of a lease that ended, how late its task ran:
            run at - due at.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if they are measured.
    """

    settings: LeaseSettings
    scheduler: str
    messages: tuple[MessageRecord, ...] = field(repr=False)
    makespan: float
    held: int
    refresh_lateness: tuple[float, ...] = field(default=(), repr=False)
    clock: Clock = "virtual"

    @property
    def worst_lateness(self) -> float:
        """Seconds that a refresh was late at worst, while it waited for the thread."""
        return max(self.refresh_lateness, default=0.0)

    def _facts(self) -> list[tuple[str, str]]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return as_html(self._facts())


@dataclass(frozen=True, kw_only=True, repr=False)
class LeaseRun(ConsumerRun):
    """What one run on a simulated bus did, beside what any :class:`ConsumerRun` has.

    Attributes:
        yields: how often a task gave its turn back, if the scheduler counts that.
        threads: how many threads a modelled pool had at the end.
    """

    yields: int | None = None
    threads: int | None = None
    _trace: Trace | None = field(default=None, compare=False)

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
    def oldest_lease(self) -> float:
        """The greatest age of a lease at a check, in seconds; 0 if none was checked."""
        checks = (check for message in self.messages for check in message.checks)
        return max((check.age for check in checks), default=0.0)

    @property
    def times(self) -> tuple[float, ...]:
        """Seconds that each processed message took, from receipt to its last round."""
        return tuple(message.seconds for message in self.messages if not message.lost)

    def state(self, at: float) -> State:
        """Return the counts *at* so many seconds from the start."""
        closed = [message for message in self.messages if message.closed_at <= at]
        failed = sum(message.lost for message in closed)
        received = sum(message.received_at <= at for message in self.messages)
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
        if any(message.checks for message in self.messages):
            facts.append(("oldest lease at a check", as_time(self.oldest_lease)))
        facts.append(("worst refresh lateness", as_time(self.worst_lateness)))
        if self.yields is not None:
            facts.append(("yields", f"{self.yields:,}"))
        if self.threads is not None:
            facts.append(("threads", f"up to {self.threads:,}"))
        return facts

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.processed} processed, {self.lost} lost "
            f"in {as_time(self.makespan)}, {self.scheduler}>"
        )


class LeaseRuns(tuple[LeaseRun, ...]):
    """The same experiment over many jitters: what is luck, and what is not.

    A tuple of :class:`LeaseRun`, with the spread of their figures.
    """

    __slots__ = ()

    def spread(self, figure: Callable[[LeaseRun], float]) -> Spread:
        """Return the spread of any figure of the runs."""
        return Spread((n / len(self) for n in range(len(self))), map(figure, self))

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

    def __repr__(self) -> str:
        lost = self.lost
        return (
            f"<{type(self).__name__} lost {lost.min:g} to {lost.max:g}, median "
            f"{lost.median:g} of {len(self[0].messages)} in {len(self)} runs, "
            f"{self[0].scheduler}>"
        )

    def _repr_html_(self) -> str:
        rows = []
        for name, spread, form in (
            ("lost", self.lost, ",.9g"),
            ("makespan, s", self.makespan, ",.3f"),
            ("worst refresh lateness, s", self.worst_lateness, ".3f"),
            ("messages held at once", self.held, ",.9g"),
        ):
            figures = spread.min, spread.median, spread.max
            rows.append((name, *(format(figure, form) for figure in figures)))
        return as_html(rows, (f"{len(self)} runs", "least", "median", "most"))
