"""The spread of an experiment over phases and jitter."""

from __future__ import annotations

import asyncio

from looplab.clock import burn, elapsed
from looplab.phases import Spread, spread


def of(values: list[float]) -> Spread:
    return Spread([index / len(values) for index in range(len(values))], values)


# Spread


# spread()


async def lateness(phase: float) -> float:
    """20 jobs of 10 ms arrive at a phase of a heartbeat of 0.1 s: how late is it?"""

    async def job() -> None:
        burn(0.010)

    async with asyncio.TaskGroup() as group:
        await asyncio.sleep(phase * 0.1)
        for _ in range(20):
            group.create_task(job())
        begun = elapsed()
        await asyncio.sleep(0.1 - phase * 0.1)
        return elapsed() - begun - (0.1 - phase * 0.1)


def test_works_inside_a_running_loop() -> None:
    async def cell() -> Spread:
        return spread(lateness, runs=3)

    assert asyncio.run(cell()).values == spread(lateness, runs=3).values
