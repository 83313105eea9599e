"""The consumer of :mod:`ontime.leases` on a real bus, and what its runs did."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from looplab.clock.running import Clock, run_on
from looplab.priority import ByPriority
from ontime.bus.base import Bus, Counts, Delivery
from ontime.bus.sqlite import SQLiteBus
from ontime.leases.consumer import Consumer, LeaseSettings, MessageRecord, Source
from ontime.leases.runs import LeaseRun
from ontime.leases.schedulers import resolve
from ontime.measuring.tables import aligned

__all__ = ["SETTINGS", "BusRun", "BusRuns", "compare", "consume"]

#: Settings for real time.  The lease and the waits are the published ones, shortened; a
#: round computes less of a lease than theirs, so that one has room on a busy machine.
SETTINGS = LeaseSettings(messages=20, rounds=5, cpu=0.125).scaled(0.4)
RECEIVERS = 4


@dataclass(frozen=True, kw_only=True, repr=False)
class BusRun(LeaseRun):
    """What one run on a bus did, beside what any ``LeaseRun`` has.

    Its *messages* are deliveries: one that is handed out again is there twice.

    Attributes:
        bus: the name of the bus.
        left: the messages that were in the bus at the end.
    """

    bus: str
    left: Counts

    @property
    def processed(self) -> int:
        """How many messages were finished and acknowledged."""
        return sum(message.outcome == "done" for message in self.messages)

    @property
    def redelivered(self) -> int:
        """How many deliveries were of a message that had been delivered before."""
        return sum(message.token.number > 1 for message in self.messages)

    def _facts(self) -> list[tuple[str, str]]:
        lost = sum(message.outcome == "lost" for message in self.messages)
        seconds = {True: 0.0, False: 0.0}  # of CPU: for finished work, for nothing
        for message in self.messages:
            seconds[message.outcome == "done"] += message.rounds * self.settings.cpu
        return [
            ("scheduler", self.scheduler),
            ("bus", self.bus),
            ("processed", f"{self.processed:,}"),
            ("delivered again", f"{self.redelivered:,}"),
            ("leases lost", f"{lost:,}"),
            ("still in the bus", f"{self.left.total:,}"),
            ("makespan", f"{self.makespan:.3f} s"),
            ("CPU for finished work", f"{seconds[True]:.3f} s"),
            ("CPU for nothing", f"{seconds[False]:.3f} s"),
            ("worst refresh lateness", f"{self.worst_lateness:.3f} s"),
            ("messages held at once", f"up to {self.held:,}"),
        ]


class BusRuns(tuple[BusRun, ...]):
    """Several runs side by side: a tuple of :class:`BusRun`."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = zip(*(run._facts() for run in self), strict=True)
        return aligned([(row[0][0], *(text for _, text in row)) for row in rows])


class _OnBus(Source):
    """A bus, as the consumer sees it: the bus decides what has run out."""

    remote = True

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def receive(self) -> tuple[Delivery, str] | None:
        if (delivery := await self._bus.receive()) is None:
            return None
        return delivery, f"{delivery.id}-{delivery.number}"

    async def empty(self) -> bool:
        return not (await self._bus.counts()).total

    async def refresh(self, message: MessageRecord) -> bool:
        return await self._bus.refresh(message.token)

    def holds(self, message: MessageRecord) -> bool:
        return True

    async def acknowledge(self, message: MessageRecord) -> bool:
        return await self._bus.acknowledge(message.token)


def consume(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    bus: Bus | None = None,
    budget: float = 1.5,
    clock: Clock = "real",
    jitter: float = 0.0,
    seed: int = 0,
) -> BusRun:
    """Run the consumer on a real bus, in real time, and return what it did.

    It is the consumer of :func:`ontime.leases.consume` with four receivers.  The bus
    decides whether a lease has run out; then it delivers the message again.  The wait
    ``refresh`` stands for the way to a distant bus, and the call comes after it.  The
    run ends when the bus is empty, or when enough has been computed: a consumer that
    loses every lease would never end.

    Args:
        settings: what there is to do; :data:`SETTINGS` if not given.
        scheduler: as of :func:`ontime.leases.consume`, but no model.
        bus: one that is not open and has the lease of the settings; if not given, an
            :class:`SQLiteBus` in a temporary folder.
        budget: the run ends, even if messages are left, when it has computed this many
            times the rounds that the messages need.
        clock: ``"real"``: measured, on a loop in a thread of its own; ``"virtual"``:
            exact, with an :class:`SQLiteBus`, whose calls take no time on that clock.
        jitter: of timers on the virtual clock, see :func:`ontime.leases.consume`.
        seed: seeds the jitter.

    Raises:
        ExceptionGroup: of a :class:`BusError` for every task that met it; messages that
            are in the bus stay in it.

    Introduced in the chapter *Put the lease first*.
    """
    settings = settings or SETTINGS
    name, machine, new_loop = resolve(scheduler, clock, jitter=jitter, seed=seed)
    with tempfile.TemporaryDirectory(prefix="looplab-bus-") as folder:
        used = bus or SQLiteBus(Path(folder) / "bus.db", lease=settings.lease)
        most_rounds = budget * settings.messages * settings.rounds
        consumer = Consumer(
            settings, machine, _OnBus(used),
            receivers=RECEIVERS, most_rounds=most_rounds,
        )  # fmt: skip

        async def main() -> tuple[float, Counts]:
            async with used:
                await used.put(*(f"message {n}" for n in range(settings.messages)))
                return await consumer.run(), await used.counts()

        makespan, left = run_on(clock, main(), loop_factory=new_loop)
    return BusRun(
        **consumer.facts,
        scheduler=name,
        makespan=makespan,
        clock=clock,
        bus=used.name,
        left=left,
    )


def compare(
    settings: LeaseSettings | None = None,
    *,
    bus: Callable[[], Bus] | None = None,
    **options: Any,
) -> BusRuns:
    """Run the consumer on the stock loop, then on the priority loop.

    Args:
        settings: see :func:`consume`.
        bus: makes a bus for each run, an empty one; if not given, an
            :class:`SQLiteBus` in a temporary folder.
        options: passed on to :func:`consume`.

    Introduced in the chapter *Put the lease first*.
    """
    return BusRuns(
        consume(settings, scheduler, bus=bus and bus(), **options)
        for scheduler in (None, ByPriority())
    )
