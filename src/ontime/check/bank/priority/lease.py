"""The lease is kept by a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from looplab.clock import burn
from looplab.priority import VirtualPriorityLoop, current_priority, priority
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    cause,
    finished,
    need_async_function,
    need_awaitable,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


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


@exercise("07-xlease", need_async_function, "under_lease")
def check_lease(answer: Any) -> str:
    """The answer is an async function ``under_lease(steps, renew, lease)``.

    It awaits each of the *steps* in turn, and meanwhile ``renew()``, so often that no
    two renewals are *lease* seconds apart.  An error of ``renew`` ends the work.
    """
    longest = 0.0
    for lease, cpu, crowd in (
        (3.0, 0.5, 20.0),
        (3.0, 0.5, 0.0),
        (6.0, 1.5, 30.0),
        (30.0, 0.1, 0.0),
    ):
        work = _leased(answer, lease, cpu, crowd)
        longest = max(longest, simulate(work, new_loop=VirtualPriorityLoop))
    simulate(_lease_is_lost(answer), new_loop=VirtualPriorityLoop)
    return (
        f"in four runs beside ten others the longest time between two renewals was "
        f"{longest:.2f} of a lease."
    )


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
            "happened.",
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
