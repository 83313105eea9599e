"""What a run on a bus did, and several runs side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from looplab.clock.running import Clock
from ontime.bus.base import Counts
from ontime.leases.results import Outcome
from ontime.leases.settings import LeaseSettings
from ontime.measuring.tables import aligned, as_html

__all__ = ["BusRun", "BusRuns", "DeliveryRecord"]


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """What became of one delivery.  Times are in seconds from the start of the run.

    Attributes:
        id: the message's id in the bus.
        number: how often the bus had delivered the message, this time included.
        received_at: when it was received.
        ended_at: when its processing ended.
        rounds: how many rounds of its work were computed.
        outcome: ``"done"``: acknowledged; ``"lost"``: the lease ran out;
            ``"stopped"``: the run ended first.
    """

    id: str
    number: int
    received_at: float
    ended_at: float
    rounds: int
    outcome: Outcome


@dataclass(frozen=True)
class BusRun:
    """What one run of the consumer did.  Times are in seconds.

    Attributes:
        settings: what it had to do.
        scheduler: the name of what decided the order.
        bus: the name of the bus.
        deliveries: one record for each, in the order of receipt.
        makespan: from the start until everything had ended.
        held: how many deliveries were worked on at once, at most.
        refresh_lateness: for each timer of a lease, how late its task ran:
            run at - due at.
        left: the messages that were in the bus at the end.
        clock: ``"real"`` if the times are measured, ``"virtual"`` if they are exact.
    """

    settings: LeaseSettings
    scheduler: str
    bus: str
    deliveries: tuple[DeliveryRecord, ...] = field(repr=False)
    makespan: float
    held: int
    refresh_lateness: tuple[float, ...] = field(repr=False)
    left: Counts
    clock: Clock = "real"

    @property
    def processed(self) -> int:
        """How many messages were finished and acknowledged."""
        return sum(delivery.outcome == "done" for delivery in self.deliveries)

    @property
    def redelivered(self) -> int:
        """How many deliveries were of a message that had been delivered before."""
        return sum(delivery.number > 1 for delivery in self.deliveries)

    @property
    def lost_leases(self) -> int:
        """How many deliveries lost their lease."""
        return sum(delivery.outcome == "lost" for delivery in self.deliveries)

    @property
    def stopped(self) -> bool:
        """Whether the time was up before all messages were processed."""
        return any(
            delivery.outcome == "stopped" for delivery in self.deliveries
        ) or bool(self.left.total)

    @property
    def floor(self) -> float:
        """Seconds of CPU that the processed messages needed."""
        return self.processed * self.settings.rounds * self.settings.cpu

    @property
    def wasted(self) -> float:
        """Seconds of CPU that went into deliveries that were not finished."""
        return self.settings.cpu * sum(
            delivery.rounds
            for delivery in self.deliveries
            if delivery.outcome != "done"
        )

    @property
    def worst_lateness(self) -> float:
        """Seconds that a refresh was late at worst, while it waited for the thread."""
        return max(self.refresh_lateness, default=0.0)

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("scheduler", self.scheduler),
            ("bus", self.bus),
            ("processed", f"{self.processed:,}"),
            ("delivered again", f"{self.redelivered:,}"),
            ("leases lost", f"{self.lost_leases:,}"),
            ("still in the bus", f"{self.left.total:,}"),
            ("makespan", f"{self.makespan:.3f} s"),
            ("CPU for finished work", f"{self.floor:.3f} s"),
            ("CPU for nothing", f"{self.wasted:.3f} s"),
            ("worst refresh lateness", f"{self.worst_lateness:.3f} s"),
            ("messages held at once", f"up to {self.held:,}"),
        ]

    def __repr__(self) -> str:
        stopped = f", {self.left.total} left" if self.stopped else ""
        return (
            f"<{type(self).__name__} {self.processed} processed, "
            f"{self.redelivered} delivered again{stopped} in {self.makespan:.3f} s, "
            f"{self.scheduler}, {self.bus}>"
        )

    def _repr_html_(self) -> str:
        return BusRuns((self,))._repr_html_()


@dataclass(frozen=True)
class BusRuns:
    """Several runs side by side: a sequence of :class:`BusRun`."""

    runs: tuple[BusRun, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[BusRun]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> BusRun:
        return self.runs[index]

    def _rows(self) -> list[tuple[str, ...]]:
        columns = [run._facts() for run in self.runs]
        return [
            (facts[0][0], *(text for _, text in facts))
            for facts in zip(*columns, strict=True)
        ]

    def __repr__(self) -> str:
        return aligned(self._rows())

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        return as_html(rows, head)
