"""The extra exercises of chapter 7, *Put the lease first*.

=============  =====================================================================
``07-xslack``    a function ``latest_start(piece, urgent, cost)``
``07-xlease``    an async function ``under_lease(steps, renew, lease)``
``07-xinvert``   an async function ``refresh(lock, fetch, store)``
``07-xage``      a function ``next_job(waiting, now)``
``07-xdue``      a function ``next_job(ready, now)``
=============  =====================================================================
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from looplab.clock import burn
from looplab.priority import VirtualPriorityLoop, current_priority, priority
from ontime.check.backpressure.flow import cause
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    need_awaitable,
    need_function,
    need_number,
    now,
    simulate,
)
from ontime.check.verdict import NotYet

# 07-xslack: how late the last of several urgent tasks may begin


@exercise("07-xslack")
def check_slack(answer: Any) -> str:
    """The answer is a plain function ``latest_start(piece, urgent, cost)``.

    On a priority loop so many *urgent* tasks fall due in one moment; each computes for
    *cost* seconds.  Beside them others compute in pieces of up to *piece* seconds.  It
    returns how late the last of the urgent ones may begin, at worst.
    """
    need_function(answer, "latest_start")
    cases = [(1.0, 1, 0.1), (0.5, 4, 0.25), (0.01, 100, 0.002), (2.0, 3, 0.0)]
    for piece, urgent, cost in cases:
        said = need_number(
            answer(piece, urgent, cost), "latest_start", "a number of seconds"
        )
        seen = simulate(_last_begins(piece, urgent, cost), new_loop=VirtualPriorityLoop)
        if abs(said - seen) <= 1e-5 * max(1.0, seen):
            continue
        if abs(said - (seen - piece)) < 1e-5:
            hint = "nothing interrupts a piece that has just begun"
        elif abs(said - (seen + cost)) < 1e-5:
            hint = "the last one waits for the others, and not for itself"
        elif urgent == 1:
            hint = "one urgent task waits for one piece, whatever it costs itself"
        else:
            hint = "first the piece that runs, then those of the same priority"
        raise NotYet(
            f"{urgent} urgent tasks of {cost:g} s beside pieces of {piece:g} s: you "
            f"say {said:g} s, and in the run the last one began {seen:g} s late.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the priority loop."


async def _last_begins(piece: float, urgent: int, cost: float) -> float:
    began: list[float] = []
    due = 10.0

    async def others() -> None:
        await asyncio.sleep(due - 1e-6)  # the piece has just begun
        for _ in range(5):
            burn(piece)
            await asyncio.sleep(0)

    async def important() -> None:
        await asyncio.sleep(due)
        began.append(now() - due)
        burn(cost)

    async with asyncio.TaskGroup() as tasks:
        with priority(1):
            for _ in range(2):
                tasks.create_task(others())
        with priority(3):
            for _ in range(urgent):
                tasks.create_task(important())
    return max(began)


# 07-xlease: the lease is kept by a task of its own


class LeaseLost(Exception):  # noqa: N818 (a word of the chapter)
    """The bus has given the message to somebody else."""


class _Lease:
    """A message under a lease, beside others that keep the thread busy."""

    def __init__(self, lease: float, lost_at: float | None = None) -> None:
        self.lease, self.lost_at = lease, lost_at
        self.renewals: list[float] = []
        self.steps: list[float] = []
        self.levels: set[int] = set()

    async def renew(self) -> None:
        if self.lost_at is not None and now() >= self.lost_at:
            raise LeaseLost("the lease is somebody else's")
        await asyncio.sleep(0.05)
        self.renewals.append(now())

    def step(self, cpu: float) -> Callable[[], Any]:
        async def compute() -> None:
            self.levels.add(current_priority())
            burn(cpu)
            await asyncio.sleep(0.1)
            self.steps.append(now())

        return compute


async def _crowd(until: float) -> None:
    """Ten others, who compute for half a second at a time."""

    async def other() -> None:
        while now() < until:
            burn(0.5)
            await asyncio.sleep(0.05)  # noqa: LAG203 (it waits for nothing)

    with priority(2):
        await asyncio.gather(*(other() for _ in range(10)))


@exercise("07-xlease")
def check_lease(answer: Any) -> str:
    """The answer is an async function ``under_lease(steps, renew, lease)``.

    It awaits each of the *steps* in turn, and meanwhile ``renew()``, so often that no
    two renewals are *lease* seconds apart.  An error of ``renew`` ends the work.
    """
    need_async_function(answer, "under_lease")
    longest = 0.0
    for lease, cpu, crowd in (
        (3.0, 0.5, 20.0),
        (3.0, 0.5, 0.0),
        (6.0, 1.5, 30.0),
        (30.0, 0.1, 0.0),
    ):
        longest = max(longest, _by_priority(_leased(answer, lease, cpu, crowd)))
    _by_priority(_lease_is_lost(answer))
    return f"renewals were at most {longest:.2f} of a lease apart, beside ten others."


def _by_priority(main: Any) -> Any:
    return simulate(main, new_loop=VirtualPriorityLoop)


async def _leased(answer: Any, lease: float, cpu: float, crowd: float) -> float:
    beside = asyncio.create_task(_crowd(crowd), name="heartbeat: the crowd")
    message = _Lease(lease)
    steps = [message.step(cpu) for _ in range(20)]
    where = f"a lease of {lease:g} s, steps of {cpu:g} s"
    where += ", ten others beside it" if crowd else ""
    began = now()
    with priority(2):
        work = answer(steps, message.renew, lease)
        need_awaitable(work, "under_lease")
        task = asyncio.ensure_future(work)
    await finished(task)
    ended = now()
    if len(message.steps) != len(steps):
        raise NotYet(
            f"{where}: {len(message.steps)} of {len(steps)} steps were done.",
            "await each step in turn",
        )
    if message.levels != {2}:
        raise NotYet(
            f"{where}: the steps ran at priority {max(message.levels)}.",
            "only what keeps the lease is urgent: if everything is, nothing is",
        )
    moments = [began, *message.renewals, ended]
    apart = max(later - sooner for sooner, later in pairwise(moments))
    if apart > lease:
        raise NotYet(
            f"{where}: for {apart:.2f} s nobody renewed.",
            _why_late(message, lease, bool(crowd)),
        )
    await beside
    await asyncio.sleep(3 * lease)
    if message.renewals and message.renewals[-1] > ended:
        raise NotYet(
            f"{where}: the lease was renewed after under_lease() had returned.",
            "cancel the task that keeps it when the work is done",
        )
    most = 4 * (ended - began) / lease + 2
    if len(message.renewals) > most:
        raise NotYet(
            f"{where}: {len(message.renewals)} renewals in {ended - began:.1f} s.",
            "each renewal is a call to the bus: a third of a lease is often enough",
        )
    return apart / lease


def _why_late(message: _Lease, lease: float, crowd: bool) -> str:
    if crowd:
        return (
            "the lease waits in the queue with everybody else: a task that is made "
            "inside 'with priority(3)' does not"
        )
    return "renew in a task of its own: a step may take longer than a lease bears"


async def _lease_is_lost(answer: Any) -> None:
    message = _Lease(3.0, lost_at=4.0)
    steps = [message.step(0.2) for _ in range(100)]
    with priority(2):
        task = asyncio.ensure_future(answer(steps, message.renew, 3.0))
    try:
        await finished(task)
    except (LeaseLost, BaseExceptionGroup) as error:
        if not isinstance(cause(error), LeaseLost):
            raise
    else:
        raise NotYet(
            "renew() raised LeaseLost, and under_lease() returned as if nothing had "
            "been.",
            "let a TaskGroup own the task that keeps the lease: its error ends all",
        )
    if message.steps and message.steps[-1] > 8:
        raise NotYet(
            f"renew() raised LeaseLost after 4 s, and the work went on until "
            f"{message.steps[-1]:.1f} s.",
            "work without a lease is for nothing: let its error end the work at once",
        )
    if await abandoned():
        raise NotYet("a task was left behind.", "let a TaskGroup own it")


# 07-xinvert: an urgent task waits for a lock


@exercise("07-xinvert")
def check_invert(answer: Any) -> str:
    """The answer is an async function ``refresh(lock, fetch, store)``.

    It awaits ``fetch()``, which computes for long, and ``store(data)``, which needs the
    lock.  Beside work of middling priority an urgent task must have the lock soon.
    """
    need_async_function(answer, "refresh")
    worst = 0.0
    for starts, held in (
        (0.35, False),
        (1.25, False),
        (1.0, False),
        (1.1, True),
        (5.0, False),
    ):
        worst = max(worst, _by_priority(_refreshed(answer, starts, held)))
    return f"an urgent task waits for the lock for {worst:.2f} s at most."


async def _refreshed(answer: Any, starts: float, held: bool) -> float:
    """How long the urgent task waited, with a crowd from *starts* to 10 s later.

    If the lock is *held* by somebody else from 0.9 to 1.3 s, the answer waits for it.
    """
    lock, done = asyncio.Lock(), list[str]()
    levels: set[int] = set()

    async def fetch() -> str:
        levels.add(current_priority())
        for _ in range(20):
            burn(0.05)
            await asyncio.sleep(0)
        done.append("fetched")
        return "data"

    async def store(data: str) -> None:
        if not lock.locked():
            raise NotYet(
                "store() was called without the lock.", "async with lock: around it"
            )
        await asyncio.sleep(0.5)
        done.append(f"stored {data}")

    async def crunch() -> None:
        await asyncio.sleep(starts)
        until = now() + 10
        while now() < until:
            burn(0.05)
            await asyncio.sleep(0)  # noqa: LAG201 (it makes room)

    async def urgent() -> float:
        await asyncio.sleep(starts + 0.1)
        asked = now()
        async with lock:
            return now() - asked

    async def before() -> None:
        await asyncio.sleep(0.9)
        async with lock:
            await asyncio.sleep(0.4)

    if held:
        with priority(3):
            other = asyncio.create_task(before())
    with priority(1):
        working = answer(lock, fetch, store)
        need_awaitable(working, "refresh")
        work = asyncio.ensure_future(working)
    with priority(2):
        crowd = asyncio.create_task(crunch())
    with priority(3):
        asking = asyncio.create_task(urgent())
    waited = await finished(asking)
    await finished(work)
    await crowd
    if held:
        await other
    if done != ["fetched", "stored data"]:
        raise NotYet(
            f"refresh() did {done}.", "fetch once, then store what was fetched"
        )
    if waited > 0.8:
        if levels == {3}:
            hint = (
                "the long computation is urgent now, and it holds the lock: only the "
                "short part needs either"
            )
        elif starts < 1:
            hint = "do not hold the lock while you fetch: only store() needs it"
        else:
            hint = (
                "whoever holds the lock has to be as urgent as whoever may wait for "
                "it, while it waits for the lock too: with priority(3) around 'async "
                "with lock'"
            )
        raise NotYet(
            f"work of middling priority began after {starts:g} s"
            f"{', while refresh() waited for the lock' if held else ''}, and the "
            f"urgent task waited for the lock for {waited:.2f} s.",
            hint,
        )
    if levels != {1}:
        raise NotYet(
            f"fetch() ran at priority {max(levels)}.",
            "the long computation is not urgent: only the store is, as it holds the "
            "lock",
        )
    return waited


# 07-xage: who has waited long rises

_STEP = 10.0


class Waiting(NamedTuple):
    """A job that waits: its priority, and since when."""

    priority: int
    since: float


def _aged(one: Waiting, at: float) -> float:
    return one.priority + (at - one.since) / _STEP


@exercise("07-xage")
def check_age(answer: Any) -> str:
    """The answer is a plain function ``next_job(waiting, now)``.

    *waiting* holds ``(priority, since)`` in the order in which they came.  It returns
    the place in it of the job to be served: the highest priority first, where a job
    rises by one level in each 10 s that it waits, gradually; among equals the first.
    """
    need_function(answer, "next_job")
    served = _served_by(answer)
    chance = random.Random(7)
    for _ in range(300):
        at = 100.0
        waiting = sorted(
            (
                Waiting(chance.randrange(4), at - chance.randrange(17) * 2.5)
                for _ in range(chance.randrange(1, 7))
            ),
            key=lambda one: one.since,
        )
        _judge_age(answer, waiting, at)
    return f"the batch job was served after {served:g} s, and every choice is right."


def _judge_age(answer: Any, waiting: list[Waiting], at: float) -> int:
    """The place that the answer names, if it is the right one."""
    said = answer([tuple(one) for one in waiting], at)
    if isinstance(said, bool) or not isinstance(said, int):
        raise NotYet(
            f"next_job() returned {said!r}.", "return a place: 0 for the first"
        )
    best = max(range(len(waiting)), key=lambda n: _aged(waiting[n], at))
    ages = ", ".join(
        f"priority {one.priority} for {at - one.since:g} s" for one in waiting
    )
    if not 0 <= said < len(waiting):
        raise NotYet(f"of {len(waiting)} jobs it named number {said}.", "from 0 on")
    if said == best:
        return said
    if _aged(waiting[said], at) == _aged(waiting[best], at):
        hint = "among equals whoever came first"
    elif waiting[said].since == min(one.since for one in waiting):
        hint = "who has waited for long is not first at once: it rises, gradually"
    elif waiting[said].priority == max(one.priority for one in waiting):
        hint = "a job that waits rises, gradually: by a quarter of a level in 2.5 s"
    else:
        hint = "compare priority + (now - since) / 10"
    raise NotYet(
        f"waiting are {ages}; you serve the one at place {said}, and {best} is due.",
        hint,
    )


def _served_by(answer: Any) -> float:
    """When a batch job is served beside urgent ones that never stop coming."""
    waiting = [Waiting(0, 0.0)]
    at = 0.5
    while at < 200:
        waiting.append(Waiting(3, at))
        place = _judge_age(answer, waiting, at)
        if waiting.pop(place).priority == 0:
            return at
        at += 1
    raise AssertionError("ageing serves everybody")


# 07-xdue: deadlines, and what to do when not all can be kept


class _Job(NamedTuple):
    ready: float
    cost: float
    due: float


def _load(gap: float, seed: int) -> list[_Job]:
    """Sixty jobs of three lengths: for each the time until the next is *gap* costs.

    All times are multiples of 1/16 s, so that sums of them are exact.
    """
    chance = random.Random(seed)
    jobs, at = [], 0.0
    for _ in range(60):
        cost = chance.choice([0.5, 1.0, 1.5])
        at += cost * gap
        jobs.append(_Job(at, cost, at + 4 + chance.randrange(5)))
    return jobs


def _in_time(
    jobs: list[_Job], choose: Callable[[list[_Job], float], int | None]
) -> int:
    """How many are in time, if one at a time is served and none interrupted."""
    coming, ready = sorted(jobs), list[_Job]()
    at, kept = 0.0, 0
    while coming or ready:
        while coming and coming[0].ready <= at:
            ready.append(coming.pop(0))
        place = choose(ready, at) if ready else None
        if place is None:
            if not coming:
                break
            at = max(at, coming[0].ready)
            continue
        job = ready.pop(place)
        at += job.cost
        kept += at <= job.due
    return kept


def _feasible_first(ready: list[_Job], at: float) -> int | None:
    able = [n for n, job in enumerate(ready) if at + job.cost <= job.due]
    return min(able, key=lambda n: ready[n].due, default=None)


@exercise("07-xdue")
def check_due(answer: Any) -> str:
    """The answer is a plain function ``next_job(ready, now)``.

    *ready* holds ``(cost, due)``.  It returns the place of the job to be served next,
    or None if none of them can be in time: the earliest deadline first, of those that
    can still be kept.
    """
    need_function(answer, "next_job")

    def choose(ready: list[_Job], at: float) -> int | None:
        said = answer([(job.cost, job.due) for job in ready], at)
        if said is None:
            return None
        if isinstance(said, bool) or not isinstance(said, int):
            raise NotYet(f"next_job() returned {said!r}.", "a place in ready, or None")
        if not 0 <= said < len(ready):
            raise NotYet(f"of {len(ready)} jobs it named number {said}.", "from 0 on")
        return said

    said = []
    for gap in (1.5, 1.125, 0.875, 0.625):
        for seed in range(4):
            jobs = _load(gap, seed)
            wanted, found = _in_time(jobs, _feasible_first), _in_time(jobs, choose)
            if found >= wanted:
                continue
            load = f"{1 / gap:.0%} of the time is wanted"
            if gap > 1:
                hint = "serve the earliest deadline first"
            else:
                hint = (
                    "a job that cannot be in time any more takes the time of one that "
                    "could: pass it by. Of the others, the earliest deadline first"
                )
            raise NotYet(
                f"{load}: {found} of 60 jobs were in time, and {wanted} could be.",
                hint,
            )
        said.append(f"{found} at {1 / gap:.0%}")
    return f"in time of 60 were {', '.join(said)}."
