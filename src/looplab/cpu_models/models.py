"""The models: ways to run the same jobs while an event loop is running.

A :class:`Model` says which way and with how many workers.  Each way is an async context
manager: entering it starts the workers and waits until every one of them has answered,
leaving it stops them and waits for their end.

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
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from looplab.records import usable_cores

from .work import hello, with_an_error_that_travels

__all__ = [
    "DEFAULT_MODELS",
    "KINDS",
    "MOST_JOBS",
    "MOST_WORKERS",
    "Model",
    "ModelUnavailableError",
    "WorkerLostError",
]

T = TypeVar("T")
Job = Callable[[], T]
#: Takes a job and how often to run it; returns the results.
RunAll = Callable[[Job[Any], int], Awaitable[list[Any]]]

#: The most workers of a pool.  Windows waits for no more processes than this.
MOST_WORKERS = 61
#: The most jobs of one measurement.
MOST_JOBS = 1000

#: Seconds within which every worker must have answered.
_START_LIMIT = 60.0
#: Seconds for which a worker says hello, so that another one has to take the next.
_HELLO = 0.005


class ModelUnavailableError(RuntimeError):
    """A model needs a newer Python or a package that is not installed."""


class WorkerLostError(RuntimeError):
    """A worker process ended before its job did."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is true of one way, whatever its settings."""

    label: str
    enter: Callable[[Model], AbstractAsyncContextManager[RunAll]]
    pooled: bool = False  # whether it has a number of workers
    processes: bool = False  # whether its start method can be chosen
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

    Raises:
        TypeError: if *workers* is not a whole number.
        ValueError: if there is no such kind or start method, if the kind takes no such
            setting, or if *workers* is below 1 or above :data:`MOST_WORKERS`.

    Introduced in the chapter *Move CPU work off the loop*.
    """

    kind: str
    workers: int | None = None
    start_method: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"there is no model {self.kind!r}; there are {', '.join(KINDS)}"
            )
        kind = KINDS[self.kind]
        if self.workers is not None:
            if not kind.pooled:
                raise ValueError(
                    f"the model {self.kind!r} has no pool: leave workers out"
                )
            whole_number("workers", self.workers, MOST_WORKERS)
        if self.start_method is not None:
            if not kind.processes:
                raise ValueError(
                    f"the model {self.kind!r} has no start method to choose: leave "
                    "start_method out"
                )
            methods = multiprocessing.get_all_start_methods()
            if self.start_method not in methods:
                raise ValueError(
                    f"start_method is {self.start_method!r}; here it can be "
                    f"{', '.join(methods)}"
                )

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
        """Start the workers, and stop them at the end of the block.

        Raises:
            ModelUnavailableError: if the model cannot run here.
        """
        if reason := self.unavailable():
            raise ModelUnavailableError(reason)
        return KINDS[self.kind].enter(self)


def whole_number(what: str, value: object, most: int) -> None:
    """Refuse anything but a whole number from 1 to *most*."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{what} is {value}: give 1 or more")
    if value > most:
        raise ValueError(f"{what} is {value}: give {most} or fewer")


# ----------------------------------------------------------------- on the loop


@asynccontextmanager
async def _at_once(model: Model) -> AsyncIterator[RunAll]:
    """All jobs are callbacks of one iteration."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[T]] = _futures(count)
        for future in futures:
            loop.call_soon(_settle, future, job)
        return await asyncio.gather(*futures)

    yield run_all


@asynccontextmanager
async def _chain(model: Model) -> AsyncIterator[RunAll]:
    """Each job is a callback that asks for the next one."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[T]] = _futures(count)
        left = iter(futures)

        def step() -> None:
            future = next(left, None)
            if future is not None:
                _settle(future, job)
                loop.call_soon(step)

        loop.call_soon(step)
        return await asyncio.gather(*futures)

    yield run_all


def _futures(count: int) -> list[asyncio.Future[T]]:
    loop = asyncio.get_running_loop()
    return [loop.create_future() for _ in range(count)]


def _settle(future: asyncio.Future[T], job: Job[T]) -> None:
    try:
        result = job()
    except Exception as error:
        _reject(future, error)
    else:
        _resolve(future, result)


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _reject(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        if isinstance(error, StopIteration) or not isinstance(error, Exception):
            # A future takes no StopIteration, and SystemExit would end the loop.
            error = RuntimeError(f"it raised {error!r}")
        future.set_exception(error)


# --------------------------------------------------------------------- threads


@asynccontextmanager
async def _threads(model: Model) -> AsyncIterator[RunAll]:
    """One thread for each job, all started at once."""
    threads: list[threading.Thread] = []

    async def run_all(job: Job[T], count: int) -> list[T]:
        loop = asyncio.get_running_loop()

        def work(future: asyncio.Future[T]) -> None:
            try:
                result = job()
            except BaseException as error:  # nobody else would hear of it
                loop.call_soon_threadsafe(_reject, future, error)
            else:
                loop.call_soon_threadsafe(_resolve, future, result)

        futures: list[asyncio.Future[T]] = _futures(count)
        for future in futures:
            threads.append(threading.Thread(target=work, args=(future,), daemon=True))
            threads[-1].start()
        return await asyncio.gather(*futures)

    yield run_all
    for thread in threads:
        thread.join()


@asynccontextmanager
async def _to_thread(model: Model) -> AsyncIterator[RunAll]:
    """``asyncio.to_thread``: the loop's own pool, of at most cores + 4 threads."""

    async def run_all(job: Job[T], count: int) -> list[T]:
        return await asyncio.gather(*(asyncio.to_thread(job) for _ in range(count)))

    yield run_all
    await asyncio.get_running_loop().shutdown_default_executor()


# ------------------------------------------------------------------- executors


async def _on_executor(
    executor: concurrent.futures.Executor, job: Job[T], count: int
) -> list[T]:
    loop = asyncio.get_running_loop()
    careful = partial(with_an_error_that_travels, job)
    return await asyncio.gather(
        *(loop.run_in_executor(executor, careful) for _ in range(count))
    )


async def _all_answer(run_all: RunAll, size: int) -> None:
    """Wait until *size* workers have said hello, each under its own name."""
    seen: set[object] = set()
    limit = time.monotonic() + _START_LIMIT
    while len(seen) < size:
        seen.update(await run_all(partial(hello, _HELLO), size))
        if time.monotonic() > limit:
            raise TimeoutError(
                f"{len(seen)} of {size} workers have answered in {_START_LIMIT:g} s: "
                "ask for fewer, or close other programs"
            )


@asynccontextmanager
async def _executor(
    executor: concurrent.futures.Executor, size: int
) -> AsyncIterator[RunAll]:
    with executor:
        run_all = partial(_on_executor, executor)
        await _all_answer(run_all, size)
        yield run_all
        executor.shutdown(wait=True, cancel_futures=True)


def _thread_pool(model: Model) -> AbstractAsyncContextManager[RunAll]:
    return _executor(concurrent.futures.ThreadPoolExecutor(model.size), model.size)


def _process_pool(model: Model) -> AbstractAsyncContextManager[RunAll]:
    context = multiprocessing.get_context(model.start_method)
    return _executor(
        concurrent.futures.ProcessPoolExecutor(model.size, mp_context=context),
        model.size,
    )


def _interpreters(model: Model) -> AbstractAsyncContextManager[RunAll]:
    pool: Any = concurrent.futures
    return _executor(pool.InterpreterPoolExecutor(model.size), model.size)


def _needs_interpreters() -> str:
    if sys.version_info >= (3, 14):
        return ""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"a pool of interpreters needs Python 3.14 or newer; this is {here}"


# ------------------------------------------------------- multiprocessing.Pool


@asynccontextmanager
async def _pool(model: Model) -> AsyncIterator[RunAll]:
    context = multiprocessing.get_context(model.start_method)
    others = _children()
    pool = context.Pool(model.size)
    try:

        async def run_all(job: Job[T], count: int) -> list[T]:
            loop = asyncio.get_running_loop()
            futures: list[asyncio.Future[T]] = _futures(count)
            # Before the first job: one that dies at once is replaced at once.
            workers = _children() - others
            # Of the two callbacks one runs, in a thread of the pool.
            tell: Any = loop.call_soon_threadsafe
            for future in futures:
                pool.apply_async(
                    with_an_error_that_travels,
                    (job,),
                    callback=partial(tell, _resolve, future),
                    error_callback=partial(tell, _reject, future),
                )
            results = asyncio.ensure_future(asyncio.gather(*futures))
            await _unless_one_dies(workers, results)
            return list(results.result())

        await _all_answer(run_all, model.size)
        yield run_all
        pool.close()
    except BaseException:
        pool.terminate()
        raise
    finally:
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


# ------------------------------------------------------------------ a cluster


@asynccontextmanager
async def _dask(model: Model) -> AsyncIterator[RunAll]:
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
        run_all = partial(_on_executor, client.get_executor(pure=False))
        await _all_answer(run_all, model.size)
        yield run_all


def _needs_dask() -> str:
    if importlib.util.find_spec("distributed"):
        return ""
    return (
        "the model 'dask' needs the package distributed, which is not installed: "
        "pip install 'looplab[cluster]'"
    )


#: Every kind of model, from the loop itself to a cluster.
KINDS: dict[str, _Kind] = {
    "at once": _Kind("all at once", _at_once),
    "chain": _Kind("call_soon chain", _chain),
    "threads": _Kind("a thread each", _threads),
    "to_thread": _Kind("to_thread", _to_thread),
    "thread pool": _Kind("ThreadPoolExecutor", _thread_pool, pooled=True),
    "pool": _Kind("Pool", _pool, pooled=True, processes=True),
    "process pool": _Kind(
        "ProcessPoolExecutor", _process_pool, pooled=True, processes=True
    ),
    "interpreters": _Kind(
        "InterpreterPoolExecutor",
        _interpreters,
        pooled=True,
        needs=_needs_interpreters,
    ),
    "dask": _Kind("dask cluster", _dask, pooled=True, needs=_needs_dask),
}

#: What :func:`looplab.cpu_models.compare_models` compares unless told otherwise.
DEFAULT_MODELS: tuple[Model, ...] = tuple(Model(kind) for kind in KINDS)
