"""Jobs in a ``multiprocessing.Pool``."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing.pool import Pool
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from ontime.cpu_models.work import with_an_error_that_travels

from .executors import all_answer
from .futures import Job, RunAll, new_futures, reject, resolve

if TYPE_CHECKING:
    from ontime.cpu_models.models import Model

__all__ = ["WorkerLostError", "in_pool"]

T = TypeVar("T")
_PATIENCE = 10.0  # seconds for workers to end after an error


class WorkerLostError(RuntimeError):
    """A worker process ended before its job did."""


@asynccontextmanager
async def in_pool(model: Model) -> AsyncIterator[RunAll]:
    context = multiprocessing.get_context(model.start_method)
    others = _children()
    pool = context.Pool(model.size)
    try:

        async def run_all(job: Job[T], count: int) -> list[T]:
            loop = asyncio.get_running_loop()
            futures: list[asyncio.Future[T]] = new_futures(count)
            # Before the first job: one that dies at once is replaced at once.
            workers = _children() - others
            # Of the two callbacks one runs, in a thread of the pool.
            tell: Any = loop.call_soon_threadsafe
            for future in futures:
                pool.apply_async(
                    with_an_error_that_travels,
                    (job,),
                    callback=partial(tell, resolve, future),
                    error_callback=partial(tell, reject, future),
                )
            results = asyncio.ensure_future(asyncio.gather(*futures))
            await _unless_one_dies(workers, results)
            return list(results.result())

        await all_answer(run_all, model.size)
        yield run_all
        pool.close()
    except BaseException:
        # A worker that is ended while it sends a result keeps the lock of the results,
        # and terminate() then waits for that lock for ever.  The workers are gone.
        ending = Thread(target=_terminate, args=(pool,), daemon=True)
        ending.start()
        ending.join(_PATIENCE)
        raise
    else:
        pool.join()


def _terminate(pool: Pool) -> None:
    pool.terminate()
    pool.join()


def _children() -> set[int | None]:
    """The numbers of the processes that this one has started and that still run."""
    return {child.pid for child in multiprocessing.active_children()}


async def _unless_one_dies(
    workers: set[int | None], results: asyncio.Future[list[T]]
) -> None:
    """Wait for the results.  A Pool would wait for ever for those of a dead worker."""
    while True:
        await asyncio.wait([results], timeout=0.25)
        if results.done():
            return
        if not workers <= _children():
            results.cancel()
            await asyncio.gather(results, return_exceptions=True)
            raise WorkerLostError(
                "a worker process of the Pool ended before its job did: it was killed, "
                "or the job left Python (os._exit, a crash, no memory)"
            )
