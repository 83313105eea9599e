"""The bounds of workers and queue; what waits, and what is refused."""

from __future__ import annotations

import asyncio

from looplab.clock import run
from looplab.jobs import (
    JobQueue,
)
from tests.fast.looplab.jobs.shared import now


def test_put_waits_while_the_queue_is_full() -> None:
    """Two run, one waits, the fourth put() returns when the first job has ended."""

    async def main() -> list[float]:
        returned = []
        async with JobQueue(workers=2, maxsize=1) as jobs:
            for _ in range(5):
                await jobs.put(asyncio.sleep, 1.0)
                returned.append(now())
        assert now() == 3.0
        return returned

    assert run(main()) == [0.0, 0.0, 0.0, 1.0, 1.0]
