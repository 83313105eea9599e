"""The models: ways to run the same jobs while an event loop is running.

A :class:`Model` says which way and with how many workers.  Each way is an async context
manager: entering it starts the workers and waits until every one of them has answered,
leaving it stops them and waits for their end.

Standard library only; the cluster needs ``distributed``, which is imported when used.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from looplab._numbers import count_of
from ontime.measuring.records import usable_cores

from .ways.cluster import needs_cluster, on_cluster
from .ways.executors import (
    in_interpreters,
    in_process_pool,
    in_thread_pool,
    needs_interpreters,
)
from .ways.futures import RunAll
from .ways.on_the_loop import all_at_once, in_chain
from .ways.pool import in_pool
from .ways.threads import in_threads, with_to_thread

__all__ = [
    "DEFAULT_MODELS",
    "KINDS",
    "MOST_JOBS",
    "MOST_WORKERS",
    "Model",
    "ModelUnavailableError",
]

#: The most workers of a pool.  Windows waits for no more processes than this.
MOST_WORKERS = 61

#: The most jobs of one measurement.
MOST_JOBS = 1000


class ModelUnavailableError(RuntimeError):
    """A model needs a newer Python or a package that is not installed."""


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
            count_of(self.workers, "workers", most=MOST_WORKERS)
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


#: Every kind of model, from the loop itself to a cluster.
KINDS: dict[str, _Kind] = {
    "at once": _Kind("all at once", all_at_once),
    "chain": _Kind("call_soon chain", in_chain),
    "threads": _Kind("a thread each", in_threads),
    "to_thread": _Kind("to_thread", with_to_thread),
    "thread pool": _Kind("ThreadPoolExecutor", in_thread_pool, pooled=True),
    "pool": _Kind("Pool", in_pool, pooled=True, processes=True),
    "process pool": _Kind(
        "ProcessPoolExecutor", in_process_pool, pooled=True, processes=True
    ),
    "interpreters": _Kind(
        "InterpreterPoolExecutor",
        in_interpreters,
        pooled=True,
        needs=needs_interpreters,
    ),
    "dask": _Kind("dask cluster", on_cluster, pooled=True, needs=needs_cluster),
}

#: What :func:`ontime.cpu_models.compare_models` compares unless told otherwise.
DEFAULT_MODELS: tuple[Model, ...] = tuple(Model(kind) for kind in KINDS)
