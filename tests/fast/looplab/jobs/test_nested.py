"""Jobs that put jobs and wait for jobs, and never for each other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import JobQueue, Ticket, WouldDeadlockError
from tests.fast.looplab.jobs.shared import Main, give


def test_job_that_waits_for_room_while_others_run() -> None:
    """Legitimate: the other worker will make room."""

    async def parent(jobs: JobQueue) -> str:
        for i in range(4):
            await jobs.put(give, i, 1)
        return "parent"

    async def main() -> list[Any]:
        async with JobQueue(workers=2, maxsize=1) as jobs:
            await jobs.put(parent, jobs)
        return jobs.results

    assert run(main()) == ["parent", 0, 1, 2, 3]


def test_waiting_for_a_job_that_needs_my_worker() -> None:
    async def parent(jobs: JobQueue) -> Any:
        ticket = await jobs.put(give, "child")
        return await ticket

    async def main(workers: int) -> list[Any]:
        async with JobQueue(workers=workers) as jobs:
            await jobs.put(parent, jobs)
        return jobs.results

    assert run(main(2)) == ["child", "child"]
    with pytest.raises(ExceptionGroup) as caught:
        run(main(1))
    assert "wait for ever for job 1 (give)" in str(caught.value.exceptions[0])


@pytest.mark.parametrize(
    ("wants", "words"),
    [
        ([0], "would wait for itself"),
        ([1, 0], r"ever for job [01] \(.*partner\)"),
    ],
)
def test_jobs_that_wait_for_themselves_or_for_each_other(
    wants: list[int], words: str
) -> None:
    async def partner(box: list[Ticket[Any]], other: int) -> None:
        await asyncio.sleep(1)
        await box[other]

    async def main() -> None:
        box: list[Ticket[Any]] = []
        async with JobQueue(workers=3) as jobs:
            for other in wants:
                box.append(await jobs.put(partner, box, other))

    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    error = caught.value.exceptions[0]
    assert isinstance(error, WouldDeadlockError)
    assert re.search(words, str(error))


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
