"""``04-modify``: how many workers, how long a queue."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from looplab.heartbeat import Heartbeat
from ontime.check.late_heartbeat.jobs import Job, make_jobs
from ontime.check.registry import exercise
from ontime.check.tools import abandoned, finished, now, simulate
from ontime.check.verdict import NotYet

__all__ = ["FINISH_BOUND", "LATENESS_BOUND"]

#: ``04-modify``: seconds of lateness allowed, over all phases and both kinds of job.
LATENESS_BOUND = 0.045

#: ``04-modify``: seconds from first to last for 200 jobs that wait, compute and wait.
FINISH_BOUND = 2.6
# A beat that is due a moment later is late by that moment less. So the worst of these
# phases is less than 0.003 s below the worst of all, and one more worker costs 0.010 s.
_PHASES = 199


async def _queue_of_the_article(jobs: list[Job], workers: int, maxsize: int) -> None:
    queue: asyncio.Queue[Job] = asyncio.Queue(maxsize)

    async def worker() -> None:
        while True:
            job = await queue.get()
            await job()
            queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in tasks:
        task.cancel()


async def _at_many_phases(
    jobs: list[Job], workers: int, maxsize: int
) -> tuple[float, float]:
    """The worst lateness at any of many phases, and how long the jobs took.

    Beats take no time, so heartbeats of all phases fit into one run.
    """
    interval = 0.5
    async with AsyncExitStack() as stack:
        beats = []
        for _ in range(_PHASES):
            beats.append(await stack.enter_async_context(Heartbeat(interval)))
            await asyncio.sleep(interval / _PHASES)
        start = now()
        await finished(_queue_of_the_article(jobs, workers, maxsize))
        took = now() - start
        await asyncio.sleep(2 * interval)
        await abandoned()
        return max(beat.worst for beat in beats), took


@exercise("04-modify")
def check_modify(answer: Any) -> str:
    """The answer is a pair ``(workers, maxsize)`` of whole numbers, 1 or more.

    They are put into the program of experiment A5 (workers fed by an
    ``asyncio.Queue(maxsize)``), which is run beside 199 heartbeats of different
    phases with 200 jobs of two kinds: sleep 0.010, CPU 0.010, sleep 0.010; and CPU
    0.010 alone.  Worst lateness at most :data:`LATENESS_BOUND` with both, and the first
    kind done within :data:`FINISH_BOUND`.
    """
    try:
        workers, maxsize = answer
    except (TypeError, ValueError):
        raise NotYet(
            f"the answer is {answer!r}, not a pair.", "hand over (workers, maxsize)"
        ) from None
    for what, value in (("workers", workers), ("maxsize", maxsize)):
        if value is ...:
            raise NotYet(f"{what} is still three dots.", "put a number there")
        if isinstance(value, bool) or not isinstance(value, int):
            raise NotYet(f"{what} is {value!r}.", "it must be a whole number")
        if value < 1:
            raise NotYet(
                f"{what} is {value}.",
                "an asyncio.Queue takes 0 for 'no bound at all'"
                if what == "maxsize"
                else "somebody has to do the work",
            )
        if value > 1000:
            raise NotYet(f"{what} is {value}.", "there are 200 jobs: think smaller")
    worst = {True: 0.0, False: 0.0}
    finish = 0.0
    for waits in (True, False):
        pause = 0.010 if waits else 0.0
        jobs = make_jobs(200, before=pause, cpu=0.010, after=pause, done=[])
        worst[waits], took = simulate(_at_many_phases(jobs, workers, maxsize))
        if waits:
            finish = took
    if worst[True] > LATENESS_BOUND:
        raise NotYet(
            f"workers={workers}: the heartbeat is up to {worst[True]:.3f} s late, "
            f"more than {LATENESS_BOUND:g} s.",
            "jobs that wait can all wake in the same iteration: a beat is up to "
            "workers x CPU late",
        )
    if finish > FINISH_BOUND:
        raise NotYet(
            f"workers={workers}: the jobs take {finish:.4g} s, more than "
            f"{FINISH_BOUND:g} s.",
            "while one job waits another can compute: how many does it take to fill "
            "the waiting time?",
        )
    if worst[False] > LATENESS_BOUND:
        raise NotYet(
            f"jobs that never wait, with maxsize={maxsize}: the heartbeat is up to "
            f"{worst[False]:.3f} s late, more than {LATENESS_BOUND:g} s.",
            "get() on a queue that is not empty does not yield, so one worker takes "
            "all that is in the queue in one iteration",
        )
    return (
        f"the latest of {_PHASES} phases is {max(worst.values()):.3f} s late, "
        f"and all is done in {finish:.2f} s."
    )
