"""Cancelled from outside, from inside, before and while a job runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import (
    JobNotDoneError,
    JobQueue,
    Outcomes,
)
from tests.fast.looplab.jobs.shared import Main, fail, give, now, turns


def test_cancelled_and_failed_at_once_keeps_both() -> None:
    async def body() -> None:
        async with JobQueue(2) as jobs:
            await jobs.put(fail, ValueError("job"), 1)
            await asyncio.sleep(60)

    async def main() -> None:
        async def wrapper() -> None:
            task = asyncio.current_task()
            assert task is not None
            with pytest.raises(ExceptionGroup):
                await body()
            assert task.cancelling() == 1
            with pytest.raises(asyncio.CancelledError):
                await asyncio.sleep(1)

        task = asyncio.create_task(wrapper())
        await asyncio.sleep(1)
        # In this order the job fails, and before the body is told, we cancel too.
        await asyncio.sleep(0)
        task.cancel()
        await task

    run(main())


def test_job_cancelled_before_its_first_line_was_never_started() -> None:
    ran = []

    async def job() -> None:
        ran.append(True)

    async def main() -> str:
        async with JobQueue() as jobs:
            ticket = await jobs.put(job())
            assert jobs.running == 0
            asyncio.get_running_loop().call_soon(ticket.cancel)
            asyncio.get_running_loop().call_soon(ticket.cancel)
        return ticket.state

    assert run(main()) == "never started"
    assert not ran


def test_put_that_is_cancelled_starts_nothing() -> None:
    """At whichever moment: while waiting for room, and between accepted and back."""
    ran: list[int] = []

    async def job(i: int) -> None:
        ran.append(i)
        await asyncio.sleep(1)

    async def main(iterations: int) -> None:
        ran.clear()
        async with JobQueue(workers=1, maxsize=1) as jobs:
            putter = asyncio.create_task(jobs.put(job, 7))
            for _ in range(iterations):
                await asyncio.sleep(0)
            was_done = putter.done()
            putter.cancel()
            await asyncio.gather(putter, return_exceptions=True)
            await asyncio.sleep(5)
        assert bool(ran) == was_done
        assert jobs.outcomes.never_started == (0 if was_done else iterations > 0)

    for iterations in range(8):
        run(main(iterations))


def test_cancelling_a_waiter_leaves_the_job_alone() -> None:
    async def main() -> Any:
        async with JobQueue() as jobs:
            ticket = await jobs.put(give, "kept", 2)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await ticket
            return await ticket

    assert run(main()) == "kept"


def test_cancelled_from_outside(both: Callable[[Main], Any]) -> None:
    jobs = JobQueue(workers=2, maxsize=1)

    async def body() -> None:
        async with jobs:
            for i in range(10):
                await jobs.put(give, i, 60)

    async def main() -> None:
        task = asyncio.create_task(body())
        await turns(50)
        assert jobs.outcomes == Outcomes(2, 2, 0, 0, 0, 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    both(main())
    # Two ran, one was in the queue, one in put(); the other six were never put.
    assert jobs.outcomes == Outcomes(0, 0, 0, 0, 2, 2)


def test_cancelled_from_outside_while_ending(both: Callable[[Main], Any]) -> None:
    jobs = JobQueue(workers=1, maxsize=2)

    async def body() -> None:
        async with jobs:
            for i in range(3):
                await jobs.put(give, i, 60)

    async def expire(limit: asyncio.Timeout) -> None:
        await turns(50)
        assert jobs.outcomes == Outcomes(2, 1, 0, 0, 0, 0)
        limit.reschedule(now())

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as limit:
                expiring = asyncio.create_task(expire(limit))
                await body()
        await expiring

    both(main())
    assert jobs.outcomes == Outcomes(0, 0, 0, 0, 1, 2)


def test_ticket_cancel(both: Callable[[Main], Any]) -> None:
    async def main() -> JobQueue:
        async with JobQueue(workers=1, maxsize=2) as jobs:
            first = await jobs.put(give, 0, 60)
            second = await jobs.put(give, 1, 60)
            third = await jobs.put(give, 2)
            await asyncio.sleep(0.01)
            assert second.cancel()
            assert second.state == "never started"
            assert jobs.waiting == 1
            assert first.cancel()
            with pytest.raises(JobNotDoneError, match="was cancelled"):
                await first
            assert await third == 2
            assert not third.cancel()
        return jobs

    assert both(main()).outcomes == Outcomes(0, 0, 1, 0, 1, 1)
