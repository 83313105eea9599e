"""The exercises of chapter 4, *Keep the heartbeat on time*.

=============  ===================================================================
``04-predict``   a function ``lateness(jobs, cpu, beat_phase, interval)``
``04-parsons``   a list of line numbers
``04-fix``       an async function ``process(jobs)``
``04-modify``    a pair ``(workers, maxsize)``
``04-make``      an async function ``map_bounded(fn, items, limit)``
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from looplab.check import (
    NotYet,
    exercise,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from looplab.check.common import (
    as_number,
    compiled,
    executed,
    left_over,
    now,
    read_order,
    under_load,
)
from looplab.clock import burn
from looplab.heartbeat import Heartbeat

__all__ = [
    "FINISH_BOUND",
    "LATENESS_BOUND",
    "PARSONS_LINES",
    "parsons_program",
]

Job = Callable[[], Coroutine[Any, Any, None]]

_EPSILON = 1e-6


# 1. Predict


async def _storm(jobs: int, cpu: float, beat_phase: float, interval: float) -> float:
    async def job() -> None:
        burn(cpu)

    async with Heartbeat(interval) as heartbeat:
        await asyncio.sleep(2 * interval + beat_phase)
        storm = [asyncio.create_task(job()) for _ in range(jobs)]
        if storm:
            await asyncio.wait(storm)
        await asyncio.sleep(2 * interval)
    return heartbeat.worst


@exercise("04-predict")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``lateness(jobs, cpu, beat_phase, interval)``.

    It returns how late the heartbeat wakes, in seconds, when *jobs* tasks of *cpu*
    seconds each are created at once, *beat_phase* seconds after the heartbeat last woke
    (0 < beat_phase < interval) and *interval* seconds is how long it sleeps.  The check
    runs the storm on the virtual clock for eighteen choices of the parameters.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over lateness itself, without parentheses or arguments",
        )
    cases = [
        (200, 0.010, 0.5, 1.0),
        (200, 0.010, 0.125, 1.0),
        (20, 0.010, 0.5, 1.0),
        (300, 0.004, 0.25, 0.5),
        (40, 0.050, 1.75, 2.0),
        (0, 0.010, 0.5, 1.0),
    ]
    choose = random.Random(4)
    for _ in range(12):
        interval = choose.choice([0.25, 0.5, 1.0, 2.0, 5.0])
        phase = round(interval * choose.uniform(0.05, 0.95), 4)
        cpu = choose.choice([0.0013, 0.0107, 0.0501])
        cases.append((choose.randrange(1, 300), cpu, phase, interval))
    for jobs, cpu, phase, interval in cases:
        value = answer(jobs, cpu, phase, interval)
        seen = simulate(_storm(jobs, cpu, phase, interval))
        where = (
            f"{jobs} jobs of {cpu:g} s, {phase:g} s after a beat, interval "
            f"{interval:g} s"
        )
        if value is None or value is ...:
            raise NotYet(
                "lateness() returned no number.", "does it end with a return statement?"
            )
        said = as_number(value)
        if said is None:
            raise NotYet(
                f"lateness() returned {value!r}, which is not a number of seconds.",
                "an async function or a print() will not do: return the number",
            )
        if abs(said - seen) <= _EPSILON:
            continue
        total = jobs * cpu
        if said < 0:
            hint = "a heartbeat that wakes in time is 0 s late, never less"
        elif abs(said - total) <= _EPSILON:
            hint = (
                "that is how long the whole storm takes; part of it passes before the "
                "heartbeat is due"
            )
        elif abs(said - max(0.0, total - phase)) <= _EPSILON:
            hint = "take off what is left of the interval, not what has passed of it"
        elif abs(said - max(0.0, total - interval)) <= _EPSILON:
            hint = "part of the interval had passed when the storm began"
        else:
            hint = (
                "the jobs need jobs x cpu seconds in all; how many of these pass "
                "before the heartbeat is due?"
            )
        raise NotYet(
            f"{where}: your function says {said:.3f} s, the run {seen:.3f} s.", hint
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."


# 2. Put the lines in order

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


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


def _jobs(
    count: int, *, before: float, cpu: float, after: float, done: list[int]
) -> list[Job]:
    """Jobs that wait, compute, wait, and note their number in *done*."""

    def make(number: int) -> Job:
        async def job() -> None:
            if before:
                await asyncio.sleep(before)
            burn(cpu)
            if after:
                await asyncio.sleep(after)
            done.append(number)

        return job

    return [make(number) for number in range(count)]


@exercise("04-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a program ``run_jobs(jobs)`` whose four workers
    take jobs from a bounded queue, which ends when all jobs are done, and cancels the
    workers.  Thirteen lines are needed, two are not.  Every order that works passes.
    :func:`parsons_program` shows an order as a program.
    """
    order = read_order(answer, len(PARSONS_LINES), "[7, 13, 4]")
    namespace: dict[str, Any] = {"asyncio": asyncio}
    code = compiled(parsons_program(order), order, PARSONS_LINES)
    begin = "begin with 'async def run_jobs(jobs):'"
    process = executed(code, namespace, "run_jobs", begin)
    if process is None:
        raise NotYet("the program defines no run_jobs().", begin)
    if _NOT_AWAITED in order:
        raise NotYet(
            "line 12 calls queue.get() without await: job is a coroutine, not a job.",
            "another line does the same with await",
        )
    done: list[int] = []
    waiting = _jobs(20, before=0.010, cpu=0.010, after=0.010, done=done)
    load = simulate(under_load(process, waiting, name="run_jobs", done=done))
    if load.done < len(waiting):
        raise NotYet(
            f"only {load.done} of {len(waiting)} jobs were done.",
            "the workers must not be cancelled, nor a job called done, before it is",
        )
    if sorted(done) != list(range(len(waiting))):
        raise NotYet("some job was done twice.", "each job is taken once")
    if load.left:
        raise NotYet(
            f"all jobs are done, but {load.left} workers still wait for more.",
            "cancel every worker at the end",
        )
    done.clear()
    busy = _jobs(100, before=0.0, cpu=0.010, after=0.0, done=done)
    worst = simulate(under_load(process, busy, name="run_jobs")).worst
    if worst > 0.050:
        raise NotYet(
            f"all jobs are done, but the heartbeat is {worst:.3f} s late.",
            "get() on a queue that is not empty does not yield: bound the queue",
        )
    return (
        f"all jobs are done, the workers have ended, and the heartbeat is at most "
        f"{worst:.3f} s late."
    )


# 3. Fix the bug


@exercise("04-fix")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``process(jobs)``.

    *jobs* is a list of async functions without parameters; ``process`` runs each once
    and returns when all are done (what it returns is ignored).  The version to mend
    creates a task per job at once, each inside an ``asyncio.Semaphore(4)``.

    Required, on the virtual clock: with 200 jobs of CPU 0.010, worst lateness below
    0.050 s at several phases and at most 2.2 s in all; with 60 jobs that wait 0.030 and
    then compute 0.010, worst lateness below 0.050 s and at most 1.2 s in all (one after
    the other would take 2.4).  No task may be left behind.
    """
    need_async_function(answer, "process")
    worst_of_all = 0.0
    for count, before, limit in ((200, 0.0, 2.2), (60, 0.030, 1.2)):
        for phase in (0.5, 0.07, 0.313, 0.829):
            done: list[int] = []
            jobs = _jobs(count, before=before, cpu=0.010, after=0.0, done=done)
            load = simulate(
                under_load(
                    answer,
                    list(jobs),
                    name="process",
                    phase=phase,
                    interval=0.5,
                    done=done,
                )
            )
            kind = f"{count} jobs"
            if before:
                kind += f" that wait {before:g} s and then compute"
            if not load.done:
                raise NotYet(
                    "process() ended and not one job was done.",
                    "is the body still three dots, or an await missing?",
                )
            if load.done < count:
                raise NotYet(
                    f"only {load.done} of {kind} were done when process() returned.",
                    "wait for all of them, for example with 'await queue.join()'",
                )
            if sorted(done) != list(range(count)):
                raise NotYet("some job was done twice.", "each job is run once")
            if load.left:
                raise NotYet(
                    f"process() returned and left {load.left} tasks behind.",
                    "cancel the workers when all jobs are done",
                )
            if load.worst >= 0.050:
                raise NotYet(
                    f"{kind}: the heartbeat was {load.worst:.3f} s late.",
                    "a free semaphore does not yield: what counts is how much work is "
                    "ready in one iteration. Fewer tasks, fed by a bounded queue"
                    if not before
                    else "too many jobs wake at the same moment: use fewer workers",
                )
            if load.took > limit:
                raise NotYet(
                    f"{kind} took {load.took:.2f} s, more than {limit:g} s.",
                    "let several workers wait at the same time",
                )
            worst_of_all = max(worst_of_all, load.worst)
    return f"every job is done in time; worst lateness {worst_of_all:.3f} s."


# 4. Modify

#: ``04-modify``: seconds of lateness allowed, over all phases and both kinds of job.
LATENESS_BOUND = 0.045
#: ``04-modify``: seconds from first to last for 200 jobs that wait, compute and wait.
FINISH_BOUND = 2.6


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


@exercise("04-modify")
def check_modify(answer: Any) -> str:
    """The answer is a pair ``(workers, maxsize)`` of whole numbers, 1 or more.

    They are put into the program of experiment A5 (workers fed by an
    ``asyncio.Queue(maxsize)``), which is run over ten phases with 200 jobs of two
    kinds: sleep 0.010, CPU 0.010, sleep 0.010; and CPU 0.010 alone.  Worst lateness at
    most :data:`LATENESS_BOUND` with both, and the first kind done within
    :data:`FINISH_BOUND`.
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
        for step in range(10):
            done: list[int] = []
            jobs = _jobs(200, before=pause, cpu=0.010, after=pause, done=done)

            async def process(jobs: list[Job]) -> None:
                await _queue_of_the_article(jobs, workers, maxsize)

            load = simulate(
                under_load(
                    process, jobs, name="process", phase=step * 0.618_033_989 % 1
                )
            )
            worst[waits] = max(worst[waits], load.worst)
            if waits:
                finish = max(finish, load.took)
    if worst[True] > LATENESS_BOUND:
        raise NotYet(
            f"with {workers} workers the heartbeat is up to {worst[True]:.3f} s late, "
            f"more than {LATENESS_BOUND:g} s.",
            "jobs that wait can all wake in the same iteration: lateness grows to "
            "about workers x CPU",
        )
    if finish > FINISH_BOUND:
        raise NotYet(
            f"with {workers} workers the jobs take {finish:.2f} s, more than "
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
        f"at most {max(worst.values()):.3f} s late over 20 runs, "
        f"and done in {finish:.2f} s."
    )


# 5. Make


class _Crew:
    """Watches what map_bounded() does with its items."""

    def __init__(self) -> None:
        self.taken = 0
        self.started: list[int] = []
        self.ended: list[int] = []
        self.cancelled: list[int] = []
        self.running = 0
        self.most_running = 0
        self.most_ahead = 0

    def items(self, count: int) -> Iterator[int]:
        for number in range(count):
            self.taken += 1
            self.most_ahead = max(self.most_ahead, self.taken - len(self.ended))
            yield number

    async def work(self, number: int) -> str:
        self.started.append(number)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            # Uneven, so that results come in another order than items.
            await asyncio.sleep(0.010 * (1 + (7 * number) % 5))
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        finally:
            self.running -= 1
        self.ended.append(number)
        return f"result {number}"


@exercise("04-make")
def check_make(answer: Any) -> str:
    """The answer is an async function ``map_bounded(fn, items, limit)``.

    It awaits ``fn(item)`` once for every item and returns the list of results in the
    order of the items.  At most *limit* calls run at once, and as many do when there
    are enough items.  *items* is any iterable, perhaps a generator: no more than
    ``limit + 2`` items may be taken from it and not yet finished (those that run, one
    in a queue, one in hand), so a list of tasks made at once will not do.  When a call
    raises, the others are cancelled, no new one is started, and the error comes out
    (alone or in an exception group).  When the caller is cancelled the calls are too.
    No task is left behind, and a heartbeat beside it stays on time.
    """
    need_async_function(answer, "map_bounded")

    async def start(*arguments: Any) -> Any:
        work = answer(*arguments)
        need_awaitable(work, "map_bounded")
        return await work

    # Order, bound, backpressure.
    for count, limit in ((1, 1), (12, 1), (12, 3), (40, 5), (3, 10), (0, 4)):
        crew = _Crew()

        async def scenario(crew: _Crew, count: int, limit: int) -> Any:
            result = await finished(start(crew.work, crew.items(count), limit))
            await _nothing_left()
            return result

        what = f"{count} item{'' if count == 1 else 's'}, limit {limit}"
        result = simulate(scenario(crew, count, limit))
        if result is None:
            raise NotYet(
                f"{what}: map_bounded() returned None.",
                "collect the results and return the list",
            )
        if crew.most_running > limit:
            raise NotYet(
                f"{what}: {crew.most_running} calls ran at once.",
                "start no more workers than the limit allows",
            )
        expected = [f"result {number}" for number in range(count)]
        if not isinstance(result, list):
            raise NotYet(
                f"{what}: it returned {type(result).__name__}, not a list.",
                "return a list of results",
            )
        if result != expected:
            if sorted(map(str, result)) == sorted(expected):
                raise NotYet(
                    f"{what}: the results are in the order in which calls ended.",
                    "remember the position of each item and put its result there",
                )
            raise NotYet(
                f"{what}: it returned {_short(result)} instead of {count} results.",
                "wait for every call and keep what it returns",
            )
        if set(crew.started) != set(range(count)):
            raise NotYet(
                f"{what}: fn was not called for every item.",
                "call fn(item) and await it",
            )
        if len(crew.started) > count:
            raise NotYet(
                f"{what}: fn was called {len(crew.started)} times.",
                "call it once for each item",
            )
        if crew.most_ahead > limit + 2:
            raise NotYet(
                f"{what}: {crew.most_ahead} items had been taken and not finished.",
                "that is no backpressure: take the next item only when there is room, "
                "for example through a queue with maxsize=1",
            )
        if crew.most_running < min(limit, count):
            raise NotYet(
                f"{what}: never more than {crew.most_running} ran at once.",
                "let as many calls wait at the same time as the limit allows",
            )

    _check_failure(start)
    _check_cancellation(start)

    # The heartbeat.
    async def compute(number: int) -> int:
        burn(0.010)
        return number

    async def hold(jobs: list[Job]) -> None:
        await start(compute, iter(range(100)), 4)

    load = simulate(under_load(hold, [], name="map_bounded", interval=0.1))
    if load.worst > 0.2:
        raise NotYet(
            f"100 calls that never await: the heartbeat is {load.worst:.3f} s late.",
            "nothing yields between one call and the next; get() on an empty queue "
            "does",
        )
    return (
        "order, bound, backpressure, failure, cancellation and a heartbeat at most "
        f"{load.worst:.3f} s late."
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


async def _nothing_left() -> None:
    """Let cancelled tasks end; complain of those that have not been."""
    for _ in range(5):
        await asyncio.sleep(0)
    left = left_over()
    if left:
        raise NotYet(
            f"map_bounded() returned and left {len(left)} tasks behind.",
            "cancel the workers at the end, or create them in a TaskGroup",
        )


class _BrokenError(Exception):
    """What the failing call raises."""


def _check_failure(start: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    crew = _Crew()

    async def work(number: int) -> str:
        if number == 5:
            crew.started.append(number)
            await asyncio.sleep(0.015)
            raise _BrokenError("item 5 is broken")
        if number > 5:
            crew.started.append(number)
            await asyncio.sleep(100)
            return ""
        return await crew.work(number)

    async def scenario() -> None:
        try:
            await finished(start(work, crew.items(30), 3))
        except _BrokenError:
            pass
        except BaseExceptionGroup as group:
            _, others = group.split(_BrokenError)
            if others is not None:
                raise others from None
        else:
            raise NotYet(
                "one call raised, and map_bounded() returned as if nothing had been.",
                "an exception in a worker task must reach the caller: a TaskGroup "
                "passes it on",
            )
        if now() > 50:
            raise NotYet(
                "one call raised, and its error came out only when other calls were "
                "over, 100 s later.",
                "cancel the others at once: a TaskGroup does it",
            )
        started = len(crew.started)
        for _ in range(5):
            await asyncio.sleep(0)
        left = len(left_over())
        await asyncio.sleep(500)
        if len(crew.started) > started:
            raise NotYet(
                "one call raised, and afterwards others were still started.",
                "cancel all workers when one of them fails: a TaskGroup does it",
            )
        if left:
            raise NotYet(
                f"one call raised, and {left} tasks were left running.",
                "cancel all workers when one of them fails: a TaskGroup does it",
            )

    simulate(scenario())


def _check_cancellation(start: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    crew = _Crew()

    async def scenario() -> None:
        task = asyncio.create_task(start(crew.work, crew.items(100), 3))
        await asyncio.sleep(0.025)
        task.cancel()
        await asyncio.wait([task], timeout=10)
        started = len(crew.started)
        if not task.done():
            raise NotYet(
                "map_bounded() was cancelled and went on.",
                "let CancelledError through",
            )
        if not task.cancelled():
            raise NotYet(
                "map_bounded() was cancelled and returned as if it had not been.",
                "let CancelledError through",
            )
        await asyncio.sleep(1)
        if crew.running or len(crew.started) > started or not crew.cancelled:
            raise NotYet(
                "map_bounded() was cancelled and its calls went on.",
                "cancel the workers on the way out: a TaskGroup does it",
            )
        await _nothing_left()

    simulate(scenario())
