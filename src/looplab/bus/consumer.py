"""The consumer of :mod:`looplab.leases`, on a real bus and in real time."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Literal, TypeVar

from looplab import clock as _clock
from looplab.bus.base import Bus, BusError, Counts, Delivery
from looplab.bus.sqlite import SQLiteBus
from looplab.leases import Clock, LeaseSettings, aligned
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    VirtualPriorityLoop,
    priority,
)
from looplab.priority.context import DEADLINE, context_with

__all__ = ["SETTINGS", "BusRun", "BusRuns", "DeliveryRecord", "compare", "consume"]

T = TypeVar("T")

#: Settings for real time.  The lease and the waits are the published ones, shortened; a
#: round computes less of a lease than theirs, so that one has room on a busy machine.
SETTINGS = LeaseSettings(messages=20, rounds=5, cpu=0.125).scaled(0.4)

Outcome = Literal["done", "lost", "stopped"]


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
        return sum(one.outcome == "done" for one in self.deliveries)

    @property
    def redelivered(self) -> int:
        """How many deliveries were of a message that had been delivered before."""
        return sum(one.number > 1 for one in self.deliveries)

    @property
    def lost_leases(self) -> int:
        """How many deliveries lost their lease."""
        return sum(one.outcome == "lost" for one in self.deliveries)

    @property
    def stopped(self) -> bool:
        """Whether the time was up before all messages were processed."""
        return any(one.outcome == "stopped" for one in self.deliveries) or bool(
            self.left.total
        )

    @property
    def floor(self) -> float:
        """Seconds of CPU that the processed messages needed."""
        return self.processed * self.settings.rounds * self.settings.cpu

    @property
    def wasted(self) -> float:
        """Seconds of CPU that went into deliveries that were not finished."""
        return self.settings.cpu * sum(
            one.rounds for one in self.deliveries if one.outcome != "done"
        )

    @property
    def worst_lateness(self) -> float:
        """The worst lateness of a refresh: how long a lease waited for the thread."""
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
        top = f'<th scope="row">{escape(head[0])}</th>' + "".join(
            f'<th scope="col">{escape(cell)}</th>' for cell in head[1:]
        )
        body = "".join(
            f'<tr><th scope="row">{escape(name)}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for name, *cells in rows
        )
        return (
            f'<table class="looplab-leases"><thead><tr>{top}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
        )


class _Consumer:
    def __init__(
        self, settings: LeaseSettings, bus: Bus, turns: Any, receivers: int
    ) -> None:
        self._settings = settings
        self._bus = bus
        self._turns = turns
        self._receivers = receivers
        self._records: list[DeliveryRecord] = []
        self._lateness: list[float] = []
        self._held = self._most_held = 0
        self._room: list[asyncio.Future[None]] = []  # of those who wait for it
        self._started_at = self._stop_at = math.inf
        self._rounds = 0
        self._most_rounds = math.inf

    async def run(
        self, fill: bool, budget: float, stop_after: float
    ) -> tuple[float, Counts]:
        """Consume until the bus is empty or it has been enough."""
        settings, bus = self._settings, self._bus
        async with bus:
            if fill:
                await bus.put(*(f"message {n}" for n in range(settings.messages)))
            found = (await bus.counts()).total
            self._most_rounds = budget * found * settings.rounds
            self._time = asyncio.get_running_loop().time
            self._started_at = self._time()
            self._stop_at = self._started_at + stop_after
            async with asyncio.TaskGroup() as self._tasks:
                for n in range(self._receivers):
                    self._start(
                        self._receive(), f"receive-{n}", settings.receive_priority
                    )
            del self._tasks
            return self._time() - self._started_at, await bus.counts()

    def _start(
        self,
        work: Coroutine[Any, Any, None],
        name: str,
        level: int,
        deadline: float = math.inf,
    ) -> None:
        context = context_with(level, deadline)
        # The group's callback for the end of a task has the priority of this code, and
        # a failure must not be noticed only after all other work.
        with priority(self._settings.lease_priority):
            self._tasks.create_task(work, name=name, context=context)

    async def _on(self, call: Awaitable[T], level: int) -> T:
        """Wait for *call*, then for this task's turn."""
        result = await call
        if self._turns is not None:
            await self._turns.turn(level)
        return result

    def _enough(self) -> bool:
        return self._rounds >= self._most_rounds or self._time() >= self._stop_at

    async def _receive(self) -> None:
        settings, level = self._settings, self._settings.receive_priority
        while True:
            while settings.limit is not None and self._held >= settings.limit:
                room = asyncio.get_running_loop().create_future()
                self._room.append(room)
                await room
            await self._on(asyncio.sleep(settings.receive), level)
            if self._enough():
                return
            # The lease runs from the moment that the bus hands a message out, so its
            # keeper has to be started as urgently as it is to run.
            with priority(settings.lease_priority):
                delivery = await self._on(self._bus.receive(), settings.lease_priority)
            if delivery is None:
                if not self._held and not (await self._bus.counts()).total:
                    return
                continue
            self._held += 1
            self._most_held = max(self._most_held, self._held)
            work = _Work(delivery, self._time())
            label = f"{delivery.id}-{delivery.number}"
            ends = work.received_at + settings.lease
            self._start(
                self._keep_lease(work),
                f"lease-{label}",
                settings.lease_priority,
                ends,
            )
            self._start(
                self._process(work),
                f"message-{label}",
                settings.work_priority,
                math.inf
                if settings.work_deadline is None
                else work.received_at + settings.work_deadline,
            )

    async def _keep_lease(self, work: _Work) -> None:
        settings, level = self._settings, self._settings.lease_priority
        while True:
            for seconds in settings.refresh_every, settings.refresh:
                due = self._time() + seconds
                await self._on(asyncio.sleep(seconds), level)
                if work.outcome is not None:
                    return
                self._lateness.append(self._time() - due)
            kept = await self._on(self._bus.refresh(work.delivery), level)
            if work.outcome is not None:
                return
            if not kept:
                work.lost = True
                return
            DEADLINE.set(self._time() + settings.lease)

    async def _process(self, work: _Work) -> None:
        settings, level = self._settings, self._settings.work_priority
        if self._turns is not None:
            await self._turns.turn(level)
        outcome: Outcome = "done"
        for _ in range(settings.rounds):
            _clock.burn(settings.cpu)
            work.rounds += 1
            self._rounds += 1
            await self._on(asyncio.sleep(settings.io), level)
            if work.lost:
                outcome = "lost"
                break
            if self._enough() and work.rounds < settings.rounds:
                outcome = "stopped"
                break
        else:
            if not await self._on(self._bus.acknowledge(work.delivery), level):
                outcome = "lost"
        work.outcome = outcome
        self._records.append(
            DeliveryRecord(
                work.delivery.id,
                work.delivery.number,
                work.received_at - self._started_at,
                self._time() - self._started_at,
                work.rounds,
                outcome,
            )
        )
        self._held -= 1
        for room in self._room:
            if not room.done():
                room.set_result(None)
        self._room.clear()

    def records(self) -> tuple[DeliveryRecord, ...]:
        """In the order of receipt."""
        return tuple(sorted(self._records, key=lambda one: one.received_at))


class _Work:
    __slots__ = ("delivery", "lost", "outcome", "received_at", "rounds")

    def __init__(self, delivery: Delivery, received_at: float) -> None:
        self.delivery = delivery
        self.received_at = received_at
        self.rounds = 0
        self.lost = False
        self.outcome: Outcome | None = None


def consume(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    bus: Bus | None = None,
    receivers: int = 4,
    fill: bool = True,
    budget: float = 1.5,
    stop_after: float = math.inf,
    clock: Clock = "real",
    jitter: float = 0.0,
    seed: int = 0,
) -> BusRun:
    """Run the consumer on a real bus, in real time, and return what it did.

    It is the consumer of :func:`looplab.leases.consume`, but for this:

    * the bus decides whether a lease has run out, and a message whose lease has run out
      is delivered again, to this consumer or another;
    * the wait ``refresh`` stands for the way to a distant bus, and the call of the real
      one comes after it;
    * there can be several receivers;
    * the run ends when the bus is empty.  A consumer that loses every lease would never
      end, so it ends too when it has computed enough.

    In real time it runs on an event loop in a thread of its own.

    Args:
        settings: what there is to do; :data:`SETTINGS` if not given.
        scheduler: what decides who has the thread next: ``None`` for the stock loop,
            ``PriorityEventLoop``, ``ByPriority`` or ``ByDeadline`` for that loop, a
            ``PriorityGate`` or a ``PriorityProtocol`` on the stock loop.
        bus: one that is not open; if not given, an :class:`SQLiteBus` in a temporary
            folder.
        receivers: how many tasks receive.
        fill: put ``settings.messages`` messages first; else work off what is there.
        budget: the run ends, even if messages are left, when it has computed this many
            times the rounds that the messages need.
        stop_after: seconds after which it ends too.
        clock: ``"real"``: measured; ``"virtual"``: exact, with an :class:`SQLiteBus`,
            whose calls take no time on that clock.
        jitter: seconds; on the virtual clock every timer fires late by a random time
            from 0 to this.
        seed: seeds the jitter.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: the lease of the bus is not that of the settings; a value is out of
            range.
        BusError: see :mod:`looplab.bus`; messages that are in the bus stay in it.
        RuntimeError: see :func:`looplab.run_real`.

    Introduced in the chapter *Put the lease first*.
    """
    if settings is None:
        settings = SETTINGS
    if not isinstance(settings, LeaseSettings):
        raise TypeError(
            f"consume() takes LeaseSettings, not {type(settings).__name__}: write "
            "LeaseSettings(messages=10).scaled(1 / 50)"
        )
    _check_options(receivers, budget, stop_after)
    if not settings.receive:
        raise ValueError(
            "receive is 0 s: an empty bus would be asked for ever without a wait; "
            "give it a time"
        )
    if clock not in ("virtual", "real"):
        raise ValueError(f'clock is {clock!r}: give "virtual" or "real"')
    if clock == "real" and jitter:
        raise ValueError(
            f"jitter is {jitter} s: a real clock has its own, so leave it out"
        )
    name, turns, new_loop = _resolve(scheduler, clock, jitter, seed)
    if bus is None:
        with tempfile.TemporaryDirectory(prefix="looplab-bus-") as folder:
            temporary = SQLiteBus(Path(folder) / "bus.db", lease=settings.lease)
            return consume(
                settings,
                scheduler,
                bus=temporary,
                receivers=receivers,
                fill=fill,
                budget=budget,
                stop_after=stop_after,
                clock=clock,
                jitter=jitter,
                seed=seed,
            )
    if not isinstance(bus, Bus):
        raise TypeError(
            f"bus is {bus!r:.60}, a {type(bus).__name__}: give an SQLiteBus or a "
            "RedisBus"
        )
    if clock == "virtual" and not isinstance(bus, SQLiteBus):
        raise ValueError(
            f"{bus!r} answers in real time: leave clock out, or give an SQLiteBus"
        )
    if bus.lease != settings.lease:
        raise ValueError(
            f"the bus has a lease of {bus.lease:g} s and the settings one of "
            f"{settings.lease:g} s: make the bus with lease=settings.lease"
        )
    consumer = _Consumer(settings, bus, turns, receivers)
    main = consumer.run(fill, budget, stop_after)
    try:
        if clock == "real":
            makespan, left = _clock.run_real(main, loop_factory=new_loop)
        else:
            with (
                _clock._running_loop_set_aside(),
                asyncio.Runner(loop_factory=new_loop) as runner,
            ):
                makespan, left = runner.run(main)
    except BaseExceptionGroup as group:
        # A bus that fails fails for every task: say it once.
        failures = group.split(BusError)
        if failures[0] is None or failures[1] is not None:
            raise
        error = _first(failures[0])
        raise error from error.__cause__
    return BusRun(
        settings=settings,
        scheduler=name,
        bus=bus.name,
        deliveries=consumer.records(),
        makespan=makespan,
        held=consumer._most_held,
        refresh_lateness=tuple(consumer._lateness),
        left=left,
        clock=clock,
    )


def _first(group: BaseExceptionGroup[BusError]) -> BusError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, BusError)
    return error


def _check_options(receivers: object, budget: object, stop_after: object) -> None:
    if isinstance(receivers, bool) or not isinstance(receivers, int):
        raise TypeError(
            f"receivers is {receivers!r}, a {type(receivers).__name__}: give a whole "
            "number"
        )
    if receivers < 1:
        raise ValueError(f"receivers is {receivers}: give 1 or more")
    for what, value in ("budget", budget), ("stop_after", stop_after):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                f"{what} is {value!r}, a {type(value).__name__}: give a number"
            )
        if not value > 0:
            raise ValueError(f"{what} is {value}: give a number above 0")


def _resolve(
    scheduler: Any, clock: Clock, jitter: float, seed: int
) -> tuple[str, Any, Callable[[], asyncio.AbstractEventLoop] | None]:
    """Return the scheduler's name, what tasks ask for their turn, and the loop."""

    def stock() -> asyncio.AbstractEventLoop:
        return _clock.VirtualTimeLoop(jitter=jitter, seed=seed)

    def by_urgency() -> asyncio.AbstractEventLoop:
        if clock == "real":
            return PriorityEventLoop(scheduler)
        return VirtualPriorityLoop(scheduler, jitter=jitter, seed=seed)

    if scheduler is PriorityEventLoop or scheduler is VirtualPriorityLoop:
        scheduler = ByPriority()
    elif isinstance(scheduler, type):
        scheduler = scheduler()
    usual = stock if clock == "virtual" else None
    if scheduler is None:
        return "first come first served", None, usual
    if isinstance(scheduler, (ByPriority, ByDeadline)):
        return scheduler.name, None, by_urgency
    if callable(getattr(scheduler, "turn", None)):
        return getattr(scheduler, "name", type(scheduler).__name__), scheduler, usual
    raise TypeError(
        f"{scheduler!r:.60} is no scheduler: give None, PriorityEventLoop or another "
        "object of looplab.priority"
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

    Raises:
        TypeError: *bus* cannot be called; and see :func:`consume`.
        ValueError: there are no schedulers; and see :func:`consume`.
        BusError: see :func:`consume`.

    Introduced in the chapter *Put the lease first*.
    """
    if bus is not None and not callable(bus):
        raise TypeError(
            f"bus is {bus!r:.60}: give a function that makes a bus for each run"
        )
    chosen = list(schedulers)
    if not chosen:
        raise ValueError("there are no schedulers: give one or more")
    return BusRuns(
        tuple(
            consume(settings, scheduler, bus=None if bus is None else bus(), **options)
            for scheduler in chosen
        )
    )
