"""Jobs in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from .executors import all_answer
from .futures import Job, RunAll, new_futures, reject, resolve

if TYPE_CHECKING:
    from ontime.cpu_models.models import Model

__all__ = ["in_threads", "with_to_thread"]

T = TypeVar("T")


@asynccontextmanager
async def in_threads(model: Model) -> AsyncIterator[RunAll]:
    """One thread for each job, started by the loop when the jobs are handed over.

    So their start is part of the work, which for every other model it is not.
    """
    threads: list[threading.Thread] = []

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()

        def work(future: asyncio.Future[T]) -> None:
            try:
                result = job()
            except BaseException as error:  # nobody else would hear of it
                loop.call_soon_threadsafe(reject, future, error)
            else:
                loop.call_soon_threadsafe(resolve, future, result)

        futures: list[asyncio.Future[T]] = new_futures(count)
        for future in futures:
            threads.append(threading.Thread(target=work, args=(future,), daemon=True))
            threads[-1].start()
        return await asyncio.gather(*futures)

    yield run_all
    for thread in threads:
        thread.join()


@asynccontextmanager
async def with_to_thread(model: Model) -> AsyncIterator[RunAll]:
    """``asyncio.to_thread``: the loop's own pool, of at most cores + 4 threads."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        return await asyncio.gather(*(asyncio.to_thread(job) for _ in range(count)))

    loop = asyncio.get_running_loop()
    default = ThreadPoolExecutor()  # as the loop would make it, but its size is known
    loop.set_default_executor(default)
    await all_answer(run_all, default._max_workers)
    yield run_all
    await loop.shutdown_default_executor()
