"""One measurement: what one model costs, and how late the loop is meanwhile.

This is the part that runs in the fresh process.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing.process
import multiprocessing.spawn
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from looplab.heartbeat import Heartbeat

from .models import Model

__all__ = ["Measurement", "measure", "measure_sent"]

#: Seconds between two beats.
_INTERVAL = 0.01


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


def measure_sent(request: tuple[dict[str, Any], Model, int, bytes]) -> Measurement:
    """Import what the other side can import, unpack the work and measure it."""
    prepare, model, count, work = request
    current: Any = multiprocessing.process.current_process()
    current._inheriting = True
    try:
        multiprocessing.spawn.prepare(prepare)
        function, args = pickle.loads(work)
    except Exception as error:
        raise ImportError(
            f"the work cannot be imported ({error}): what it needs must be defined in "
            'a module, and a script must measure only under if __name__ == "__main__":'
        ) from error
    finally:
        del current._inheriting
    return measure(model, partial(function, *args), count)


def measure(model: Model, job: Callable[[], Any], count: int) -> Measurement:
    """Run *job* so many times in the manner of *model*, in this process."""
    noted: dict[str, float] = {}

    async def main() -> tuple[float, int]:
        begun = time.perf_counter()
        async with model.enter() as run_all:
            ready = time.perf_counter()
            async with Heartbeat(_INTERVAL) as heartbeat:
                # The first beat must be asked for before the work begins.
                await asyncio.sleep(0)
                started = time.perf_counter()
                await run_all(job, count)
                noted["wall"] = time.perf_counter() - started
                # Work that is shorter than a beat must meet one too.
                await asyncio.sleep(2 * _INTERVAL)
        noted["startup"] = ready - begun
        return heartbeat.worst, heartbeat.count

    gc.collect()
    before = time.process_time(), _children_cpu()
    lateness, beats = asyncio.run(main())
    counted = _reap_forkserver()
    after = time.process_time(), _children_cpu()
    cpu = None
    if counted and before[1] is not None and after[1] is not None:
        cpu = after[0] - before[0] + after[1] - before[1]
    return Measurement(noted["wall"], noted["startup"], cpu, lateness, beats)


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
