"""Who waits for a task lends it its priority; a task gets another priority."""

from __future__ import annotations

import asyncio
from contextvars import copy_context

import pytest

from looplab import burn
from looplab.priority import current_priority, priority, set_priority
from tests.fast.looplab.priority.priority_loops import exactly

PIECE = 0.01  # seconds


async def work(pieces: int) -> None:
    for _ in range(pieces):
        burn(PIECE)
        await asyncio.sleep(0)


async def waited(how: str) -> float:
    """When an urgent task goes on that waits for a low one, behind other work."""
    low = asyncio.create_task(work(5))
    low_context = copy_context()

    async def middle() -> None:
        await low

    outer = asyncio.create_task(middle())
    await asyncio.sleep(0)
    with priority(1):
        others = [asyncio.create_task(work(12)) for _ in range(5)]

    async def urgent() -> float:
        if how == "await":
            await low
        elif how == "gather":
            await asyncio.gather(low)
        elif how == "chain":
            await outer
        elif how == "wait":
            await asyncio.wait([low])
        elif how == "wait_for":
            await asyncio.wait_for(asyncio.shield(low), 60)
        elif how == "gather of a chain":
            await asyncio.gather(asyncio.gather(outer))
        elif how == "event":  # who will set it is not known
            event = asyncio.Event()
            low.add_done_callback(lambda _: event.set(), context=low_context)
            await event.wait()
        return asyncio.get_running_loop().time()

    with priority(2):
        task = asyncio.create_task(urgent())
    at = await task
    await asyncio.gather(*others)
    return at


@pytest.mark.parametrize(
    ("how", "pieces"),
    [
        *((how, 5) for how in ("await", "gather", "chain", "wait", "wait_for")),
        ("gather of a chain", 5),
        ("event", 65),
    ],
)
def test_who_is_waited_for_goes_first(how: str, pieces: int) -> None:
    assert exactly(lambda: waited(how)) == pytest.approx(pieces * PIECE)


def test_who_waits_no_more_raises_nobody() -> None:
    async def main() -> list[int]:
        levels = []

        async def low() -> None:
            for _ in range(3):
                levels.append(current_priority())
                await asyncio.sleep(1)

        task = asyncio.create_task(low())
        await asyncio.sleep(0.5)
        with priority(5):
            await asyncio.create_task(asyncio.wait([task], timeout=1))
        await task
        return levels

    assert exactly(main) == [0, 5, 0]


def test_who_makes_tasks_in_a_group_does_not_lend_them_its_priority() -> None:
    """It may go on, and asks only to be told of their end."""
    order: list[str] = []

    async def work(name: str, level: int) -> None:
        with priority(level):
            for _ in range(3):
                await asyncio.sleep(0)
                order.append(name)

    async def main() -> None:
        with priority(9):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(work("low", 1))
                tasks.create_task(work("high", 5)).add_done_callback(id)

    exactly(main)
    assert order == ["high"] * 3 + ["low"] * 3


# ---------------------------------------------------------------- another priority


@pytest.mark.parametrize("given", [False, True])
def test_a_ready_task_moves_up(given: bool) -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def work(name: str) -> None:
            for _ in range(3):
                burn(0.01)
                order.append(name)
                await asyncio.sleep(0)

        with priority(1 if given else 0):
            middle = asyncio.create_task(work("middle"))
        low = asyncio.create_task(work("low"))
        set_priority(low, 2)
        await asyncio.wait([low, middle])
        return order

    assert exactly(main) == ["low"] * 3 + ["middle"] * 3


def test_a_task_lowers_itself() -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def other() -> None:
            order.append("other")

        async def work() -> None:
            task = asyncio.current_task()
            assert task is not None
            set_priority(task, -1)
            asyncio.get_running_loop().create_task(other(), context=context)
            await asyncio.sleep(0)
            order.append("work")

        context = copy_context()
        await asyncio.create_task(work())
        return order

    assert exactly(main) == ["other", "work"]
