"""The loop beside an ideal scheduler by priority that gets the same arrivals.

The ideal one has no loop: a list of jobs, of which it runs the most urgent that is
ready, one at a time and without an interruption.
"""

from __future__ import annotations

import asyncio
import random
from heapq import heappop, heappush
from typing import Any

import pytest

from looplab import burn
from looplab.priority import VirtualPriorityLoop, priority

MESSAGES, ROUNDS, CPU, IO = 20, 20, 1.0, 1.0
REFRESH, REFRESH_EVERY = 0.01, 2.0
COST = 5e-6  # of a callback of the loop, in seconds

Steps = list[tuple[float, float]]  # a wait, then a computation


def program(seed: int) -> list[tuple[int, Steps]]:
    """Tasks: messages at levels 1 to 3 and their leases at 4; waits jitter by 1 ms."""
    rng = random.Random(seed)

    def late(wait: float) -> float:
        return wait + rng.uniform(0, 0.001)

    tasks: list[tuple[int, Steps]] = []
    for number in range(MESSAGES):
        tasks.append((1 + number % 3, [(late(IO), CPU) for _ in range(ROUNDS)]))
        refreshes = int(MESSAGES * ROUNDS * CPU / REFRESH_EVERY / MESSAGES)
        tasks.append((4, [(late(REFRESH_EVERY), REFRESH) for _ in range(refreshes)]))
    return tasks


def ideal(tasks: list[tuple[int, Steps]]) -> float:
    """When the last task ends where scheduling costs nothing."""
    arrivals: list[tuple[float, int, int]] = []  # when, which task, which step
    for number, (_, steps) in enumerate(tasks):
        heappush(arrivals, (steps[0][0], number, 0))
    ready: list[tuple[int, float, int, int]] = []
    now = 0.0
    while arrivals or ready:
        if not ready:
            now = max(now, arrivals[0][0])
        while arrivals and arrivals[0][0] <= now:
            when, number, step = heappop(arrivals)
            heappush(ready, (-tasks[number][0], when, number, step))
        _, _, number, step = heappop(ready)
        steps = tasks[number][1]
        now += steps[step][1]
        if step + 1 < len(steps):
            heappush(arrivals, (now + steps[step + 1][0], number, step + 1))
    return now


def on_the_loop(tasks: list[tuple[int, Steps]]) -> float:
    async def task(steps: Steps) -> None:
        for wait, cpu in steps:
            await asyncio.sleep(wait)
            burn(cpu)

    async def main() -> float:
        running = []
        for level, steps in tasks:
            with priority(level):
                running.append(asyncio.create_task(task(steps)))
        await asyncio.gather(*running)
        return asyncio.get_running_loop().time()

    def loop(policy: Any) -> VirtualPriorityLoop:
        return VirtualPriorityLoop(policy, callback_cost=COST)

    with asyncio.Runner(loop_factory=lambda: loop(None)) as runner:
        return float(runner.run(main()))


@pytest.mark.parametrize("seed", range(4))
def test_the_makespan_is_that_of_an_ideal_scheduler(seed: int) -> None:
    tasks = program(seed)
    best = ideal(tasks)
    floor = sum(cpu for _, steps in tasks for _, cpu in steps)
    assert floor < best < 1.05 * floor
    assert 1 <= on_the_loop(tasks) / best <= 1.002
