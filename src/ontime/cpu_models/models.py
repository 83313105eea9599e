"""The models: ways to run the same jobs while an event loop is running.

A :class:`Model` says which way and with how many workers.  Each way is an async context
manager that gives a function to run jobs: entering it starts the workers and waits
until every one of them has answered, leaving it stops them and waits for their end.

Standard library only; the cluster needs ``distributed``, which is imported when used.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib.util
import logging
import multiprocessing
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ontime.measuring.machine import usable_cores

from .work import hello, with_an_error_that_travels

__all__ = [
    "DEFAULT_MODELS", "KINDS", "Model", "RunAll",
]  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is true of one way, whatever its settings."""

    label: str
    enter: Callable[[Model], AbstractAsyncContextManager[RunAll]]
    pooled: bool = False  # whether it has a number of workers
    needs: Callable[[], str] = str  # why it is not available here, or ""


@dataclass(frozen=True, slots=True)
class Model:
    """One way to run CPU work.

    Args:
        kind: a key of :data:`KINDS`, such as ``"pool"``.
        workers: how many threads, processes or interpreters; the number of usable
            cores if not given.  Only kinds with a pool take it.
        start_method: ``"fork"``, ``"spawn"`` or ``"forkserver"``, for pools of
            processes; the default of this Python if not given.

    Introduced in the chapter *Move CPU work off the loop*.
    """

    kind: str
    workers: int | None = None
    start_method: str | None = None

    @property
    def size(self) -> int:
        """The number of workers, settled."""
        return self.workers or usable_cores()

    @property
    def name(self) -> str:
        """A short name, such as ``Pool(2), spawn``."""
        kind = KINDS[self.kind]
        size = f"({self.size})" if kind.pooled else ""
        method = f", {self.start_method}" if self.start_method else ""
        return f"{kind.label}{size}{method}"

    def unavailable(self) -> str:
        """Why this model cannot run here, or an empty string."""
        return KINDS[self.kind].needs()

    def enter(self) -> AbstractAsyncContextManager[RunAll]:
        """Start the workers, and stop them at the end of the block."""
        return KINDS[self.kind].enter(self)


# -- jobs that are done elsewhere ------------------------------------------------------


Job = Callable[[], T]

#: Takes a job and how often to run it; returns the results.
RunAll = Callable[[Job[Any], int], Awaitable[list[Any]]]


def new_futures(count: int) -> list[asyncio.Future[T]]:
    loop = asyncio.get_running_loop()
    return [loop.create_future() for _ in range(count)]


def settle(
    future: asyncio.Future[T] | concurrent.futures.Future[T], job: Job[T]
) -> None:
    try:
        future.set_result(job())
    except BaseException as error:  # nobody else would hear of it in a thread
        future.set_exception(error)


# -- on the loop -----------------------------------------------------------------------


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


# -- in threads ------------------------------------------------------------------------


@asynccontextmanager
async def in_threads(model: Model) -> AsyncIterator[RunAll]:
    """One thread for each job, started by the loop when the jobs are handed over.

    So their start is part of the work, which for every other model it is not.
    """
    threads: list[threading.Thread] = []

    async def run_all(job: Job[T], count: int) -> list[T]:
        futures = [concurrent.futures.Future[T]() for _ in range(count)]
        for future in futures:
            words = (future, job)
            threads.append(threading.Thread(target=settle, args=words, daemon=True))
            threads[-1].start()
        return await asyncio.gather(*map(asyncio.wrap_future, futures))

    yield run_all
    for thread in threads:
        thread.join()


@asynccontextmanager
async def with_to_thread(model: Model) -> AsyncIterator[RunAll]:
    """``asyncio.to_thread``: the loop's own pool, of at most cores + 4 threads."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        return await asyncio.gather(*(asyncio.to_thread(job) for _ in range(count)))

    loop = asyncio.get_running_loop()
    # As the loop would make it, but its size is known.
    default = concurrent.futures.ThreadPoolExecutor()
    loop.set_default_executor(default)
    await all_answer(run_all, default._max_workers)
    yield run_all
    await loop.shutdown_default_executor()


# -- on an executor: threads, processes, interpreters ----------------------------------


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
    while len(seen) < size:
        seen.update(await run_all(partial(hello, _HELLO), size))


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
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"a pool of interpreters needs Python 3.14 or newer; this is {version}"


# -- in a multiprocessing.Pool ---------------------------------------------------------


@asynccontextmanager
async def in_pool(model: Model) -> AsyncIterator[RunAll]:
    """After an error its workers are left to the end of the measuring process.

    ``Pool.terminate`` may wait for ever then, for a lock that an ended worker held.
    """
    pool = multiprocessing.get_context(model.start_method).Pool(model.size)

    async def run_all(job: Job[T], count: int) -> list[T]:
        futures = [concurrent.futures.Future[T]() for _ in range(count)]
        for future in futures:
            # Of the two callbacks one runs, in a thread of the pool.
            pool.apply_async(
                with_an_error_that_travels,
                (job,),
                callback=future.set_result,
                error_callback=future.set_exception,
            )
        return await asyncio.gather(*map(asyncio.wrap_future, futures))

    await all_answer(run_all, model.size)
    yield run_all
    pool.close()
    pool.join()


# -- on a cluster of this machine ------------------------------------------------------


@asynccontextmanager
async def on_cluster(model: Model) -> AsyncIterator[RunAll]:
    """A scheduler and workers of ``distributed`` on this machine, over loopback."""
    from distributed import Client, LocalCluster

    def start() -> tuple[Any, Any]:
        cluster = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=model.size,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        return cluster, Client(cluster)  # type: ignore[no-untyped-call]

    # Both would block the loop: they have one of their own, in a thread.
    cluster, client = await asyncio.to_thread(start)
    with cluster, client:
        # Not pure: it would compute equal calls once and hand out the one result.
        run_all = partial(on_executor, client.get_executor(pure=False))
        await all_answer(run_all, model.size)
        yield run_all


def needs_cluster() -> str:
    if importlib.util.find_spec("distributed"):
        return ""
    return (
        "the model 'dask' needs the package distributed, which is not installed: "
        "pip install 'ontime[cluster]'"
    )


# -- all of them -----------------------------------------------------------------------


#: Every kind of model, from the loop itself to a cluster.
KINDS: dict[str, _Kind] = {
    "at once": _Kind("all at once", all_at_once),
    "chain": _Kind("call_soon chain", in_chain),
    "threads": _Kind("a thread each", in_threads),
    "to_thread": _Kind("to_thread", with_to_thread),
    "thread pool": _Kind("ThreadPoolExecutor", in_thread_pool, True),
    "pool": _Kind("Pool", in_pool, True),
    "process pool": _Kind("ProcessPoolExecutor", in_process_pool, True),
    "interpreters": _Kind(
        "InterpreterPoolExecutor", in_interpreters, True, needs_interpreters
    ),
    "dask": _Kind("dask cluster", on_cluster, True, needs_cluster),
}

#: What :func:`ontime.cpu_models.compare_models` compares unless told otherwise.
DEFAULT_MODELS: tuple[Model, ...] = tuple(Model(kind) for kind in KINDS)
