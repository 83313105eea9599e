"""Locks that respect priority: whoever holds one is raised to the highest waiter.

On the virtual clock every time is exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from looplab import burn, run
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityLock,
    PriorityQueue,
    PrioritySemaphore,
    current_priority,
    priority,
)
from tests.fast.looplab.priority.priority_loops import exactly


def plainly(main: Any) -> Any:
    """Run ``main()`` where there are no priorities."""
    return run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


async def hold(lock: Any, pause: float = 0.0) -> None:
    """Compute for 0.05 s in five pieces, with a lock."""
    async with lock:
        for _ in range(5):
            burn(0.01)
            await asyncio.sleep(pause)


async def wait_beside_work(lock: Any, *users: Coroutine[Any, Any, None]) -> float:
    """How long an urgent task waits for a lock that less urgent users have.

    Between the two levels there is work for ten seconds.
    """
    done = False

    async def middle() -> None:
        until = now() + 10
        while not done and now() < until:
            burn(0.01)
            await asyncio.sleep(0)

    async def urgent() -> float:
        nonlocal done
        began = now()
        async with lock:
            done = True
        return now() - began

    with priority(1):
        tasks = [asyncio.create_task(user) for user in users]
    with priority(9):
        await asyncio.sleep(0.015)  # one holds it, one waits
    with priority(2):
        tasks.append(asyncio.create_task(middle()))
    with priority(3):
        waited = await asyncio.create_task(urgent())
    await asyncio.gather(*tasks)
    return waited


@pytest.mark.parametrize("pause", [0.0, 0.001], ids=["yields", "sleeps"])
def test_an_urgent_task_waits_for_the_holder_and_nobody_else(pause: float) -> None:
    async def inversion(lock: Any) -> float:
        users = [hold(lock, pause) for _ in range(2)]
        return await wait_beside_work(lock, *users)

    async def with_asyncios() -> float:
        return await inversion(asyncio.Lock())

    async def with_ours() -> float:
        return await inversion(PriorityLock())

    assert exactly(with_asyncios) >= 10, "as long as there is work between the two"
    assert exactly(with_ours) <= 0.07, "what the holder had left, and one callback"


def test_it_holds_along_a_chain() -> None:
    async def holds_both(a: Any, b: Any) -> None:
        async with a, b:
            pass

    async def main() -> float:
        a, b = PriorityLock(), PriorityLock()
        return await wait_beside_work(a, hold(b), holds_both(a, b))

    assert exactly(main) <= 0.07


def test_the_holder_is_raised_and_lowered_again() -> None:
    async def main() -> list[int]:
        lock = PriorityLock()
        levels = []

        async def waits() -> None:
            async with lock:
                levels.append(current_priority())

        async with lock:
            levels.append(current_priority())
            with priority(7):
                task = asyncio.create_task(waits())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            levels.append(current_priority())
            with priority(1):
                levels.append(current_priority())
        levels.append(current_priority())
        await task
        return levels

    assert exactly(main) == [0, 7, 7, 0, 7]


def test_a_waiter_that_leaves_raises_nobody_any_more() -> None:
    async def main() -> list[int]:
        lock = PriorityLock()
        levels = []
        async with lock:
            with priority(7):
                task = asyncio.create_task(lock.acquire())
            await asyncio.sleep(0.001)
            levels.append(current_priority())
            task.cancel()
            await asyncio.sleep(0.001)
            levels.append(current_priority())
        assert not lock.locked()
        return levels

    assert exactly(main) == [7, 0]


def test_another_task_may_release_it() -> None:
    async def main() -> int:
        lock = PriorityLock()

        async def acquire() -> int:
            await lock.acquire()
            await asyncio.sleep(0.01)
            return current_priority()

        with priority(1):
            holder = asyncio.create_task(acquire())
        await asyncio.sleep(0.001)
        with priority(9):
            waiter = asyncio.create_task(lock.acquire())
        await asyncio.sleep(0.001)
        lock.release()
        assert await waiter
        return await holder

    assert exactly(main) == 1


def test_a_semaphore_raises_all_its_holders() -> None:
    async def main() -> list[int]:
        semaphore = PrioritySemaphore(2)

        async def hold() -> int:
            async with semaphore:
                await asyncio.sleep(0.01)
                return current_priority()

        with priority(1):
            holders = [asyncio.create_task(hold()) for _ in range(2)]
        await asyncio.sleep(0.001)
        assert semaphore.locked()
        with priority(5):
            holders.append(asyncio.create_task(hold()))
        return await asyncio.gather(*holders)

    assert exactly(main) == [5, 1, 5], "when one has left, nobody waits"


# ---------------------------------------------------------------- the queue


def test_a_worker_is_raised_to_its_item_and_to_what_waits_behind_it() -> None:
    async def main() -> list[int]:
        queue: PriorityQueue[int] = PriorityQueue()
        levels = []
        with priority(2):
            queue.put_nowait(1)
        await queue.get()
        levels.append(current_priority())
        with priority(8):
            queue.put_nowait(2)
        levels.append(current_priority())
        queue.task_done()
        levels.append(current_priority())
        await queue.get()
        levels.append(current_priority())
        queue.task_done()
        levels.append(current_priority())
        await queue.join()
        return levels

    assert exactly(main) == [2, 8, 0, 8, 0]


def test_a_cancelled_getter_loses_no_item() -> None:
    async def main() -> list[int]:
        queue: PriorityQueue[int] = PriorityQueue()
        first, second = (asyncio.create_task(queue.get()) for _ in range(2))
        await asyncio.sleep(0.001)
        queue.put_nowait(1)
        first.cancel()
        queue.put_nowait(2)
        got = [await second]
        with pytest.raises(asyncio.CancelledError):
            await first
        got.append(queue.get_nowait())
        with pytest.raises(asyncio.QueueEmpty):
            queue.get_nowait()
        return got

    assert sorted(exactly(main)) == [1, 2]


# ---------------------------------------------------------------- in what order

LOOPS = pytest.mark.parametrize("on", [exactly, plainly])


@LOOPS
@pytest.mark.parametrize("kind", [PriorityLock, PrioritySemaphore])
def test_the_most_urgent_is_served_first(kind: Any, on: Any) -> None:
    async def main() -> list[str]:
        lock = kind()
        served: list[str] = []

        async def use(name: str) -> None:
            async with lock:
                served.append(name)

        await lock.acquire()
        tasks = []
        for level, name in ((1, "a"), (3, "b"), (2, "c"), (3, "d")):
            with priority(level):
                tasks.append(asyncio.create_task(use(name)))
        await asyncio.sleep(0.01)
        lock.release()
        await asyncio.gather(*tasks)
        assert not lock.locked()
        return served

    assert on(main) == ["b", "d", "c", "a"]


@LOOPS
def test_who_is_cancelled_when_it_was_chosen_hands_the_lock_on(on: Any) -> None:
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

    assert not on(main)


@pytest.mark.parametrize("policy", [ByPriority(ageing=1_000), ByDeadline()])
def test_locks_work_with_every_policy(policy: Any) -> None:
    async def main() -> int:
        lock = PriorityLock()
        ran = 0

        async def use() -> None:
            nonlocal ran
            async with lock:
                await asyncio.sleep(0.001)
                ran += 1

        tasks = []
        for level in range(20):
            with priority(level % 4):
                tasks.append(asyncio.create_task(use()))
        await asyncio.gather(*tasks)
        return ran

    assert exactly(main, policy) == 20


@LOOPS
def test_items_have_the_priority_of_who_puts_them(on: Any) -> None:
    async def main() -> list[str]:
        queue: PriorityQueue[str] = PriorityQueue()
        for level, name in ((1, "a"), (3, "b"), (1, "c"), (2, "d")):
            with priority(level):
                await queue.put(name)
        queue.put_nowait("e", priority=5)
        return [await queue.get() for _ in range(queue.qsize())]

    assert on(main) == ["e", "b", "d", "a", "c"]


@LOOPS
def test_a_bounded_queue_serves_the_most_urgent_putter_first(on: Any) -> None:
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

    assert on(main) == ["first", "high", "low"]


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: PrioritySemaphore(-1), ValueError, "value is -1"),
        (
            lambda: PrioritySemaphore("2"),
            TypeError,
            "value as a whole number, got '2'",
        ),  # type: ignore[arg-type]
        (lambda: PriorityQueue(-1), ValueError, "maxsize is -1"),
        (lambda: PriorityQueue(1.5), TypeError, "maxsize as a whole number, got 1.5"),  # type: ignore[arg-type]
        (lambda: PriorityLock().release(), RuntimeError, "not acquired"),
        (lambda: PriorityQueue().task_done(), ValueError, "more often"),
        (lambda: PriorityQueue().put_nowait(1, "9"), TypeError, "'9'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
