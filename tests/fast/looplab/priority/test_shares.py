"""Fair shares within a level, and what each level waits and uses."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from looplab import burn
from looplab.priority import (
    ByPriority,
    priority,
    share,
)
from tests.fast.looplab.priority.priority_loops import exactly


async def compete(
    tenants: dict[Any, tuple[int, float]], seconds: float
) -> Counter[Any]:
    """How long each tenant held the thread.

    Args:
        tenants: how many tasks each has, and how long each of their steps takes.
        seconds: how long they compete.
    """
    here = asyncio.get_running_loop()
    used: Counter[Any] = Counter()

    async def work(tenant: Any, step: float) -> None:
        while here.time() < seconds:
            burn(step)
            used[tenant] += step
            await asyncio.sleep(0)

    tasks = []
    for tenant, (count, step) in tenants.items():
        for _ in range(count):
            if tenant is None:
                tasks.append(asyncio.create_task(work(None, step)))
            else:
                with share(tenant):
                    tasks.append(asyncio.create_task(work(tenant, step)))
    await asyncio.gather(*tasks)
    return used


def test_a_tenant_with_many_tasks_gets_no_more_than_one_with_one() -> None:
    used = exactly(lambda: compete({"a": (100, 0.001), "b": (1, 0.001)}, 4))
    assert used["a"] == pytest.approx(2, abs=0.15)
    assert used["b"] == pytest.approx(2, abs=0.15)


def test_nor_one_with_long_steps() -> None:
    used = exactly(lambda: compete({"a": (3, 0.050), "b": (3, 0.001)}, 4))
    assert used["a"] == pytest.approx(2, abs=0.2)
    assert used["b"] == pytest.approx(2, abs=0.2)


def test_without_shares_it_would() -> None:
    used = exactly(lambda: compete({None: (1, 0.001)}, 1))
    assert used[None] == pytest.approx(1, abs=0.01)

    async def main() -> Counter[Any]:
        with priority(1):
            return await compete({"a": (9, 0.001), "b": (1, 0.001)}, 2)

    ageing = ByPriority(ageing=1_000)  # looks at no shares
    used = exactly(main, ageing)
    assert used["a"] == pytest.approx(9 * used["b"], rel=0.1)


def test_work_of_no_key_shares_as_one() -> None:
    tenants = {"a": (10, 0.001), "b": (10, 0.001), None: (10, 0.001)}
    used = exactly(lambda: compete(tenants, 3))
    for tenant in tenants:
        assert used[tenant] == pytest.approx(1, abs=0.15)


def test_who_was_idle_has_saved_nothing_up() -> None:
    async def main() -> tuple[float, float]:
        here = asyncio.get_running_loop()
        used = Counter[str]()

        async def work(tenant: str, until: float) -> None:
            while here.time() < until:
                burn(0.001)
                used[tenant] += 1
                await asyncio.sleep(0)

        with priority(1):
            with share("a"):
                first = asyncio.create_task(work("a", 4))
            with priority(9):
                await asyncio.sleep(2)
            with share("b"):
                second = asyncio.create_task(work("b", 4))
            with priority(9):
                await asyncio.sleep(1)
            since = used["a"] - 2_000, used["b"]
            await asyncio.gather(first, second)
        return since

    a, b = exactly(main)
    assert a == pytest.approx(500, abs=20)
    assert b == pytest.approx(500, abs=20)


def test_a_higher_level_goes_first_whatever_the_shares() -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def note(name: str) -> None:
            order.append(name)
            burn(0.001)

        tasks = []
        for level, tenant in ((1, "a"), (2, "a"), (1, "b"), (2, "b"), (1, "a")):
            with priority(level), share(tenant):
                tasks.append(asyncio.create_task(note(f"{tenant}{level}")))
        await asyncio.gather(*tasks)
        return order

    assert exactly(main) == ["a2", "b2", "a1", "b1", "a1"]


def test_the_priority_changes_and_the_key_stays() -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def note(name: str) -> None:
            order.append(name)
            burn(0.001)

        tasks = []
        for tenant in ("a", "a", "b"):
            with share(tenant), priority(3):
                tasks.append(asyncio.create_task(note(tenant)))
        await asyncio.gather(*tasks)
        return order

    assert exactly(main) == ["a", "b", "a"]


def test_thousands_of_keys_that_came_once_are_forgotten() -> None:
    async def main() -> int:
        here: Any = asyncio.get_running_loop()
        most = 0
        with priority(1), share("steady"):
            steady = asyncio.create_task(asyncio.sleep(0))
            for number in range(5_000):
                with share(number):
                    await asyncio.create_task(asyncio.sleep(0))
                for level in here._ready._levels.values():
                    most = max(most, len(getattr(level, "_shares", ())))
            await steady
        return most

    assert exactly(main) < 500


@pytest.mark.parametrize(("key", "words"), [(None, "key is None"), ([], "unhashable")])
def test_a_bad_key_is_named(key: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words), share(key):
        pass
