"""The bounds of workers and queue; what waits, and what is refused."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from looplab.clock import burn, run
from looplab.heartbeat import Heartbeat
from looplab.jobs import JobQueue
from tests.fast.looplab.jobs.shared import now

pytestmark = pytest.mark.virtual_time


@pytest.mark.parametrize(("workers", "maxsize"), [(1, 1), (4, 50), (200, 50)])
def test_jobs_that_never_await_leave_the_heartbeat_on_time(
    workers: int, maxsize: int
) -> None:
    """Only the job that runs stands before the heartbeat, whatever the phase."""

    async def main(phase: float) -> tuple[float, float]:
        async with Heartbeat(1.0) as heartbeat:
            await asyncio.sleep(2 + phase)
            start = now()
            async with JobQueue(workers, maxsize) as jobs:
                for _ in range(200):
                    await jobs.put(burn, 0.010)
            took = now() - start
        return heartbeat.worst, took

    for phase in (0.0, 0.1, 0.3333, 0.5, 0.777, 0.995):
        worst, took = run(main(phase))
        assert worst <= 0.010
        assert took == pytest.approx(2.0)


async def test_two_free_iterations_between_two_starts() -> None:
    """Between the starts of two jobs the loop runs everything else that is ready."""

    log: list[str] = []

    async def other() -> None:
        while jobs.outcomes.done < 5:
            log.append("other")
            await asyncio.sleep(0)

    async with JobQueue(workers=5, maxsize=5) as jobs:
        task = asyncio.create_task(other())
        for _ in range(5):
            await jobs.put(log.append, "job")
        await task
    starts = [i for i, entry in enumerate(log) if entry == "job"]
    assert len(starts) == 5
    # The other runs in the iteration of the job and in the two that are left free.
    assert {b - a for a, b in pairwise(starts)} == {4}


@pytest.mark.parametrize(
    ("bounds", "error", "words"),
    [
        ({"workers": 0}, ValueError, "workers is 0: give 1 or more"),
        ({"maxsize": 0}, ValueError, "maxsize is 0: give 1 or more.*memory"),
        ({"workers": 1.5}, TypeError, "workers as a whole number, got 1.5"),
        ({"maxsize": None}, TypeError, "maxsize as a whole number, got None"),
    ],
)
def test_bounds_that_are_none(bounds: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        JobQueue(**bounds)


async def test_put_waits_while_the_queue_is_full() -> None:
    """Two run, one waits, the fourth put() returns when the first job has ended."""

    returned = []
    async with JobQueue(workers=2, maxsize=1) as jobs:
        for _ in range(5):
            await jobs.put(asyncio.sleep, 1.0)
            returned.append(now())
    assert now() == 3.0
    assert returned == [0.0, 0.0, 0.0, 1.0, 1.0]
