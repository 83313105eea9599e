"""Cancelled from outside, from inside, before and while a job runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.jobs import (
    JobNotDoneError,
    JobQueue,
    Outcomes,
)
from tests.fast.looplab.jobs.shared import Main, give, now, turns


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
