"""``04-predict``: how late a heartbeat wakes beside a task storm."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from looplab.clock import burn
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, several, simulate
from ontime.check.verdict import NotYet

_EPSILON = 1e-6


async def _storm(jobs: int, cpu: float, beat_phase: float, interval: float) -> float:
    async def job() -> None:
        burn(cpu)

    async with Heartbeat(interval) as heartbeat:
        await asyncio.sleep(2 * interval + beat_phase)
        storm = [asyncio.create_task(job()) for _ in range(jobs)]
        if storm:
            await asyncio.wait(storm)
        await asyncio.sleep(2 * interval)
    return heartbeat.worst


@exercise("04-predict", need_function, "lateness")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``lateness(jobs, cpu, beat_phase, interval)``.

    It returns how late the heartbeat wakes, in seconds, when *jobs* tasks of *cpu*
    seconds each are created at once, *beat_phase* seconds after the heartbeat last woke
    (0 < beat_phase < interval) and *interval* seconds is how long it sleeps.  The check
    runs the storm on the virtual clock for eighteen choices of the parameters.
    """
    cases = [
        (200, 0.010, 0.5, 1.0),
        (200, 0.010, 0.125, 1.0),
        (20, 0.010, 0.5, 1.0),
        (300, 0.004, 0.25, 0.5),
        (40, 0.050, 1.75, 2.0),
        (0, 0.010, 0.5, 1.0),
    ]
    choose = random.Random(4)
    for _ in range(12):
        interval = choose.choice([0.25, 0.5, 1.0, 2.0, 5.0])
        phase = round(interval * choose.uniform(0.05, 0.95), 4)
        cpu = choose.choice([0.0013, 0.0107, 0.0501])
        cases.append((choose.randrange(1, 300), cpu, phase, interval))
    for jobs, cpu, phase, interval in cases:
        returned = answer(jobs, cpu, phase, interval)
        seen = simulate(_storm(jobs, cpu, phase, interval))
        where = (
            f"{several(jobs, 'job')} of {cpu:g} s, {phase:g} s after a beat, interval "
            f"{interval:g} s"
        )
        predicted = need_number(returned, "lateness", "a number of seconds")
        if abs(predicted - seen) <= _EPSILON:
            continue
        total = jobs * cpu
        if predicted < 0:
            hint = "a heartbeat that wakes in time is 0 s late, never less"
        elif abs(predicted - total) <= _EPSILON:
            hint = (
                "that is how long the whole storm takes; part of it passes before the "
                "heartbeat is due"
            )
        elif abs(predicted - max(0.0, total - phase)) <= _EPSILON:
            hint = "take off what is left of the interval, not what has passed of it"
        elif abs(predicted - max(0.0, total - interval)) <= _EPSILON:
            hint = "part of the interval had passed when the storm began"
        else:
            hint = (
                "the jobs need jobs x cpu seconds in all; how many of these pass "
                "before the heartbeat is due?"
            )
        raise NotYet(
            f"{where}: your function says {predicted:.3f} s, the run {seen:.3f} s.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."
