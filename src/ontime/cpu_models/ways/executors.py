"""Jobs on an executor of ``concurrent.futures``: threads, processes, interpreters."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ontime.cpu_models.work import hello, with_an_error_that_travels

from .futures import Job, RunAll

if TYPE_CHECKING:
    from ontime.cpu_models.models import Model

__all__ = [
    "all_answer",
    "in_interpreters",
    "in_process_pool",
    "in_thread_pool",
    "needs_interpreters",
    "on_executor",
]

T = TypeVar("T")

#: Seconds within which every worker must have answered.
_START_LIMIT = 600.0

#: Seconds for which a worker says hello, so that another one has to take the next.
_HELLO = 0.005


async def on_executor(
    executor: concurrent.futures.Executor, job: Job[T], count: int
) -> list[T]:
    loop = asyncio.get_running_loop()
    careful = partial(with_an_error_that_travels, job)
    return await asyncio.gather(
        *(loop.run_in_executor(executor, careful) for _ in range(count))
    )


async def all_answer(run_all: RunAll, size: int) -> None:
    """Wait until *size* workers have said hello, each under its own name."""
    seen: set[object] = set()
    limit = time.monotonic() + _START_LIMIT
    while len(seen) < size:
        seen.update(await run_all(partial(hello, _HELLO), size))
        if len(seen) < size and time.monotonic() > limit:
            raise TimeoutError(
                f"{len(seen)} of {size} workers have answered in {_START_LIMIT:g} s: "
                "ask for fewer, or close other programs"
            )


@asynccontextmanager
async def _executor(
    executor: concurrent.futures.Executor, size: int
) -> AsyncIterator[RunAll]:
    with executor:
        run_all = partial(on_executor, executor)
        await all_answer(run_all, size)
        yield run_all
        executor.shutdown(wait=True, cancel_futures=True)


def in_thread_pool(model: Model) -> AbstractAsyncContextManager[RunAll]:
    return _executor(concurrent.futures.ThreadPoolExecutor(model.size), model.size)


def in_process_pool(model: Model) -> AbstractAsyncContextManager[RunAll]:
    context = multiprocessing.get_context(model.start_method)
    return _executor(
        concurrent.futures.ProcessPoolExecutor(model.size, mp_context=context),
        model.size,
    )


def in_interpreters(model: Model) -> AbstractAsyncContextManager[RunAll]:
    pool: Any = concurrent.futures
    return _executor(pool.InterpreterPoolExecutor(model.size), model.size)


def needs_interpreters() -> str:
    if sys.version_info >= (3, 14):
        return ""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"a pool of interpreters needs Python 3.14 or newer; this is {here}"
