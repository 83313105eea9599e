"""Run the consumer on a bus that is a number, once or often, and what it did."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from looplab.clock.running import Clock, run_on
from looplab.phases import Spread
from looplab.timeline import Timeline
from looplab.trace import Trace, record
from ontime.leases.consumer import Consumer, LeaseSettings, MessageRecord, Source
from ontime.leases.schedulers import resolve
from ontime.measuring.tables import as_html, as_time, range_of

__all__ = ["LeaseRun", "LeaseRuns", "State", "consume", "consume_many"]


class State(NamedTuple):
    """The counts of a run at a moment.

    Attributes:
        received: messages that had been received.
        success: those whose lease's task had noticed that they were done.
        failed: those that had lost their lease.
    """

    received: int
    success: int
    failed: int

    def __str__(self) -> str:
        """Received, done, lost, and what was received and is neither."""
        running = self.received - self.success - self.failed
        return f"{self.received}/{self.success}/{self.failed}/{running}"


@dataclass(frozen=True, kw_only=True, repr=False)
class LeaseRun:
    """What one run of the consumer did.  Times are in seconds.

    Attributes:
        settings: what it had to do.
        scheduler: the name of what decided the order.
        messages: one record for each receipt, in order.
        makespan: from the start until everything had ended.
        held: how many messages were held at once, at most.
        worst_lateness: by how much a task of a lease went on too late after a wait, at
            worst.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if they are measured.
        yields: how often a task gave its turn back, if the scheduler counts that.
        threads: how many threads a modelled pool had at the end.
        trace: everything that the loop ran, if it was kept.
    """

    settings: LeaseSettings
    scheduler: str
    messages: tuple[MessageRecord, ...]
    makespan: float
    held: int
    worst_lateness: float
    clock: Clock
    yields: int | None = None
    threads: int | None = None
    trace: Trace | None = field(default=None, compare=False)

    @property
    def processed(self) -> int:
        """How many messages were finished under a lease."""
        return len(self.messages) - self.lost

    @property
    def lost(self) -> int:
        """How many messages lost their lease."""
        return sum(message.lost for message in self.messages)

    @property
    def stretch(self) -> float:
        """The makespan as a multiple of the floor of the settings."""
        return self.makespan / self.settings.floor

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

    def timeline(self, **settings: Any) -> Timeline:
        """Return the run as a picture, if it kept a trace.

        Args:
            settings: passed on to :class:`looplab.Timeline`: ``start``, ``end``, …
        """
        assert self.trace is not None, "give consume() trace=True"
        colours = {"receive": "green"}
        return Timeline(self.trace, probe="lease", colours=colours, **settings)

    def _facts(self) -> list[tuple[str, str]]:
        how = "exact" if self.clock == "virtual" else "measured"
        ages = [check.age for message in self.messages for check in message.checks]
        facts = [
            ("scheduler", self.scheduler),
            ("processed", f"{self.processed:,}"),
            ("lost", f"{self.lost:,}"),
            ("makespan", f"{as_time(self.makespan)} ({how})"),
            ("floor, if none is lost", f"{as_time(self.settings.floor)} of CPU"),
            ("a processed message", range_of(self.times) if self.times else None),
            ("messages held at once", f"up to {self.held:,}"),
            ("oldest lease at a check", as_time(max(ages)) if ages else None),
            ("worst refresh lateness", as_time(self.worst_lateness)),
            ("yields", None if self.yields is None else f"{self.yields:,}"),
            ("threads", None if self.threads is None else f"up to {self.threads:,}"),
        ]
        return [(name, text) for name, text in facts if text is not None]

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.processed} processed, {self.lost} lost "
            f"in {as_time(self.makespan)}, {self.scheduler}>"
        )

    def _repr_html_(self) -> str:
        return as_html(self._facts())


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


def consume(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
    clock: Clock = "virtual",
    trace: bool = False,
) -> LeaseRun:
    """Run the consumer and return what became of its messages.

    Args:
        settings: what there is to do; the published settings if not given.
        scheduler: what decides who has the thread next:

            * ``None``: the loop's own order, first come first served;
            * a ``PriorityProtocol`` or a ``PriorityGate``;
            * ``ByPriority`` or ``ByDeadline``: the policy of a priority loop;
            * a :class:`Window`: the thread of a desktop window, modelled;
            * a :class:`ThreadPool`: threads, modelled.

        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the jitter: the same seed gives the same run.
        callback_cost: seconds of CPU charged for every callback of the loop.
        clock: ``"virtual"``: exact, in a moment; ``"real"``: measured, in real time, on
            a loop in a thread of its own, where computing is a busy loop and nothing is
            modelled.
        trace: keep the trace of a loop, which :meth:`LeaseRun.timeline` shows.

    Introduced in the chapter *Put the lease first*.
    """
    settings = settings or LeaseSettings()
    name, machine, new_loop = resolve(
        scheduler, clock, jitter=jitter, seed=seed, callback_cost=callback_cost
    )
    before = getattr(machine.turns, "yields", None)
    consumer = Consumer(settings, machine, Source(settings))
    run: Any = record if trace else run_on
    kept = run(clock=clock, main=consumer.run(), loop_factory=new_loop)
    return LeaseRun(
        **consumer.facts,
        scheduler=name,
        makespan=max(message.closed_at for message in consumer.messages),
        clock=clock,
        yields=None if before is None else machine.turns.yields - before,
        threads=machine.threads,
        trace=kept if trace else None,
    )


def consume_many(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    runs: int = 20,
    jitter: float = 0.001,
    callback_cost: float = 0.0,
) -> LeaseRuns:
    """Run the consumer *runs* times, each with another jitter, and return the runs.

    An exact run is exact for one set-up.  Where timers fall on round numbers, two of
    them can meet by coincidence; the spread over jitter shows how much of an answer is
    that.  The jitter is seeded, so the spread is as exact as a single run.

    Args:
        settings: see :func:`consume`, and so for what is not named here.
        scheduler: see there.
        runs: how many runs.
        jitter: see there.
        callback_cost: see there.

    Introduced in the chapter *Put the lease first*.
    """
    seeds = random.Random(0)
    kind = partial(consume, jitter=jitter, callback_cost=callback_cost)
    return LeaseRuns(
        kind(settings, scheduler, seed=seeds.getrandbits(64)) for _ in range(runs)
    )
