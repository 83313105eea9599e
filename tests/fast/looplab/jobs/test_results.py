"""Results in the order of submission, whatever a job is."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import run
from looplab.jobs import (
    JobQueue,
)


def test_tasks_are_named_after_workers() -> None:
    async def name() -> str:
        await asyncio.sleep(1)
        task = asyncio.current_task()
        assert task is not None
        return task.get_name()

    async def main() -> list[Any]:
        async with JobQueue(2) as jobs:
            for _ in range(4):
                await jobs.put(name)
        return jobs.results

    assert run(main()) == ["worker-1", "worker-2", "worker-1", "worker-2"]
