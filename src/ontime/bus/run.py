"""The consumer of :mod:`ontime.leases`, on a real bus."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from looplab.clock.running import Clock, run_on
from looplab.priority import PriorityEventLoop
from ontime.bus.base import Bus, BusError, Counts, Delivery
from ontime.bus.results import BusRun, BusRuns, DeliveryRecord
from ontime.bus.sqlite import SQLiteBus
from ontime.leases.consumer import Consumer, Held
from ontime.leases.schedulers import Scheduling, resolve
from ontime.leases.settings import LeaseSettings

__all__ = ["SETTINGS", "compare", "consume"]

#: Settings for real time.  The lease and the waits are the published ones, shortened; a
#: round computes less of a lease than theirs, so that one has room on a busy machine.
SETTINGS = LeaseSettings(messages=20, rounds=5, cpu=0.125).scaled(0.4)
RECEIVERS = 4


class _OnBus:
    """A bus, as the consumer sees it: the bus decides what has run out."""

    remote = True

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def receive(self) -> tuple[Delivery, str] | None:
        delivery = await self._bus.receive()
        if delivery is None:
            return None
        return delivery, f"{delivery.id}-{delivery.number}"

    async def empty(self) -> bool:
        return not (await self._bus.counts()).total

    def holds(self, held: Held) -> bool:
        return True

    async def refresh(self, held: Held) -> bool:
        return await self._bus.refresh(held.token)

    async def acknowledge(self, held: Held) -> bool:
        return await self._bus.acknowledge(held.token)


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

    It is the consumer of :func:`ontime.leases.consume`, but for this:

    * the bus decides whether a lease has run out, and a message whose lease has run out
      is delivered again, to this consumer or another;
    * the wait ``refresh`` stands for the way to a distant bus, and the call of the real
      one comes after it;
    * there are four receivers;
    * the run ends when the bus is empty.  A consumer that loses every lease would never
      end, so it ends too when it has computed enough.

    In real time it runs on an event loop in a thread of its own.

    Args:
        settings: what there is to do; :data:`SETTINGS` if not given.
        scheduler: what decides who has the thread next: ``None`` for the stock loop,
            ``PriorityEventLoop``, ``ByPriority`` or ``ByDeadline`` for that loop, a
            ``PriorityGate`` or a ``PriorityProtocol`` on the stock loop.
        bus: one that is not open and has the lease of the settings; if not given, an
            :class:`SQLiteBus` in a temporary folder.
        budget: the run ends, even if messages are left, when it has computed this many
            times the rounds that the messages need.
        clock: ``"real"``: measured; ``"virtual"``: exact, with an :class:`SQLiteBus`,
            whose calls take no time on that clock.
        jitter: seconds; on the virtual clock every timer fires late by a random time
            from 0 to this.
        seed: seeds the jitter.

    Raises:
        ValueError: the lease of the bus is not that of the settings, or *receive* is 0.
        BusError: see :mod:`ontime.bus`; messages that are in the bus stay in it.
        RuntimeError: see :func:`looplab.run_real`.

    Introduced in the chapter *Put the lease first*.
    """
    settings = settings or SETTINGS
    if not settings.receive:
        raise ValueError("receive is 0 s: an empty bus would be asked without a wait")
    if bus is not None and bus.lease != settings.lease:
        raise ValueError(
            f"the bus has a lease of {bus.lease:g} s and the settings one of "
            f"{settings.lease:g} s: make the bus with lease=settings.lease"
        )
    scheduling = resolve(scheduler, clock, jitter=jitter, seed=seed)
    with tempfile.TemporaryDirectory(prefix="looplab-bus-") as folder:
        bus = bus or SQLiteBus(Path(folder) / "bus.db", lease=settings.lease)
        return _consume(settings, scheduling, bus, budget, clock)


def _consume(
    settings: LeaseSettings,
    scheduling: Scheduling,
    bus: Bus,
    budget: float,
    clock: Clock,
) -> BusRun:
    consumer = Consumer(settings, scheduling.machine, _OnBus(bus), receivers=RECEIVERS)
    consumer.most_rounds = budget * settings.messages * settings.rounds

    async def main() -> tuple[float, Counts]:
        async with bus:
            await bus.put(*(f"message {n}" for n in range(settings.messages)))
            return await consumer.run(), await bus.counts()

    try:
        makespan, left = run_on(clock, main(), loop_factory=scheduling.new_loop)
    except BaseExceptionGroup as group:
        # A bus that fails fails for every task: say it once.
        failures, rest = group.split(BusError)
        if failures is None or rest is not None:
            raise
        error: BaseException = failures
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__
    return BusRun(
        settings=settings,
        scheduler=scheduling.name,
        bus=bus.name,
        deliveries=tuple(map(_record, consumer.messages)),
        makespan=makespan,
        held=consumer.most_held,
        refresh_lateness=tuple(consumer.lateness),
        left=left,
        clock=clock,
    )


def _record(held: Held) -> DeliveryRecord:
    delivery: Delivery = held.token
    assert held.outcome is not None, "the run has ended, and so has its processing"
    assert held.ended_at is not None, "so it has"
    return DeliveryRecord(
        delivery.id,
        delivery.number,
        held.received_at,
        held.ended_at,
        held.rounds,
        held.outcome,
    )


def compare(
    settings: LeaseSettings | None = None,
    schedulers: Iterable[Any] = (None, PriorityEventLoop),
    *,
    bus: Callable[[], Bus] | None = None,
    **options: Any,
) -> BusRuns:
    """Run the consumer once with each scheduler, one after the other.

    Args:
        settings: see :func:`consume`.
        schedulers: see :func:`consume`; the stock loop and the priority loop if not
            given.
        bus: makes a bus for each run, an empty one; if not given, an
            :class:`SQLiteBus` in a temporary folder.
        options: passed on to :func:`consume`.

    Introduced in the chapter *Put the lease first*.
    """
    return BusRuns(
        tuple(
            consume(settings, scheduler, bus=bus and bus(), **options)
            for scheduler in schedulers
        )
    )
