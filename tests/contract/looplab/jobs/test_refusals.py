"""What is no job, no open queue, or not this loop's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.jobs import (
    JobQueue,
    JobQueueClosedError,
)
from tests.fast.looplab.jobs.shared import Main, give


def test_put_before_and_after_the_block(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        jobs = JobQueue()
        with pytest.raises(JobQueueClosedError, match="not open yet"):
            await jobs.put(give(1))
        async with jobs:
            pass
        with pytest.raises(JobQueueClosedError, match="is over"):
            await jobs.put(give(1))  # and the coroutine is closed
        assert jobs.outcomes.total == 0

    both(main())


def test_another_loop() -> None:
    async def put(jobs: JobQueue) -> None:
        with pytest.raises(RuntimeError, match="another event loop"):
            await jobs.put(give(1))

    async def main() -> None:
        async with JobQueue() as jobs:
            await asyncio.to_thread(asyncio.run, put(jobs))

    asyncio.run(main())
