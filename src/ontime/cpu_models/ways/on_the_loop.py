"""Jobs on the event loop itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from .futures import Job, RunAll, new_futures, settle

if TYPE_CHECKING:
    from ontime.cpu_models.models import Model

__all__ = ["all_at_once", "in_chain"]

T = TypeVar("T")


@asynccontextmanager
async def all_at_once(model: Model) -> AsyncIterator[RunAll]:
    """All jobs are callbacks of one iteration."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[T]] = new_futures(count)
        for future in futures:
            loop.call_soon(settle, future, job)
        return await asyncio.gather(*futures)

    yield run_all


@asynccontextmanager
async def in_chain(model: Model) -> AsyncIterator[RunAll]:
    """Each job is a callback that asks for the next one."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[T]] = new_futures(count)
        left = iter(futures)

        def step() -> None:
            future = next(left, None)
            if future is not None:
                settle(future, job)
                loop.call_soon(step)

        loop.call_soon(step)
        return await asyncio.gather(*futures)

    yield run_all
