"""The extra exercises of chapter 4, *Keep the heartbeat on time*."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from looplab.clock import burn
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    need_awaitable,
    need_function,
    need_number,
    now,
    simulate,
    under_load,
)
from ontime.check.verdict import NotYet

# 04-xslices: how much do slices help?


async def _sliced(jobs: int, slices: int, cpu: float, before: float) -> float:
    """How late a beat is that is due *before* seconds after the jobs have begun."""

    async def job() -> None:
        for n in range(slices):
            if n:
                await asyncio.sleep(0)
            burn(cpu / slices)

    async with Heartbeat(1000) as heartbeat:
        await asyncio.sleep(1000 - before)
        async with asyncio.TaskGroup() as group:
            for _ in range(jobs):
                group.create_task(job())
        await asyncio.sleep(900)
    return heartbeat.worst


def _worst_seen(jobs: int, slices: int, cpu: float) -> float:
    """The worst of the beats that are due just after an iteration has begun."""
    one = jobs * cpu / slices
    phases = [n * one + 1e-6 for n in range(slices)]
    return max(simulate(_sliced(jobs, slices, cpu, phase)) for phase in phases)


@exercise("04-xslices")
def check_slices(answer: Any) -> str:
    """The answer is a function ``worst(jobs, slices, cpu)``.

    It says how late a beat can be, in seconds, beside *jobs* tasks that begin at once
    and compute for *cpu* seconds each, in so many equal slices with ``sleep(0)``
    between them.
    """
    need_function(answer, "worst")
    for jobs, slices, cpu in (
        (200, 1, 0.01),
        (10, 2, 0.5),
        (10, 3, 0.5),
        (10, 5, 0.5),
        (40, 10, 0.25),
        (1, 4, 2.0),
    ):
        seen = _worst_seen(jobs, slices, cpu)
        said = need_number(answer(jobs, slices, cpu), "worst")
        if abs(said - seen) < 1e-4:
            continue
        one = jobs * cpu / slices
        hint = "the CPU work of three iterations in a row, if there are three"
        if abs(said - 3 * one) < 1e-4:
            hint = "with fewer than three slices there are fewer full iterations"
        elif abs(said - one) < 1e-4 or abs(said - cpu / slices) < 1e-4:
            hint = (
                "one iteration runs a slice of every job, and the end of a sleep "
                "touches three iterations"
            )
        elif abs(said - jobs * cpu) < 1e-4:
            hint = "after each slice the loop looks at its timers: slices do help"
        raise NotYet(
            f"{jobs} jobs of {cpu:g} s in {slices} slices: the worst beat is "
            f"{seen:.3f} s late, and your function says {said:.3f}.",
            hint,
        )
    return "three slices of every job, or all there are."


# 04-xevery: a fixed rate, without a burst


async def _ticked(answer: Any, interval: float, works: list[float]) -> list[float]:
    began: list[float] = []
    start = now()

    async def work() -> None:
        n = len(began)
        began.append(round(now() - start, 6))
        await asyncio.sleep(works[n] if n < len(works) else 0)

    running = answer(interval, work)
    need_awaitable(running, "every")

    async def body() -> None:
        await running

    task = asyncio.ensure_future(body())
    await asyncio.wait([task], timeout=10.5 * interval)
    if task.done():
        task.result()
        raise NotYet(
            f"every() ended by itself after {len(began)} ticks.",
            "it goes on until it is cancelled",
        )
    task.cancel()
    await abandoned()
    return began


@exercise("04-xevery")
def check_every(answer: Any) -> str:
    """The answer is an async function ``every(interval, work)``.

    It awaits ``work()`` at 0 and at each whole multiple of *interval* seconds after it.
    A tick that falls due while the work is under way is left out.
    """
    need_async_function(answer, "every")
    for interval, works, wanted, story, hint in (
        (
            2.0,
            [],
            [2.0 * n for n in range(11)],
            "work that takes no time",
            "the first tick is at 0",
        ),
        (
            2.0,
            [0.5] * 11,
            [2.0 * n for n in range(11)],
            "work of 0.5 s, every 2 s",
            "sleep until the next multiple, not for an interval after the work",
        ),
        (
            1.0,
            [0.25, 2.5, 0.25],
            [0, 1, 4, 5, 6, 7, 8, 9, 10],
            "every 1 s; the second work takes 2.5 s",
            "what was missed stays missed: go to the first multiple that is still to "
            "come, instead of catching up",
        ),
    ):
        began = simulate(_ticked(answer, interval, works))
        if began != wanted:
            at = ", ".join(f"{t:g}" for t in began[:6])
            raise NotYet(f"{story}: it began at {at} ...", hint)
    return "on the beat, whatever the work takes, and never in a burst."


# 04-xfair: no customer waits for another's two hundred


@exercise("04-xfair")
def check_fair(answer: Any) -> str:
    """The answer is a class ``Fair`` with ``put(customer, job)``, ``get()``, ``len()``.

    ``get()`` gives the customers turns, and each customer's jobs in order.
    """
    need_function(answer, "Fair")
    line = answer()
    for n in range(5):
        line.put("big", f"big {n}")
    line.put("small", "small 0")
    if len(line) != 6:
        raise NotYet(f"six jobs were put; len() says {len(line)}.", "count all lines")
    got = [line.get() for _ in range(4)]
    wanted = ["big 0", "small 0", "big 1", "big 2"]
    if got != wanted:
        raise NotYet(
            f"big had put five jobs and small one; they came as {got}, not {wanted}.",
            "a line for each customer; who had a turn goes to the end of the customers",
        )
    line.put("small", "small 1")
    line.put("third", "third 0")
    line.put("small", "small 2")
    got = [line.get() for _ in range(5)]
    wanted = ["big 3", "small 1", "third 0", "big 4", "small 2"]
    if got != wanted:
        raise NotYet(
            f"with big 3 and big 4 in line came small 1, third 0 and small 2; they "
            f"went as {got}, not {wanted}.",
            "a customer whose line was empty joins at the end of the turns, once",
        )
    if len(line):
        raise NotYet(f"all is taken; len() says {len(line)}.", "forget empty lines")
    try:
        value = line.get()
    except LookupError:
        pass
    else:
        raise NotYet(f"an empty line gave {value!r}.", "raise a LookupError there")
    line.put("big", "again")
    if line.get() != "again":
        raise NotYet("an old customer came back in vain.", "make a new line for it")
    return "a turn for each customer, and each one's jobs in order."


# 04-xworkers: the fewest that are enough, and on time


@exercise("04-xworkers")
def check_workers(answer: Any) -> str:
    """The answer is a function ``workers(wait, cpu, late)``; whole milliseconds.

    It gives the fewest workers that keep the thread busy with jobs that wait, then
    compute, but never so many that a timer may be later than *late*.
    """
    need_function(answer, "workers")
    for wait, cpu, late in (
        (20, 10, 100),
        (90, 10, 50),
        (90, 10, 1000),
        (0, 10, 100),
        (95, 10, 1000),
        (90, 10, 55),
        (90, 10, 4),
        (5, 10, 100),
    ):
        full = -(-(wait + cpu) // cpu)
        right = max(1, min(full, late // cpu))
        said = need_number(answer(wait, cpu, late), "workers")
        if said == right:
            continue
        where = f"wait {wait} ms, compute {cpu} ms, at most {late} ms late"
        if said != int(said):
            hint = "workers are whole: round up to fill the thread, down to be on time"
        elif said < 1:
            hint = "without a worker nothing is done: at least one"
        elif said > right and said * cpu > late:
            hint = (
                "all workers may wake together: their number times cpu is the lateness"
            )
        elif said > right:
            hint = "(wait + cpu) ÷ cpu of them fill the thread; more bring nothing"
        else:
            hint = "more fit into what may be late, and the thread is not yet busy"
        raise NotYet(f"{where}: {right} are right, and it says {said:g}.", hint)
    return "as many as the thread can use, and no more than may be late."


# 04-xsettle: a job that fails does not stop the crew


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
    need_awaitable(running, "settle")

    async def body() -> Any:
        return await running

    try:
        outcomes = await finished(body())
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
    words = [f"error {one}" if isinstance(one, _JobError) else one for one in outcomes]
    return words, most, took, await abandoned()


@exercise("04-xsettle")
def check_settle(answer: Any) -> str:
    """The answer is an async function ``settle(jobs, workers)``.

    It runs the jobs, *workers* at a time, and returns for each job its result or the
    error that it raised, in order.  Beside jobs that only compute a heartbeat is on
    time.
    """
    need_async_function(answer, "settle")
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
                f"{story}: {seen} were under way at most, not {most}.",
                "as many workers as are asked for, each with one job",
            )
        if took > shortest + 1e-6:
            raise NotYet(
                f"{story}: it took {took:g} s.",
                "who is done takes the next job at once",
            )
        if left:
            raise NotYet(
                f"{story}: {left} tasks are left.",
                "cancel the workers, or let them end",
            )
    _judge_lateness(answer)
    return "every job has its outcome, and the heartbeat is on time."


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
