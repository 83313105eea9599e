"""A task that exists gets another priority."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import Any

import pytest

from looplab import burn, run
from looplab.priority import priority, set_priority
from tests.fast.looplab.priority.priority_loops import exactly


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


@pytest.mark.parametrize(
    ("on", "level", "words"),
    [
        (exactly, 1.5, "priority .* got 1.5"),
        (exactly, None, "priority .* got None"),
        (exactly, "high", "priority .* got 'high'"),
        (lambda main: run(main()), 1, "a task that a priority loop has made"),
    ],
)
def test_bad_input_is_named(on: Any, level: Any, words: str) -> None:
    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        set_priority(task, level)

    with pytest.raises(TypeError, match=words):
        on(main)
