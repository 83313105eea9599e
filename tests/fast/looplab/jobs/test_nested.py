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


@pytest.mark.virtual_time
async def test_job_that_waits_for_room_while_others_run() -> None:
    """Legitimate: the other worker will make room."""

    async def parent(jobs: JobQueue) -> str:
        for i in range(4):
            await jobs.put(give, i, 1)
        return "parent"

    async with JobQueue(workers=2, maxsize=1) as jobs:
        await jobs.put(parent, jobs)
    assert jobs.results == ["parent", 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("workers", "wants", "words"),
    [
        (3, [0], "would wait for itself"),
        (3, [1, 0], r"ever for job [01] \(.*partner\)"),
        (1, [1, None], r"ever for job 1 \(.*partner\)"),
        (2, [1, None], ""),
    ],
)
def test_jobs_that_wait_for_jobs(
    workers: int, wants: list[int | None], words: str
) -> None:
    """Each waits for the job of that number; without a circle all are done."""

    async def partner(tickets: list[Ticket[Any]], other: int | None) -> str:
        await asyncio.sleep(2 if other is None else 1)
        return "alone" if other is None else f"after {await tickets[other]}"

    async def main() -> list[Any]:
        tickets: list[Ticket[Any]] = []
        async with JobQueue(workers, maxsize=2) as jobs:
            for other in wants:
                tickets.append(await jobs.put(partner, tickets, other))
        return jobs.results

    if not words:
        assert run(main()) == ["after alone", "alone"]
        return
    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    error = caught.value.exceptions[0]
    assert isinstance(error, WouldDeadlockError)
    assert re.search(words, str(error))


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
