"""Plumbing: callbacks of file descriptors, signals and threads on the priority loop.

They go first, whoever made them, and nobody starves: neither they nor the others.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from itertools import pairwise
from typing import Any

import pytest

from looplab.priority import VirtualPriorityLoop, priority
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import exactly

# ---------------------------------------------------------------- nobody starves


def test_a_timer_interrupts_a_lot_of_plumbing() -> None:
    loop = VirtualPriorityLoop()
    ran: list[Any] = []

    def pipe(number: int) -> None:
        ran.append(number)
        loop.burn(0.010)

    for number in range(20):
        loop.call_soon(pipe, number, context=Context())
    urgent = context_with(9)
    for after in (0.015, 0.035):
        loop.call_later(
            after, lambda: ran.append(f"at {loop.time():.3f}"), context=urgent
        )
    loop.call_soon(int, context=context_with(1))  # priorities are in use
    loop.call_later(1, loop.stop)
    loop.run_forever()
    loop.close()
    expected: list[Any] = [*range(2), "at 0.020", *range(2, 4), "at 0.040"]
    assert ran == [*expected, *range(4, 20)]


def test_timers_that_never_end_starve_no_plumbing() -> None:
    loop = VirtualPriorityLoop()
    urgent = context_with(9)
    ran: list[float] = []

    def pipe() -> None:
        ran.append(loop.time())
        loop.burn(0.010)

    for number in range(100):  # when one has run, the next is due
        loop.call_at(0.005 + 0.010 * number, loop.burn, 0.010, context=urgent)
    for _ in range(10):
        loop.call_soon(pipe, context=Context())
    loop.call_soon(int, context=context_with(1))  # priorities are in use
    loop.call_later(60, loop.stop)
    loop.run_forever()
    loop.close()
    assert len(ran) == 10
    assert max(b - a for a, b in pairwise(ran)) == pytest.approx(0.020)


# ---------------------------------------------------------------- a flood


async def flood(count: int, cost: float, batch: float, again: bool) -> Any:
    """Plumbing, while less urgent work computes for *batch* at a time.

    Returns:
        How long an urgent task that yields 20 times waits at most; how much of the
        flood was left then; and when it was over.
    """
    loop: Any = asyncio.get_running_loop()
    left, worst = count, 0.0
    done = asyncio.Event()

    def callback() -> None:
        nonlocal left
        left -= 1
        loop.burn(cost)
        if not left:
            done.set()
        elif again:
            loop.call_soon(callback, context=Context())

    async def work() -> None:
        while not done.is_set():
            loop.burn(batch)
            await asyncio.sleep(0)

    async def urgent() -> int:
        nonlocal worst
        for _ in range(20):
            ready_at = loop.time()
            await asyncio.sleep(0)
            worst = max(worst, loop.time() - ready_at)
        return left

    with priority(1):
        other = asyncio.create_task(work())
    for _ in range(1 if again else count):
        loop.call_soon(callback, context=Context())
    with priority(9):
        still = await asyncio.create_task(urgent())
        await done.wait()
        took = loop.time()
    await other
    return worst, still, took


def test_a_flood_of_plumbing_delays_an_urgent_task_by_one_callback() -> None:
    """Or by a millisecond, whichever is longer."""
    worst, left, _ = exactly(lambda: flood(1_500, 0.001, 0.005, again=False))
    assert worst == pytest.approx(0.001)
    assert left > 1_400, "the flood has only begun"


def test_long_other_work_takes_half_of_the_time_from_plumbing_at_most() -> None:
    *_, took = exactly(lambda: flood(1_000, 0.001, 0.050, again=False))
    assert 1 < took <= 2.2


def test_a_lot_may_be_empty_before_its_time_is_over() -> None:
    """After long other work a lot lasts as long; its callbacks may be few and late."""
    *_, took = exactly(lambda: flood(50, 0.002, 0.050, again=True))
    assert took <= 50 * 0.052 + 0.1


# ---------------------------------------------------------------- threads


def test_within_a_level_call_soon_and_call_soon_threadsafe_keep_one_order() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        order: list[str] = []
        with priority(1):  # priorities are in use
            await asyncio.create_task(asyncio.sleep(0))
        loop.call_soon(order.append, "a")
        loop.call_soon_threadsafe(order.append, "b")
        loop.call_soon(order.append, "c")
        with priority(5):
            loop.call_soon(order.append, "urgent ")
        await asyncio.sleep(0)
        return "".join(order)

    assert exactly(main) == "urgent abc"


@pytest.mark.parametrize("by", ["future", "first argument", "event", "queue"])
def test_a_wake_up_is_as_urgent_as_who_waits(by: str) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        order: list[str] = []
        future: asyncio.Future[None] = loop.create_future()
        event, queue = asyncio.Event(), asyncio.Queue[None]()
        wait, wake = {
            "future": (lambda: future, (future.set_result, None)),
            "first argument": (lambda: future, (lambda f: f.set_result(None), future)),
            "event": (event.wait, (event.set,)),
            "queue": (queue.get, (queue.put_nowait, None)),
        }[by]

        async def urgent() -> None:
            await wait()
            order.append("urgent")

        with priority(5):
            waiting = asyncio.create_task(urgent())
        await asyncio.sleep(0)
        with priority(1):
            loop.call_soon(order.append, "other")
        loop.call_soon_threadsafe(*wake)
        await waiting
        return order

    assert exactly(main) == ["urgent", "other"]
