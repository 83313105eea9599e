"""The consumer on a bus that is a number, on the virtual clock or in real time."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from looplab._numbers import NS, count_of, seconds_of
from looplab.clock.running import Clock, check_clock, run_on
from looplab.trace import record
from ontime.leases.consumer import Consumer, Source
from ontime.leases.results import LeaseRun, LeaseRuns, MessageRecord
from ontime.leases.schedulers import resolve
from ontime.leases.settings import LeaseSettings

__all__ = ["consume", "consume_many"]


class _Simulated(Source):
    """So many messages, and leases that are a comparison."""

    def __init__(self, settings: LeaseSettings) -> None:
        self._waiting = deque(range(settings.messages))
        self._lease_ns = round(settings.lease * NS)

    async def receive(self) -> tuple[int, str] | None:
        if not self._waiting:
            return None
        number = self._waiting.popleft()
        return number, str(number)

    async def empty(self) -> bool:
        return not self._waiting

    def holds(self, message: MessageRecord) -> bool:
        # Whole nanoseconds, as the clock has them: 0.3 is not 0.1 + 0.2.
        return round(message.checks[-1].age * NS) <= self._lease_ns


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
            * ``ByPriority`` or ``ByDeadline``: the policy of a priority loop; the class
              ``PriorityEventLoop`` stands for ``ByPriority()``;
            * a :class:`Window`: the thread of a desktop window, modelled;
            * a :class:`ThreadPool`: threads, modelled.

        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the jitter: the same seed gives the same run.
        callback_cost: seconds of CPU charged for every callback of the loop.
        clock: ``"virtual"``: exact, in a moment; ``"real"``: measured, in real time, on
            a loop in a thread of its own, where computing is a busy loop.
        trace: keep what :attr:`LeaseRun.trace` and :meth:`LeaseRun.timeline` show.

    Raises:
        TypeError: *scheduler* is something else.
        ValueError: *clock* is neither, or a time is negative, infinite or not a number,
            or a real clock is asked for jitter, for a callback cost or for a model.

    Introduced in the chapter *Put the lease first*.
    """
    settings = settings or LeaseSettings()
    check_clock(clock)
    for name, value in ("jitter", jitter), ("callback_cost", callback_cost):
        if seconds_of(value, name) and clock == "real":
            raise ValueError(
                f"{name} is {value} s: a real clock has its own, so leave it out"
            )
    scheduling = resolve(
        scheduler, clock, jitter=jitter, seed=seed, callback_cost=callback_cost
    )
    yields_before = scheduling.machine.yields
    consumer = Consumer(settings, scheduling.machine, _Simulated(settings))
    kept = None
    if trace:
        kept = record(consumer.run(), clock=clock, loop_factory=scheduling.new_loop)
    else:
        run_on(clock, consumer.run(), loop_factory=scheduling.new_loop)
    yields = scheduling.machine.yields
    return LeaseRun(
        settings=settings,
        scheduler=scheduling.name,
        messages=tuple(consumer.messages),
        makespan=max(message.closed_at for message in consumer.messages),
        held=consumer.most_held,
        yields=None if yields is None else yields - (yields_before or 0),
        refresh_lateness=tuple(consumer.lateness),
        threads=scheduling.machine.threads,
        clock=clock,
        _trace=kept,
    )


def consume_many(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    runs: int = 20,
    jitter: float = 0.001,
    seed: int = 0,
    callback_cost: float = 0.0,
) -> LeaseRuns:
    """Run the consumer *runs* times, each with another jitter, and return the runs.

    An exact run is exact for one set-up.  Where timers fall on round numbers, two of
    them can meet by coincidence; the spread over jitter shows how much of an answer is
    that.  The jitter is seeded, so the spread is as exact as a single run.

    Args:
        settings: what there is to do; the published settings if not given.
        scheduler: see :func:`consume`.
        runs: how many runs, 1 or more.
        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the seeds of the runs.
        callback_cost: seconds of CPU charged for every callback of the loop.

    Raises:
        TypeError: *runs* is not a whole number; or see :func:`consume`.
        ValueError: *runs* is below 1; or see :func:`consume`.

    Introduced in the chapter *Put the lease first*.
    """
    seeds = random.Random(seed)
    return LeaseRuns(
        consume(
            settings,
            scheduler,
            jitter=jitter,
            seed=seeds.getrandbits(64),
            callback_cost=callback_cost,
        )
        for _ in range(count_of(runs, "runs"))
    )
