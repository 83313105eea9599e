"""Failures of jobs and of the body: none is lost silently."""

from __future__ import annotations

import asyncio

import pytest

from looplab.clock import run
from looplab.jobs import (
    JobQueue,
)
from tests.fast.looplab.jobs.shared import fail


def test_failure_that_the_body_never_waits_for() -> None:
    """The body is cancelled by a failing job but ends without another await: the
    cancellation must not strike after the block."""

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(ExceptionGroup):
            async with JobQueue(1) as jobs:
                await jobs.put(fail, ValueError())
                while not task.cancelling():
                    try:
                        await asyncio.sleep(0)
                    except asyncio.CancelledError:
                        break
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    run(main())


def test_job_that_fails_while_it_is_cancelled_is_reported() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise OSError("on the way out")

    async def main() -> JobQueue:
        jobs = JobQueue(2)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(stubborn)
                await jobs.put(fail, ValueError("first"), 1)
        assert [type(e) for e in caught.value.exceptions] == [ValueError, OSError]
        return jobs

    assert run(main()).outcomes.failed == 2
