"""``04-parsons``: workers and a queue, out of shuffled lines."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.late_heartbeat.jobs import make_jobs
from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.tools import several, simulate, under_load
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Two are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "        await queue.put(job)",
    "            queue.task_done()",
    "    queue = asyncio.Queue()",
    "    async def worker():",
    "    await queue.join()",
    "            job = await queue.get()",
    "async def run_jobs(jobs):",
    "    workers = [asyncio.create_task(worker()) for _ in range(4)]",
    "        task.cancel()",
    "        while True:",
    "    for job in jobs:",
    "            job = queue.get()",
    "    queue = asyncio.Queue(maxsize=1)",
    "            await job()",
    "    for task in workers:",
)

_UNBOUNDED = 3

_NOT_AWAITED = 12


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


@exercise("04-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a program ``run_jobs(jobs)`` whose four workers
    take jobs from a bounded queue, which ends when all jobs are done, and cancels the
    workers.  Thirteen lines are needed, two are not.  Every order that works passes.
    :func:`parsons_program` shows an order as a program.
    """
    namespace: dict[str, Any] = {"asyncio": asyncio}
    order, code = _SHUFFLED.read(answer, "[7, 13, 4]")
    exec(code, namespace)
    process = namespace["run_jobs"]
    if _NOT_AWAITED in order:
        raise NotYet(
            "line 12 calls queue.get() without await: job is a coroutine, not a job.",
            "another line does the same with await",
        )
    done: list[int] = []
    waiting = make_jobs(20, before=0.010, cpu=0.010, after=0.010, done=done)
    load = simulate(under_load(process, waiting, name="run_jobs", done=done))
    if load.done < len(waiting):
        raise NotYet(
            f"only {load.done} of {len(waiting)} jobs were done.",
            "a worker must not be cancelled, or a job called done, before it is",
        )
    if load.left:
        raise NotYet(
            f"all jobs are done, but it leaves {several(load.left, 'worker')} behind.",
            "cancel every worker at the end",
        )
    done.clear()
    busy = make_jobs(100, before=0.0, cpu=0.010, after=0.0, done=done)
    worst = simulate(under_load(process, busy, name="run_jobs")).worst
    if worst > 0.050:
        raise NotYet(
            f"all jobs are done, but the heartbeat is {worst:.3f} s late.",
            "get() on a queue that is not empty does not yield: bound the queue",
        )
    return (
        f"all jobs are done, the workers have ended, and the latest beat was "
        f"{worst:.3f} s late."
    )
