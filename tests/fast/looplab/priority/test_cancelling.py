"""Cancelling is not delayed by more urgent work: a task is raised until it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.priority import (
    ByDeadline,
    ByPriority,
    current_priority,
    deadline,
    priority,
)
from tests.fast.looplab.priority.priority_loops import exactly


async def work(seconds: float = 0.0) -> None:
    """Be ready for ever, or for so long."""
    loop: Any = asyncio.get_running_loop()
    until = loop.time() + (seconds or 1_000)
    while loop.time() < until:
        if hasattr(loop, "burn"):
            loop.burn(0.001)
        await asyncio.sleep(0)


@pytest.mark.parametrize("which", ["ready", "sleeps", "waits for another"])
def test_a_cancelled_task_is_done_before_less_urgent_work(which: str) -> None:
    async def main() -> tuple[bool, float]:
        loop = asyncio.get_running_loop()

        async def outer(inner: asyncio.Task[None]) -> None:
            await inner

        with priority(1):
            inner = asyncio.create_task(
                work() if which == "ready" else asyncio.sleep(1_000)
            )
            low = asyncio.create_task(outer(inner)) if "waits" in which else inner
        await asyncio.sleep(0.002)
        with priority(5):
            middle = asyncio.create_task(work())
        with priority(9):
            await asyncio.sleep(0.002)
            low.cancel()
            cancelled_at = loop.time()
            await asyncio.wait([low, inner])
            took = loop.time() - cancelled_at
            middle.cancel()
        return low.cancelled(), took

    with priority(9):
        assert exactly(main) == (True, pytest.approx(0, abs=0.002))


def test_wait_for_of_a_starved_task_ends_when_it_should() -> None:
    """Exactly, on the virtual clock, with more urgent work for ten seconds."""

    async def main() -> tuple[float, list[int]]:
        loop = asyncio.get_running_loop()
        levels: list[int] = []

        async def starved() -> None:
            try:
                await work()
            finally:
                levels.append(current_priority())
                await asyncio.sleep(0.01)  # a clean-up that waits is raised too
                levels.append(current_priority())

        with priority(1):
            low = asyncio.create_task(starved())
        with priority(9):
            await asyncio.sleep(0.005)  # it has begun
        with priority(5):
            middle = asyncio.create_task(work(10))
        began = loop.time()
        with priority(9), pytest.raises(TimeoutError):
            await asyncio.wait_for(low, 0.2)
        took = loop.time() - began
        middle.cancel()
        return took, levels

    took, levels = exactly(main)
    assert took <= 0.2 + 0.01 + 0.005, "the time-out, the clean-up, a few callbacks"
    assert levels == [9, 9]


@pytest.mark.parametrize("goes_on", [False, True])
def test_who_goes_on_or_what_is_left_behind_is_lowered_again(goes_on: bool) -> None:
    async def main() -> list[int]:
        levels = []
        left: list[asyncio.Task[None]] = []

        async def twice(again: float) -> None:
            levels.append(current_priority())
            await asyncio.sleep(again)
            levels.append(current_priority())

        async def stubborn() -> None:
            try:
                await asyncio.sleep(1_000)
            except asyncio.CancelledError:
                if not goes_on:
                    left.append(asyncio.create_task(twice(0.01)))
                    await asyncio.sleep(0.001)
                    raise
                levels.append(current_priority())
                asyncio.current_task().uncancel()  # type: ignore[union-attr]
            levels.append(current_priority())

        with priority(1):
            task = asyncio.create_task(stubborn())
        await asyncio.sleep(0.001)
        with priority(9):
            task.cancel()
            await asyncio.wait([task])
        for task in left:
            await task
        return levels

    assert exactly(main) == [9, 1]


def test_in_a_program_without_priorities_nothing_is_raised() -> None:
    async def main() -> bool:
        loop: Any = asyncio.get_running_loop()
        task = asyncio.create_task(asyncio.sleep(1_000))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return bool(loop._ready.in_use)

    assert not exactly(main)


@pytest.mark.parametrize(
    ("policy", "level", "levels"),
    [
        (ByDeadline(), deadline, (100, 50, 1)),
        (ByPriority(ageing=1_000), priority, (1, 5, 9)),
    ],
    ids=["deadline", "ageing"],
)
def test_a_cancellation_hands_on_what_the_policy_looks_at(
    policy: Any, level: Callable[[float], Any], levels: tuple[float, float, float]
) -> None:
    low_level, middle_level, high_level = levels

    async def main() -> float:
        loop: Any = asyncio.get_running_loop()
        with level(low_level):
            low = asyncio.create_task(work())
        await asyncio.sleep(0.002)
        with level(middle_level):
            middle = asyncio.create_task(work(10))
        with level(high_level):
            await asyncio.sleep(0.001)
            began = loop.time()
            low.cancel()
            await asyncio.wait([low])
            took = loop.time() - began
        middle.cancel()
        return float(took)

    with level(high_level):
        assert exactly(main, policy) <= 0.01
