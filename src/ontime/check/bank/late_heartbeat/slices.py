"""How much do slices help?"""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, several, simulate
from ontime.check.verdict import NotYet


async def _sliced(jobs: int, slices: int, cpu: float, before: float) -> float:
    """How late a beat is that is due *before* seconds after the jobs have begun."""

    async def job() -> None:
        for n in range(slices):
            if n:
                await asyncio.sleep(0)
            burn(cpu / slices)

    async with Heartbeat(1000) as heartbeat:
        await asyncio.sleep(1000 - before)
        async with asyncio.TaskGroup() as group:
            for _ in range(jobs):
                group.create_task(job())
        await asyncio.sleep(900)
    return heartbeat.worst


def _worst_seen(jobs: int, slices: int, cpu: float) -> float:
    """The worst of the beats that are due just after an iteration has begun."""
    slice_of_cpu = jobs * cpu / slices
    phases = [n * slice_of_cpu + 1e-6 for n in range(slices)]
    return max(simulate(_sliced(jobs, slices, cpu, phase)) for phase in phases)


@exercise("04-xslices", need_function, "worst")
def check_slices(answer: Any) -> str:
    """The answer is a function ``worst(jobs, slices, cpu)``.

    It says how late a beat can be, in seconds, beside *jobs* tasks that begin at once
    and compute for *cpu* seconds each, in so many equal slices with ``sleep(0)``
    between them.
    """
    for jobs, slices, cpu in (
        (200, 1, 0.01),
        (10, 2, 0.5),
        (10, 3, 0.5),
        (10, 5, 0.5),
        (40, 10, 0.25),
        (1, 4, 2.0),
    ):
        seen = _worst_seen(jobs, slices, cpu)
        predicted = need_number(answer(jobs, slices, cpu), "worst")
        if abs(predicted - seen) < 1e-4:
            continue
        slice_of_cpu = jobs * cpu / slices
        hint = "the CPU work of three consecutive iterations, if there are three"
        if abs(predicted - 3 * slice_of_cpu) < 1e-4:
            hint = "with fewer than three slices there are fewer full iterations"
        elif min(abs(predicted - each) for each in (slice_of_cpu, cpu / slices)) < 1e-4:
            hint = (
                "one iteration runs a slice of every job, and the end of a sleep "
                "touches three iterations"
            )
        elif abs(predicted - jobs * cpu) < 1e-4:
            hint = "after each slice the loop looks at its timers: slices do help"
        raise NotYet(
            f"{several(jobs, 'job')} of {cpu:g} s in {several(slices, 'slice')}: "
            f"the worst beat is {seen:.3f} s late, and your function says "
            f"{predicted:.3f}.",
            hint,
        )
    return "three slices of every job, or all there are."
