"""The checks of chapter 4: right answers pass, wrong ones are told why.

The answers of the lab and its wrong answers are run by tests/notebooks; here are
other right answers, and other mistakes with the words that they are told.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.jobs import JobQueue
from ontime.check import check, exercises
from ontime.check.late_heartbeat import PARSONS_LINES, parsons_program
from tests.ontime.check.exercise_checks import assert_not_yet, assert_passes


def test_the_exercises_of_chapter_4() -> None:
    names = ["04-fix", "04-make", "04-modify", "04-parsons", "04-predict"]
    assert [name for name in exercises() if name.startswith("04-")] == names


def test_predict_solution() -> None:
    def lateness(jobs: int, cpu: float, beat_phase: float, interval: float) -> float:
        return max(0.0, jobs * cpu - (interval - beat_phase))

    assert_passes("04-predict", lateness)


def stub_lateness(jobs: int, cpu: float, beat_phase: float, interval: float) -> Any: ...


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (stub_lateness, "returned no number"),
        (lambda jobs, cpu, beat_phase, interval: 1.5, "0.125 s after a beat"),
        (lambda jobs, cpu, beat_phase, interval: "1.5", "not a number"),
        (lambda jobs, cpu, beat_phase, interval: float("nan"), "says nan"),
        (lambda jobs, cpu: 1.5, "parameters"),
        (lambda jobs, cpu, beat_phase, interval: object(), "<object object>, which"),
        (1.5, "not a function"),
    ],
)
def test_predict_wrong(answer: Any, words: str) -> None:
    assert_not_yet("04-predict", answer, words)


ORDER = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]


def test_parsons_solution_and_other_orders_that_work() -> None:
    assert_passes("04-parsons", ORDER)
    assert_passes("04-parsons", tuple(ORDER))
    # The worker first, then the queue.
    assert_passes("04-parsons", [7, 4, 10, 6, 14, 2, 13, 8, 11, 1, 5, 15, 9])


def test_parsons_program_reads_as_python() -> None:
    program = parsons_program(ORDER)
    assert program.startswith("async def run_jobs(jobs):\n    queue =")
    compile(program, "x", "exec")
    assert len(set(PARSONS_LINES)) == len(PARSONS_LINES) == len(ORDER) + 2


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (list(range(1, 16)), "cannot stand at place 1"),
        ([], "the list is empty"),
        ([7, 7], "twice"),
        ([0], "there is no line 0"),
        ([7, 16], "there is no line 16"),
        (["async def"], "is not a line number"),
        (7, "not a list"),
        # The queue forgotten.
        ([n for n in ORDER if n != 13], "misspelt"),
    ],
)
def test_parsons_wrong(order: Any, words: str) -> None:
    assert_not_yet("04-parsons", order, words)


def test_parsons_leaves_the_answer_alone() -> None:
    order = list(ORDER)
    check("04-parsons", order)
    assert order == ORDER


async def the_bug(jobs: list[Any]) -> None:
    limit = asyncio.Semaphore(4)

    async def limited(job: Any) -> None:
        async with limit:
            await job()

    async with asyncio.TaskGroup() as group:
        for job in jobs:
            group.create_task(limited(job))


async def fixed_by_hand(jobs: list[Any]) -> None:
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)

    async def worker() -> None:
        while True:
            job = await queue.get()
            await job()
            queue.task_done()

    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in workers:
        task.cancel()


async def fixed_with_the_job_queue(jobs: list[Any]) -> None:
    async with JobQueue(workers=4, maxsize=1) as queue:
        for job in jobs:
            await queue.put(job)


@pytest.mark.parametrize("answer", [fixed_by_hand, fixed_with_the_job_queue])
def test_fix_solutions(answer: Any) -> None:
    assert_passes("04-fix", answer)


async def one_after_the_other(jobs: list[Any]) -> None:
    for job in jobs:
        await job()


async def polite_storm(jobs: list[Any]) -> None:
    """A task at a time, but all of those that wait compute together."""
    async with asyncio.TaskGroup() as group:
        for job in jobs:
            group.create_task(job())
            for _ in range(3):
                await asyncio.sleep(0)


async def fire_and_forget(jobs: list[Any]) -> None:
    for job in jobs:
        asyncio.create_task(job())


async def workers_left(jobs: list[Any]) -> None:
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)

    async def worker() -> None:
        while True:
            job = await queue.get()
            await job()
            queue.task_done()

    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    assert workers


async def no_workers(jobs: list[Any]) -> None:
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)
    for job in jobs:
        await queue.put(job)


async def polls(jobs: list[Any]) -> None:
    while jobs:
        await asyncio.sleep(0)


async def forgets_to_await(jobs: list[Any]) -> None:
    for job in jobs:
        job()


async def every_job_twice(jobs: list[Any]) -> None:
    await fixed_by_hand(jobs + jobs)


async def stub_process(jobs: list[Any]) -> None: ...


def plain_process(jobs: list[Any]) -> None: ...


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (stub_process, "not one job was done"),
        (plain_process, "async def"),
        (the_bug, "a free semaphore does not yield"),
        (one_after_the_other, "s late"),
        (polite_storm, "use fewer workers"),
        (fire_and_forget, "not one job"),
        (workers_left, "left 4 tasks behind"),
        (no_workers, "waits for ever"),
        (polls, "does not come to an end"),
        (forgets_to_await, "not one job"),
        (every_job_twice, "twice"),
    ],
)
def test_fix_wrong(answer: Any, words: str) -> None:
    assert_not_yet("04-fix", answer, words)


@pytest.mark.parametrize("answer", [(4, 1), [4, 2]])
def test_modify_solutions(answer: Any) -> None:
    assert_passes("04-modify", answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((4, 8), "takes all that is in the queue"),
        ((0, 1), "somebody has to do the work"),
        ((4, 1.0), "whole number"),
        ((True, 1), "whole number"),
        ((..., ...), "still three dots"),
        ((10**9, 1), "think smaller"),
        (4, "not a pair"),
        ((4, 1, 1), "not a pair"),
    ],
)
def test_modify_wrong(answer: Any, words: str) -> None:
    assert_not_yet("04-modify", answer, words)


async def map_with_the_job_queue(fn: Any, items: Any, limit: int) -> list[Any]:
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results


async def map_by_hand(fn: Any, items: Any, limit: int) -> list[Any]:
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)
    results: dict[int, Any] = {}

    async def worker() -> None:
        while True:
            number, item = await queue.get()
            results[number] = await fn(item)
            queue.task_done()

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(worker()) for _ in range(limit)]
        for numbered in enumerate(items):
            await queue.put(numbered)
        await queue.join()
        for task in workers:
            task.cancel()
    return [results[number] for number in sorted(results)]


@pytest.mark.parametrize("answer", [map_with_the_job_queue, map_by_hand])
def test_make_solutions(answer: Any) -> None:
    assert_passes("04-make", answer)


async def stub_map(fn: Any, items: Any, limit: int) -> Any: ...


async def map_gather(fn: Any, items: Any, limit: int) -> list[Any]:
    return await asyncio.gather(*(fn(item) for item in items))


async def map_invents(fn: Any, items: Any, limit: int) -> list[Any]:
    return [f"result {item}" for item in items]


async def map_calls_twice(fn: Any, items: Any, limit: int) -> list[Any]:
    async def twice(item: Any) -> Any:
        await fn(item)
        return await fn(item)

    return await map_with_the_job_queue(twice, items, limit)


async def map_fails_late(fn: Any, items: Any, limit: int) -> list[Any]:
    async with JobQueue(limit, fail_fast=False) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results


async def map_loose_workers(fn: Any, items: Any, limit: int) -> list[Any]:
    """Right until something goes wrong: the workers belong to nobody."""
    iterator = enumerate(items)
    results: dict[int, Any] = {}

    async def worker() -> None:
        for number, item in iterator:
            results[number] = await fn(item)

    await asyncio.gather(*(worker() for _ in range(limit)))
    return [results[number] for number in sorted(results)]


async def map_uncancellable(fn: Any, items: Any, limit: int) -> list[Any]:
    task = asyncio.create_task(map_with_the_job_queue(fn, items, limit))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


async def map_abandons(fn: Any, items: Any, limit: int) -> list[Any]:
    return await asyncio.shield(map_with_the_job_queue(fn, items, limit))


async def map_shared_iterator(fn: Any, items: Any, limit: int) -> list[Any]:
    """Workers that share an iterator: nothing yields when nothing waits."""
    shared = enumerate(items)
    found: dict[int, Any] = {}

    async def worker() -> None:
        for number, item in shared:
            found[number] = await fn(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(limit):
            group.create_task(worker())
    return [found[number] for number in sorted(found)]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (stub_map, "returned None"),
        (map_gather, "12 calls ran at once"),
        (map_invents, "not called for every item"),
        (map_calls_twice, "1 item, limit 1: fn was called 2 times"),
        (map_fails_late, "100 s later"),
        (map_loose_workers, "afterwards others were still started"),
        (map_uncancellable, "was cancelled and"),
        (map_abandons, "its calls went on"),
        (map_shared_iterator, "nothing yields between one call and the next"),
        (lambda fn, items, limit: [], "async def"),
    ],
)
def test_make_wrong(answer: Any, words: str) -> None:
    assert_not_yet("04-make", answer, words)
