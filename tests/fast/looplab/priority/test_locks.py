"""Locks that respect priority: whoever holds one is raised to the highest waiter.

On the virtual clock every time is exact.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from looplab import burn, run
from looplab.priority import (
    ByDeadline,
    PriorityLock,
    PriorityQueue,
    PrioritySemaphore,
    current_priority,
    priority,
    set_priority,
)
from looplab.priority.context import PRIORITY, level_of
from looplab.priority.tasks import _context_of as context_of
from tests.fast.looplab.priority.priority_loops import exactly


def plainly(main: Any) -> Any:
    """Run ``main()`` where there are no priorities."""
    return run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


async def hold(lock: Any) -> None:
    """Compute for 0.05 s in five pieces, with a lock."""
    async with lock:
        for _ in range(5):
            burn(0.01)
            await asyncio.sleep(0)


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


def test_an_urgent_task_waits_for_the_holder_and_nobody_else() -> None:
    async def inversion(lock: Any) -> float:
        return await wait_beside_work(lock, hold(lock), hold(lock))

    async def chain() -> float:
        """Who holds the lock waits for another one, whose holder is raised too."""
        a, b = PriorityLock(), PriorityLock()

        async def holds_both() -> None:
            async with a, b:
                pass

        return await wait_beside_work(a, hold(b), holds_both())

    assert exactly(lambda: inversion(asyncio.Lock())) >= 10
    # What the holder had left, and one callback.
    assert exactly(lambda: inversion(PriorityLock())) <= 0.07
    assert exactly(chain) <= 0.07


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


# ---------------------------------------------------------------- a model


@dataclass
class User:
    """A task that acquires some of the locks, in their order, and holds them."""

    level: int
    wants: list[int]
    task: asyncio.Task[None]
    done: asyncio.Event
    has: list[int] = field(default_factory=list)
    asked: int = 0  # for the next one, as the so many-th of all


class Locks:
    """The rules, as plainly as can be: every level is found anew each time."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.users: list[User] = []
        self.asked = 0

    def waiting(self, lock: int) -> list[User]:
        return [
            user
            for user in self.users
            if len(user.has) < len(user.wants) and user.wants[len(user.has)] == lock
        ]

    def holding(self, lock: int) -> list[User]:
        return [user for user in self.users if lock in user.has]

    def level(self, user: User) -> int:
        behind = [other for lock in user.has for other in self.waiting(lock)]
        return max([user.level, *map(self.level, behind)])

    def go_on(self, user: User) -> None:
        """It takes what is free, and asks for the first that is not."""
        while len(user.has) < len(user.wants):
            lock = user.wants[len(user.has)]
            if len(self.holding(lock)) == self.sizes[lock]:
                self.asked += 1
                user.asked = self.asked
                break
            user.has.append(lock)

    def leave(self, user: User) -> None:
        chosen = []
        while user.has:
            lock = user.has.pop()
            user.wants = []
            if waiting := self.waiting(lock):
                chosen.append(min(waiting, key=lambda u: (-self.level(u), u.asked)))
                chosen[-1].has.append(lock)
        self.users.remove(user)
        for other in sorted(chosen, key=self.level, reverse=True):
            self.go_on(other)


@pytest.mark.parametrize("seed", range(60))
def test_random_users_of_locks_are_served_and_raised_as_the_model_says(
    seed: int,
) -> None:
    rng = random.Random(seed)
    levels = iter(rng.sample(range(200), 200))
    kinds = [PriorityLock, PriorityLock, partial(PrioritySemaphore, 2)]

    async def main() -> int:
        locks: list[Any] = [kind() for kind in kinds]
        model, compared = Locks((1, 1, 2)), 0

        async def use(wants: list[int], done: asyncio.Event) -> None:
            async with AsyncExitStack() as stack:
                for number in wants:
                    await stack.enter_async_context(locks[number])
                await done.wait()

        for _ in range(60):
            act = rng.choice(["come", "come", "go", "cancel", "raise", "lower"])
            ready = [u for u in model.users if len(u.has) == len(u.wants)]
            if act == "come":
                wants = sorted(rng.sample(range(3), rng.randint(1, 3)))
                done = asyncio.Event()
                with priority(level := next(levels)):
                    task = asyncio.create_task(use(wants, done))
                model.users.append(user := User(level, list(wants), task, done))
                model.go_on(user)
            elif act == "go" and ready:
                user = rng.choice(ready)
                user.done.set()
                model.leave(user)
            elif act == "cancel" and model.users:
                user = rng.choice(model.users)
                user.task.cancel()
                model.leave(user)
            elif act in ("raise", "lower") and model.users:
                user = rng.choice(model.users)
                user.level = next(levels) + (200 if act == "raise" else -200)
                set_priority(user.task, user.level)
            await asyncio.sleep(1)
            expected = [(len(u.has), model.level(u)) for u in model.users]
            assert expected == [
                (len(u.has), level_of(context_of(u.task).get(PRIORITY)))
                for u in model.users
            ]
            for number, lock in enumerate(locks):
                waiting = len(model.waiting(number))
                free = model.sizes[number] - len(model.holding(number))
                state = f"{free} free" if free else "locked"
                assert repr(lock).endswith(f" {state}, {waiting} waiting>")
                assert lock.locked() == (not free)
            compared += len(expected)
        for user in model.users:
            user.task.cancel()
        return compared

    with priority(-999):
        assert exactly(main) > 20


@pytest.mark.parametrize("seed", range(30))
def test_random_workers_are_raised_as_the_model_says(seed: int) -> None:
    """To their item, and to the most urgent one that waits; each at its level 0."""
    rng = random.Random(seed)

    async def main() -> None:
        queue: PriorityQueue[int] = PriorityQueue()
        items: list[tuple[int, int]] = []  # by urgency
        worked: dict[int, int] = {}  # the level of the item, by worker
        orders = [asyncio.Queue[str]() for _ in range(4)]
        took: list[int] = []

        async def work(number: int) -> None:
            while order := await orders[number].get():
                if order == "take":
                    took.append(await queue.get())
                else:
                    queue.task_done()

        with priority(0):
            workers = [asyncio.create_task(work(number)) for number in range(4)]
        for item in range(60):
            worker = rng.randrange(4)
            act = rng.choice(["put", "take", "done"])
            if act == "put":
                level = rng.randint(-2, 5)
                with priority(level):
                    queue.put_nowait(item)
                items = sorted([*items, (-level, item)])
            elif act == "take" and items:
                orders[worker].put_nowait("take")
                negated, item = items.pop(0)
                worked[worker] = -negated
            elif act == "done" and worker in worked:
                orders[worker].put_nowait("done")
                del worked[worker]
            await asyncio.sleep(1)
            if act == "take" and took:
                assert took.pop() == item
            assert queue.qsize() == len(items)
            behind = -items[0][0] if items else 0
            for number, task in enumerate(workers):
                level = level_of(context_of(task).get(PRIORITY))
                lent = max(worked[number], behind) if number in worked else 0
                assert level == max(0, lent)
        for order in orders:
            order.put_nowait("")
        await asyncio.gather(*workers)

    with priority(-999):
        exactly(main)


# ---------------------------------------------------------------- in what order

LOOPS = pytest.mark.parametrize(
    "on", [exactly, plainly, lambda main: exactly(main, ByDeadline())]
)


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
