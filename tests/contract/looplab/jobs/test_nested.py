"""Jobs that put jobs and wait for jobs, and never for each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.jobs import (
    JobQueue,
    WouldDeadlockError,
)
from tests.fast.looplab.jobs.shared import Main


def test_crawler(both: Callable[[Main], Any]) -> None:
    async def visit(jobs: JobQueue, depth: int) -> int:
        await asyncio.sleep(0)
        if depth:
            await jobs.put(visit, jobs, depth - 1)
        return depth

    async def main() -> list[Any]:
        async with JobQueue(workers=2) as jobs:
            await jobs.put(visit, jobs, 5)
        return jobs.results

    assert both(main()) == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("workers", [1, 3])
def test_all_workers_waiting_for_room_is_an_error(
    both: Callable[[Main], Any], workers: int
) -> None:
    async def parent(jobs: JobQueue) -> None:
        await asyncio.sleep(0.01)
        for _ in range(10):
            await jobs.put(parent, jobs)

    async def main() -> None:
        jobs = JobQueue(workers=workers, maxsize=1)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                for _ in range(workers):
                    await jobs.put(parent, jobs)
        (error,) = caught.value.exceptions
        assert isinstance(error, WouldDeadlockError)
        assert f"every one of the {workers} workers" in str(error)
        assert "room in its own queue" in str(error)
        assert not jobs.outcomes.waiting and not jobs.outcomes.running

    both(main())
