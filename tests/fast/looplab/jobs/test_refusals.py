"""What is no job, no open queue, or not this loop's."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import JobQueue, JobQueueClosedError, Outcomes
from tests.fast.looplab.jobs.shared import Main, fail, give

pytestmark = pytest.mark.virtual_time


async def test_put_that_waits_when_the_queue_aborts() -> None:
    jobs = JobQueue(workers=1, maxsize=1)

    async def sibling() -> None:
        await asyncio.sleep(1)
        with pytest.raises(JobQueueClosedError, match="was not started"):
            await jobs.put(give(3))

    task = asyncio.create_task(sibling())
    with pytest.raises(ExceptionGroup):
        async with jobs:
            await jobs.put(fail, ValueError(), 2)
            await jobs.put(give(1))
            await asyncio.sleep(60)
    await task
    assert jobs.outcomes == Outcomes(0, 0, 0, 1, 0, 2)


async def test_a_job_queue_belongs_to_one_loop() -> None:
    async with JobQueue() as jobs:
        assert (jobs.workers, jobs.maxsize) == (4, 1)
        ticket = await jobs.put(give(1))

        async def elsewhere() -> None:
            with pytest.raises(RuntimeError, match="run_coroutine_threadsafe"):
                await jobs.put(give, 1)
            with pytest.raises(RuntimeError, match="ticket belongs to another"):
                await ticket

        run(elsewhere())


async def test_things_that_are_not_jobs() -> None:
    future = asyncio.get_running_loop().create_future()
    started = give(1, 1)
    started.send(None)
    refused: list[tuple[tuple[Any, ...], str]] = [
        ((3,), "must be an async function, not 3"),
        ((give(1), 2), "takes no arguments"),
        ((future,), "under way already"),
        ((started,), "has been started already"),
    ]
    async with JobQueue() as jobs:
        for job, words in refused:
            with pytest.raises(TypeError, match=words):
                await jobs.put(*job)
    assert jobs.outcomes.total == 0


async def test_without_keep_nothing_is_remembered() -> None:
    async with JobQueue(keep=False) as jobs:
        ticket = await jobs.put(give, 5)
        assert await ticket == 5
        forgotten = weakref.ref(ticket)
        del ticket
        await jobs.put(give, 6)
        gc.collect()
        assert forgotten() is None
    assert jobs.outcomes.done == 2
    with pytest.raises(RuntimeError, match="keep=False"):
        _ = jobs.tickets
    with pytest.raises(RuntimeError, match="keep=False"):
        _ = jobs.results


def test_put_before_and_after_the_block(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        jobs = JobQueue()
        with pytest.raises(JobQueueClosedError, match="not open yet"):
            await jobs.put(give(1))
        assert repr(jobs) == "<JobQueue workers=4 maxsize=1 not entered, 0 jobs>"
        async with jobs:
            await jobs.put(give, 1)
            assert repr(jobs).endswith("open, 1 job: 1 waiting>")
            with pytest.raises(RuntimeError, match="can be entered once"):
                await jobs.__aenter__()
        with pytest.raises(JobQueueClosedError, match="is over"):
            await jobs.put(give(1))  # and the coroutine is closed
        assert repr(jobs).endswith("over, 1 job: 1 done>")
        words = "5 jobs: 1 done, 1 failed, 1 cancelled, 2 never started"
        assert repr(Outcomes(0, 0, 1, 1, 1, 2)) == words

    both(main())
