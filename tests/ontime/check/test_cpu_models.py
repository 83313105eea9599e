"""The checks of chapter 2: good answers of other kinds pass, bad ones are told why."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from typing import Any

import pytest

from looplab import elapsed, run
from ontime.check import check
from ontime.check.cpu_models import PARSONS_LINES, Office, parsons_program
from ontime.cpu_models import product


def says(name: str, answer: object, *words: str) -> None:
    verdict = check(name, answer)
    assert not verdict, verdict
    for word in words:
        assert word in repr(verdict), verdict


# ------------------------------------------------------------- the simulation


def test_work_holds_whoever_runs_it_and_offload_does_not() -> None:
    async def main() -> tuple[float, float, list[int]]:
        office = Office(2, 0.5)
        office.work(3)
        here = elapsed()
        jobs = [office.offload(office.work, n) for n in range(4)]
        results = await asyncio.gather(*jobs)
        assert (office.most_waiting, office.done) == (4, 4)
        return here, elapsed(), results

    assert run(main()) == (0.5, 1.5, [0, 1, 4, 9])


def test_offload_lets_an_error_through() -> None:
    async def main() -> None:
        office = Office(1, 0.5)
        await office.offload(office.work, -1)

    with pytest.raises(ValueError, match="no square of -1"):
        run(main())


# ----------------------------------------------------------------- 1. predict


def test_predict_passes() -> None:
    assert check("02-predict", lambda w, j, s: (min(j, 3) if w == "chain" else j) * s)


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (4.5, "not a function"),
        (lambda way, jobs, seconds: "long", "which is not a number of seconds"),
        (lambda way, jobs, seconds: None, "no number"),
        (lambda way, jobs, seconds: 0, "all jobs are ready in one iteration"),
        (lambda way, jobs, seconds: jobs * seconds, "the next sees its timer"),
        (
            lambda w, j, s: (3 if w == "chain" else j) * s,
            "a chain cannot make a beat later than all of its jobs",
        ),
        (lambda way, jobs: 1, "compare the parameters"),
    ],
)
def test_predict_says_why(answer: object, word: str) -> None:
    says("02-predict", answer, word)


# ----------------------------------------------------------------- 2. parsons

RIGHT = [4, 2, 6, 7, 9, 1]


def test_parsons_passes_and_the_program_runs() -> None:
    assert check("02-parsons", RIGHT)
    names: dict[str, Any] = {"asyncio": asyncio, "product": product}
    exec(parsons_program(RIGHT), names)
    # Threads do here: the test is about the program and not about its speed.
    with ThreadPoolExecutor(2) as pool:
        assert asyncio.run(names["products"](pool, [3, 4, 5])) == [2, 6, 24]


def compiles(program: str) -> bool:
    try:
        compile(program, "<program>", "exec")
    except SyntaxError:
        return False
    return True


def test_parsons_has_one_right_order() -> None:
    """Of all orders of the six lines that begin with the def and are Python."""
    rest = [number for number in RIGHT if number != 4]
    orders = [[4, *order] for order in permutations(rest)]
    programs = [order for order in orders if compiles(parsons_program(order))]
    assert len(programs) > 1
    assert [order for order in programs if check("02-parsons", order)] == [RIGHT]


@pytest.mark.parametrize(
    ("order", "word"),
    [
        (3, "not a list"),
        ([], "empty"),
        ([4, ...], "not a line number"),
        ([4, 99], "no line 99"),
        ([4, 4], "twice"),
        ([2, 4], "cannot come first"),
        ([4, 2, 6, 3, 9, 1], "without calling it"),
        ([4, 2, 6, 7, 9, 5], "are awaited"),
        ([4, 2, 8, 6, 7, 9, 1], "whoever calls the function owns it"),
        ([4, 2, 6], "3 lines are missing"),
        ([4, 2, 6, 7, 9], "1 line is missing"),
        ([4, 6, 2, 7, 9, 1], "syntax error"),
        ([4, 1, 2, 6, 7, 9], "before it has a value"),
    ],
)
def test_parsons_says_why(order: object, word: str) -> None:
    says("02-parsons", order, word)


def test_parsons_lines_that_are_not_needed_are_three() -> None:
    assert sorted([*RIGHT, 3, 5, 8]) == list(range(1, len(PARSONS_LINES) + 1))


# --------------------------------------------------------------------- 3. fix


def test_fix_passes_with_tasks_too() -> None:
    async def answer(
        requests: list[int], work: Any, offload: Callable[..., Awaitable[int]]
    ) -> list[int]:
        tasks = [asyncio.ensure_future(offload(work, each)) for each in requests]
        return [await task for task in tasks]

    assert check("02-fix", answer)


def test_fix_says_why() -> None:
    async def on_the_loop(requests: Any, work: Any, offload: Any) -> Any:
        return [work(each) for each in requests]

    async def one_by_one(requests: Any, work: Any, offload: Any) -> Any:
        return [await offload(work, each) for each in requests]

    async def called(requests: Any, work: Any, offload: Any) -> Any:
        return [await offload(work(each)) for each in requests]

    async def half(requests: Any, work: Any, offload: Any) -> Any:
        return await asyncio.gather(*(offload(work, n) for n in requests[::2]))

    async def elsewhere(requests: Any, work: Any, offload: Any) -> Any:
        return [each * each for each in requests]

    async def leaves(requests: Any, work: Any, offload: Any) -> Any:
        asyncio.get_running_loop().create_task(asyncio.sleep(9))
        return await asyncio.gather(*(offload(work, n) for n in requests))

    def plain(requests: Any, work: Any, offload: Any) -> Any:
        return []

    says("02-fix", on_the_loop, "the heartbeat is")
    says("02-fix", one_by_one, "one process is idle")
    says("02-fix", called, "hand over the function and its argument")

    async def as_they_end(requests: Any, work: Any, offload: Any) -> Any:
        jobs = [offload(work, each) for each in requests]
        return [await job for job in asyncio.as_completed(jobs)]

    async def in_pairs(requests: Any, work: Any, offload: Any) -> Any:
        results: list[int] = []
        for start in range(0, len(requests), 2):
            pair = requests[start : start + 2]
            results += await asyncio.gather(*(offload(work, n) for n in pair))
        return results

    says("02-fix", as_they_end, "whoever is done first")
    says("02-fix", in_pairs, "one process is idle")
    says("02-fix", half, "in the order of the requests")
    says("02-fix", elsewhere, "0 of 8 jobs")
    says("02-fix", leaves, "leaves tasks behind")
    says("02-fix", plain, "async def")
    says("02-fix", 5, "not a function")


# ------------------------------------------------------------------ 4. modify


@pytest.mark.parametrize("size", [10, 12, 16])
def test_modify_passes(size: int) -> None:
    async def total(numbers: list[int], square: Any, pause: Any) -> int:
        result = 0
        for start in range(0, len(numbers), size):
            result += sum(map(square, numbers[start : start + size]))
            await pause()
        return result

    assert check("02-modify", total)


@pytest.mark.parametrize(
    ("size", "word"), [(1, "1000 pauses"), (9, "pauses for 1000"), (17, "three")]
)
def test_modify_says_why(size: int, word: str) -> None:
    async def total(numbers: list[int], square: Any, pause: Any) -> int:
        result = 0
        for start in range(0, len(numbers), size):
            result += sum(map(square, numbers[start : start + size]))
            await pause()
        return result

    says("02-modify", total, word)


def test_modify_wants_the_sum() -> None:
    async def total(numbers: list[int], square: Any, pause: Any) -> int:
        return 0

    says("02-modify", total, "must not change the sum")


# -------------------------------------------------------------------- 5. make


def test_make_passes_with_workers_and_a_queue() -> None:
    async def spread_out(offload: Any, work: Any, items: Any, workers: int) -> Any:
        results: dict[int, Any] = {}
        waiting = iter(enumerate(items))

        async def worker() -> None:
            for index, item in waiting:
                results[index] = await offload(work, item)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return [results[index] for index in range(len(items))]

    assert check("02-make", spread_out)


def test_make_says_why() -> None:
    async def free(offload: Any, work: Any, items: Any, workers: int) -> Any:
        return await asyncio.gather(*(offload(work, item) for item in items))

    async def slow(offload: Any, work: Any, items: Any, workers: int) -> Any:
        return [await offload(work, item) for item in items]

    async def limited(
        items: Any, workers: int, offload: Any, work: Any, **options: Any
    ) -> Any:
        limit = asyncio.Semaphore(workers)

        async def one(item: int) -> Any:
            async with limit:
                return await offload(work, item)

        return await asyncio.gather(*map(one, items), **options)

    async def goes_on(offload: Any, work: Any, items: Any, workers: int) -> Any:
        return await limited(items, workers, offload, work)

    async def swallows(offload: Any, work: Any, items: Any, workers: int) -> Any:
        return await limited(items, workers, offload, work, return_exceptions=True)

    async def nothing(offload: Any, work: Any, items: Any, workers: int) -> Any: ...

    says("02-make", free, "handed over at once")
    says("02-make", slow, "all workers have one")
    says("02-make", goes_on, "tasks went on")
    says("02-make", swallows, "nobody heard of it")
    says("02-make", nothing, "returned None")
    says("02-make", lambda *_: 3, "async def")
