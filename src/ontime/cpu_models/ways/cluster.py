"""Jobs on a cluster of this machine; ``distributed`` is imported when it is used."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from .executors import all_answer, on_executor
from .futures import RunAll

if TYPE_CHECKING:
    from ontime.cpu_models.models import Model

__all__ = ["needs_cluster", "on_cluster"]


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
