"""One measurement: what one model costs, and how late the loop is meanwhile.

This is the part that runs in the fresh process of :mod:`ontime.cpu_models.fresh`.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from looplab.heartbeat import Heartbeat

from .models import Model

__all__ = ["Measurement", "measure"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run of one model.  Times are seconds."""

    #: From handing over the first job until the last result is there.
    wall: float
    #: From asking for the workers until every one of them has answered.
    startup: float
    #: CPU time of the process and of all its children, starting and stopping included;
    #: None where the system does not tell.
    cpu: float | None
    #: The worst lateness of a heartbeat on the loop while the jobs were running.
    lateness: float
    #: How many beats there were.
    beats: int

    @property
    def total(self) -> float:
        """Start-up and work together."""
        return self.startup + self.wall


def measure(
    model: Model,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    count: int,
    interval: float,
) -> Measurement:
    """Run ``function(*args)`` *count* times in the manner of *model*, in this process.

    The heartbeat beats every *interval* seconds.
    """
    from functools import partial

    job = partial(function, *args)
    noted: dict[str, float] = {}

    async def main() -> tuple[float, int]:
        begun = time.perf_counter()
        async with model.enter() as run_all:
            ready = time.perf_counter()
            async with Heartbeat(interval) as heartbeat:
                # The first beat must be asked for before the work begins.
                await asyncio.sleep(0)
                started = time.perf_counter()
                await run_all(job, count)
                noted["wall"] = time.perf_counter() - started
                # Work that is shorter than a beat must meet one too.
                await asyncio.sleep(2 * interval)
        noted["startup"] = ready - begun
        return heartbeat.worst, heartbeat.count

    gc.collect()
    before = _own_cpu(), _children_cpu()
    lateness, beats = asyncio.run(main())
    counted = _reap_forkserver()
    after = _own_cpu(), _children_cpu()
    cpu = None
    if counted and before[1] is not None and after[1] is not None:
        cpu = after[0] - before[0] + after[1] - before[1]
    return Measurement(noted["wall"], noted["startup"], cpu, lateness, beats)


def _own_cpu() -> float:
    return time.process_time()


def _children_cpu() -> float | None:
    """CPU time of the children that have ended; None where nobody knows it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _reap_forkserver() -> bool:
    """End a forkserver, if there is one: its children count only once it has ended.

    Returns whether all CPU time of children can be read now.
    """
    module = sys.modules.get("multiprocessing.forkserver")
    server = getattr(module, "_forkserver", None)
    if server is None or getattr(server, "_forkserver_pid", None) is None:
        return True
    with suppress(Exception):  # a private method: it may go
        server._stop()
        return True
    return False
