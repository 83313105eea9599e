"""The checks of chapter 3: right answers pass, wrong ones are told why.

The answers of the lab and its wrong answers are run by tests/notebooks; here are
other right answers, and other mistakes with the words that they are told.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ontime.check import exercises
from ontime.check.task_cost import PARSONS_LINES, parsons_program
from tests.ontime.check.exercise_checks import assert_not_yet, assert_passes

pytestmark = pytest.mark.usefixtures("quiet_check")


def test_the_exercises_of_chapter_3() -> None:
    names = ["03-fix", "03-make", "03-modify", "03-parsons", "03-predict"]
    assert [name for name in exercises() if name.startswith("03-")] == names


# 1. Predict


def test_predict() -> None:
    def wall(parts: int, wait: float, cpu: float, at_once: bool) -> float:
        waits = min(parts, 1) if at_once else parts
        return waits * wait + parts * cpu

    assert_passes("03-predict", wall)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *_: None, "returned no number"),
        (lambda *_: "long", "'long', which is not a number"),
        (lambda n, wait, *_: n * wait, "your function says 2.0000 s, the run 1.0000"),
        (3, "the answer is 3, not a function"),
    ],
)
def test_predict_wrong(answer: Any, words: str) -> None:
    assert_not_yet("03-predict", answer, words)


# 2. Put the lines in order


def test_parsons() -> None:
    assert_passes("03-parsons", [5, 7, 9, 2, 4, 1])
    program = parsons_program([5, 7, 9, 2, 4, 1])
    assert program.startswith("async def cost(work, calls):\n    await work()\n")
    assert len(PARSONS_LINES) == 9


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "the list is empty"),
        ([5, 7, 10], "there is no line 10"),
        ([7, 5], "cannot stand at place"),
        ([9, 1], "after a line that ends in a colon"),
        ([5, 9, 7, 1], "again and again"),
        ([5, 7, 2, 4, 1], "start"),
        ([5, 7, 9, 2, 4], "returned no number"),
    ],
)
def test_parsons_wrong(answer: Any, words: str) -> None:
    assert_not_yet("03-parsons", answer, words)


# 3. Fix the bug


def test_fix() -> None:
    assert_passes(
        "03-fix", lambda latency, waiting, rate: 1 / (latency - waiting) / rate
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *_: 5, "what is left of the latency"),
        (lambda *_: None, "returned no number"),
    ],
)
def test_fix_wrong(answer: Any, words: str) -> None:
    assert_not_yet("03-fix", answer, words)


# 4. Modify


async def in_another_order(user: Any, price: Any, stock: Any) -> Any:
    task = asyncio.create_task(stock())
    return await price(), await user(), await task


async def without_waiting(user: Any, price: Any, stock: Any) -> Any:
    asyncio.create_task(asyncio.sleep(1))
    return "Ada", 12.5, 3


async def all_gathered(user: Any, price: Any, stock: Any) -> Any:
    return await asyncio.gather(user(), price(), stock())


async def forgotten(user: Any, price: Any, stock: Any) -> None:
    await all_gathered(user, price, stock)


async def with_a_group(user: Any, price: Any, stock: Any) -> Any:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(stock())
        name, cost = await user(), await price()
    return [name, cost, task.result()]


def test_modify() -> None:
    assert_passes("03-modify", with_a_group)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (all_gathered, "it made 3 tasks, and 1 would do"),
        (in_another_order, "in the order of the parts"),
        (without_waiting, "still running at the end: 1 task"),
        (forgotten, "returned None"),
        (lambda *_: 1, "handle is a plain function"),
    ],
)
def test_modify_wrong(answer: Any, words: str) -> None:
    assert_not_yet("03-modify", answer, words)


# 5. Make


async def tidy(parts: Any) -> Any:
    tasks = [asyncio.ensure_future(part()) if waits else None for part, waits in parts]
    try:
        rest = [await part() for part, waits in parts if not waits]
        found = iter(await asyncio.gather(*filter(None, tasks)))
    except BaseException:
        for task in filter(None, tasks):
            task.cancel()
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
        raise
    others = iter(rest)
    return [next(found) if waits else next(others) for _, waits in parts]


async def swallows(parts: Any) -> Any:
    found = await asyncio.gather(
        *(part() for part, waits in parts if waits), return_exceptions=True
    )
    rest = iter(found)
    results = []
    for part, waits in parts:
        try:
            results.append(next(rest) if waits else await part())
        except ZeroDivisionError:
            results.append(None)
    return results


async def leaves_some(parts: Any) -> Any:
    tasks = [asyncio.ensure_future(part()) if waits else None for part, waits in parts]
    return [
        await (task or part()) for task, (part, _) in zip(tasks, parts, strict=True)
    ]


async def leaves_tasks(parts: Any) -> Any:
    tasks = [asyncio.ensure_future(part()) for part, waits in parts if waits]
    rest = iter([await part() for part, waits in parts if not waits])
    found = iter(await asyncio.gather(*tasks))
    return [next(found) if waits else next(rest) for _, waits in parts]


def test_make() -> None:
    assert_passes("03-make", tidy)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (swallows, "one of the parts raised, and economical() did not"),
        (leaves_some, "after 0.000 s, and economical() after 0.500 s"),
        (leaves_tasks, "still running afterwards"),
        (lambda parts: parts, "economical is a plain function"),
    ],
)
def test_make_wrong(answer: Any, words: str) -> None:
    assert_not_yet("03-make", answer, words)


@pytest.mark.parametrize("name", ["predict", "parsons", "fix", "modify", "make"])
def test_the_untouched_stub(name: str) -> None:
    assert_not_yet(f"03-{name}", ..., "there is no answer yet")
