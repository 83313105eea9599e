"""A job queue belongs to one loop."""

from __future__ import annotations

import asyncio

import pytest

from looplab.jobs import JobQueue
from tests.fast.looplab.jobs.shared import give


def test_another_loop() -> None:
    async def put(jobs: JobQueue) -> None:
        with pytest.raises(RuntimeError, match="another event loop"):
            await jobs.put(give(1))

    async def main() -> None:
        async with JobQueue() as jobs:
            await asyncio.to_thread(asyncio.run, put(jobs))

    asyncio.run(main())
