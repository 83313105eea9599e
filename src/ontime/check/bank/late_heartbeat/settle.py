"""A job that fails does not stop the crew."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from looplab.clock import burn
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    now,
    several,
    simulate,
    under_load,
)
from ontime.check.verdict import NotYet


class _JobError(Exception):
    pass


async def _settled(answer: Any, costs: list[tuple[float, float, bool]]) -> Any:
    """The outcomes in words, the most jobs under way, the time, and tasks left."""
    under_way = most = 0

    async def job(n: int, wait: float, cpu: float, fails: bool) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            if wait:
                await asyncio.sleep(wait)
            burn(cpu)
            if fails:
                raise _JobError(str(n))
            return f"job {n}"
        finally:
            under_way -= 1

    running = answer([partial(job, n, *cost) for n, cost in enumerate(costs)], 3)
    try:
        outcomes = await finished(running, "settle")
    except (_JobError, BaseExceptionGroup) as error:
        raise NotYet(
            f"a job failed, and settle() raised {type(error).__name__}.",
            "catch the error of a job where it is awaited, and keep it as the outcome",
        ) from None
    took = now()
    if not isinstance(outcomes, list):
        raise NotYet(
            f"it returned {outcomes!r}.", "a list with an outcome for each job"
        )
    words = [
        f"error {outcome}" if isinstance(outcome, _JobError) else outcome
        for outcome in outcomes
    ]
    return words, most, took, await abandoned()


@exercise("04-xsettle", need_async_function, "settle")
def check_settle(answer: Any) -> str:
    """The answer is an async function ``settle(jobs, workers)``.

    It runs the jobs, *workers* at a time, and returns for each job its result or the
    error that it raised, in order.  Beside jobs that only compute a heartbeat is on
    time.
    """
    for costs, most, shortest, story in (
        ([], 0, 0.0, "no jobs"),
        ([(0.2, 0.0, False)] * 6, 3, 0.4, "six jobs that wait 0.2 s"),
        ([(0.2, 0.0, n == 0) for n in range(4)], 3, 0.4, "the first of four fails"),
        ([(0.2, 0.0, True)] * 9, 3, 0.6, "all nine fail"),
        (
            [(1.0, 0.0, False), *[(0.2, 0.0, False)] * 8],
            3,
            1.0,
            "one job of 1 s and eight of 0.2 s",
        ),
    ):
        words, seen, took, left = simulate(_settled(answer, list(costs)))
        wanted = [
            f"error {n}" if fails else f"job {n}"
            for n, (_, _, fails) in enumerate(costs)
        ]
        if words != wanted:
            raise NotYet(
                f"{story}: the outcomes are {words}, not {wanted}.",
                "catch the error of a job where it is awaited, and store it at the "
                "job's place: a worker that lets it out is dead",
            )
        if seen != most:
            raise NotYet(
                f"{story}: never more than {seen} were under way, not {most}.",
                "as many workers as are asked for, each with one job",
            )
        if took > shortest + 1e-6:
            raise NotYet(
                f"{story}: it took {took:g} s.",
                "a worker that is done takes the next job at once",
            )
        if left:
            raise NotYet(
                f"{story}: {several(left, 'task')} left behind.",
                "cancel the workers, or let them end",
            )
    _judge_cancelling(answer)
    _judge_lateness(answer)
    return "every job has its outcome, and the heartbeat is on time."


def _judge_cancelling(answer: Any) -> None:
    async def cancelled() -> tuple[float, int]:
        jobs = [partial(asyncio.sleep, 1.0)] * 9
        running = asyncio.ensure_future(answer(jobs, 3))
        await asyncio.sleep(0.5)
        running.cancel()
        await asyncio.wait([running])
        return now(), await abandoned()

    ended, left = simulate(cancelled())
    if ended > 0.5 or left:
        raise NotYet(
            f"cancelled at 0.5 s it works on until {ended:g} s.",
            "catch Exception: a cancellation is not one, and has to come through",
        )


def _judge_lateness(answer: Any) -> None:
    async def job() -> None:
        burn(0.010)

    async def beside(phase: float) -> float:
        load = await under_load(
            lambda jobs: answer(jobs, 3), [job] * 200, name="settle", phase=phase
        )
        return load.worst

    worst = max(simulate(beside(phase)) for phase in (0.013, 0.377, 0.611, 0.909))
    if worst > 0.100:  # three workers, a job each, in each of three iterations
        raise NotYet(
            f"beside 200 jobs of 10 ms that never wait a beat is {worst:.2f} s late.",
            "a job that does not wait does not let others in: a queue of size 1 before "
            "the workers, or a sleep(0) between two jobs",
        )
