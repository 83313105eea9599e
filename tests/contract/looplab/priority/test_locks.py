"""Locks that respect priority: whoever holds one is raised to the highest waiter.

On the virtual clock every time is exact.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityLock,
    PriorityQueue,
    PrioritySemaphore,
    priority,
)
from tests.fast.looplab.priority.priority_loops import exactly, on, stock


@pytest.mark.parametrize("kind", [PriorityLock, PrioritySemaphore])
@pytest.mark.parametrize("loop", [PriorityEventLoop, stock])
def test_the_most_urgent_is_served_first(kind: Any, loop: Any) -> None:
    async def main() -> list[str]:
        lock = kind()
        served: list[str] = []

        async def one(name: str) -> None:
            async with lock:
                served.append(name)

        await lock.acquire()
        tasks = []
        for level, name in ((1, "a"), (3, "b"), (2, "c"), (3, "d")):
            with priority(level):
                tasks.append(asyncio.create_task(one(name)))
        await asyncio.sleep(0.01)
        lock.release()
        await asyncio.gather(*tasks)
        assert not lock.locked()
        return served

    assert on(main, loop=loop) == ["b", "d", "c", "a"]


def test_who_is_cancelled_when_it_was_chosen_hands_the_lock_on() -> None:
    async def main() -> bool:
        lock = PriorityLock()
        await lock.acquire()
        first, second = (asyncio.create_task(lock.acquire()) for _ in range(2))
        await asyncio.sleep(0.001)
        lock.release()
        first.cancel()
        assert await second
        lock.release()
        return lock.locked()

    assert not exactly(main)
    assert not on(main)
    assert not on(main, loop=stock)


@pytest.mark.parametrize("policy", [ByPriority(ageing=1_000), ByDeadline()])
def test_locks_work_with_every_policy(policy: Any) -> None:
    async def main() -> int:
        lock = PriorityLock()
        ran = 0

        async def one() -> None:
            nonlocal ran
            async with lock:
                await asyncio.sleep(0.001)
                ran += 1

        tasks = []
        for level in range(20):
            with priority(level % 4):
                tasks.append(asyncio.create_task(one()))
        await asyncio.gather(*tasks)
        return ran

    assert exactly(main, policy) == 20
    assert on(main, policy) == 20


# ---------------------------------------------------------------- the queue


def test_items_have_the_priority_of_who_puts_them() -> None:
    async def main() -> list[str]:
        queue: PriorityQueue[str] = PriorityQueue()
        for level, name in ((1, "a"), (3, "b"), (1, "c"), (2, "d")):
            with priority(level):
                await queue.put(name)
        queue.put_nowait("e", priority=5)
        return [await queue.get() for _ in range(queue.qsize())]

    assert exactly(main) == ["e", "b", "d", "a", "c"]
    assert on(main, loop=stock) == ["e", "b", "d", "a", "c"]


def test_a_bounded_queue_serves_the_most_urgent_putter_first() -> None:
    async def main() -> list[str]:
        queue: PriorityQueue[str] = PriorityQueue(1)
        await queue.put("first")
        tasks = []
        for level, name in ((1, "low"), (4, "high"), (2, "middle")):
            with priority(level):
                tasks.append(asyncio.create_task(queue.put(name)))
        await asyncio.sleep(0.001)
        with pytest.raises(asyncio.QueueFull):
            queue.put_nowait("more")
        tasks[2].cancel()
        got = []
        for _ in range(3):
            got.append(await queue.get())
            await asyncio.sleep(0.001)
            assert queue.qsize() <= 1
        return got

    assert exactly(main) == ["first", "high", "low"]
    assert on(main, loop=stock) == ["first", "high", "low"]
