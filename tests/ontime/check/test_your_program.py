"""The checks of chapter 8: right answers pass, wrong ones are told why.

The answers of the lab, right and wrong, are tried in ``tests/notebooks``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from looplab import elapsed
from ontime.check import check
from ontime.check.registry import exercises

Ask = Callable[[], Awaitable[None]]


def test_the_exercises_of_chapter_8() -> None:
    assert [name for name in exercises() if name.startswith("08-")] == [
        "08-fix",
        "08-modify",
        "08-parsons",
        "08-predict",
    ]


@pytest.mark.parametrize("piece", [0.017, 0.018, 0.019])
def test_pieces_that_meet_both_bounds(piece: float) -> None:
    assert check("08-modify", piece)


@pytest.mark.parametrize(
    ("piece", "says"),
    [
        ("long", "not a number of seconds"),
        (0, "is none of an export"),
        (20, "is none of an export"),
        (0.016, "the export takes"),
        (0.021, "the heartbeat is"),
    ],
)
def test_pieces_that_do_not(piece: object, says: str) -> None:
    verdict = check("08-modify", piece)
    assert not verdict
    assert says in verdict.message


def test_a_sum_is_as_good_as_a_formula() -> None:
    assert check("08-predict", lambda jobs, cpu: sum(n * cpu for n in range(jobs)))


def test_a_client_with_a_task_group() -> None:
    async def client(ask: Ask, count: int, every: float) -> list[float]:
        found = [0.0] * count

        async def one(number: int, due: float) -> None:
            await asyncio.sleep(due - elapsed())
            await ask()
            found[number] = elapsed() - due

        start = elapsed()
        async with asyncio.TaskGroup() as tasks:
            for number in range(count):
                tasks.create_task(one(number, start + number * every))
        return found

    assert check("08-fix", client)


def test_a_client_that_drops_an_answer() -> None:
    async def client(ask: Ask, count: int, every: float) -> list[float]:
        return [0.01] * (count - 1)

    verdict = check("08-fix", client)
    assert not verdict
    assert "of 10 requests the client returned" in verdict.message


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ([2, 4, 6, 5, 1], "cannot stand at place 1"),
        ([4, 2, 8, 5, 1], "nothing in the recording matches"),
        ([4, 3, 6, 5, 1], "for whom others waited less"),
        ([4, 2, 7, 5, 1], "not that of the change"),
        ([4, 2, 6, 1], "'figure'"),
    ],
)
def test_lines_in_a_wrong_order(order: list[int], says: str) -> None:
    verdict = check("08-parsons", order)
    assert not verdict
    assert says in verdict.message
