"""Plumbing: callbacks of file descriptors, signals and threads on the priority loop.

They go first, whoever made them, and nobody starves: neither they nor the others.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from itertools import pairwise
from typing import Any

import pytest

from looplab.priority import (
    VirtualPriorityLoop,
    priority,
)
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import exactly, on

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


def test_a_flood_of_plumbing_delays_an_urgent_task_by_one_callback() -> None:
    """Or by a millisecond, whichever is longer; exactly, on the virtual clock."""

    async def main() -> tuple[float, int]:
        here: Any = asyncio.get_running_loop()
        worst, left = 0.0, 1_500

        def callback() -> None:
            nonlocal left
            left -= 1
            here.burn(0.001)

        async def urgent() -> None:
            nonlocal worst
            for _ in range(20):
                ready_at = here.time()
                await asyncio.sleep(0)
                worst = max(worst, here.time() - ready_at)

        async def batch() -> None:
            while left:
                here.burn(0.005)
                await asyncio.sleep(0)

        with priority(1):
            other = asyncio.create_task(batch())
        for _ in range(left):
            here.call_soon(callback, context=Context())
        with priority(9):
            await asyncio.create_task(urgent())
        still = left
        await other
        return worst, still

    worst, left = on(main, loop=VirtualPriorityLoop)
    assert worst == pytest.approx(0.001)
    assert left > 1_400, "the flood has only begun"


def test_long_other_work_takes_half_of_the_time_from_plumbing_at_most() -> None:
    async def main() -> float:
        here: Any = asyncio.get_running_loop()
        left = 1_000
        began = here.time()
        done = asyncio.Event()

        def callback() -> None:
            nonlocal left
            left -= 1
            here.burn(0.001)
            if not left:
                done.set()

        async def batch() -> None:
            while not done.is_set():
                here.burn(0.050)
                await asyncio.sleep(0)

        for _ in range(left):
            here.call_soon(callback, context=Context())
        with priority(1):
            other = asyncio.create_task(batch())
        with priority(9):
            await done.wait()
            took = here.time() - began
        await other
        return float(took)

    assert 1 < on(main, loop=VirtualPriorityLoop) <= 2.2


def test_a_lot_may_be_empty_before_its_time_is_over() -> None:
    """After long other work a lot lasts as long; its callbacks may be few and late."""

    async def main() -> int:
        here: Any = asyncio.get_running_loop()
        left = 50
        done = asyncio.Event()

        def callback() -> None:
            nonlocal left
            left -= 1
            here.burn(0.002)  # longer than a lot without other work
            if left:
                here.call_soon(callback, context=Context())
            else:
                done.set()

        async def batch() -> None:
            while not done.is_set():
                here.burn(0.050)
                await asyncio.sleep(0)

        here.call_soon(callback, context=Context())
        with priority(1):
            other = asyncio.create_task(batch())
        with priority(9):
            await done.wait()
        await other
        return left

    assert on(main, loop=VirtualPriorityLoop) == 0


# ---------------------------------------------------------------- threads


def test_within_a_level_call_soon_and_call_soon_threadsafe_keep_one_order() -> None:
    async def main() -> str:
        here = asyncio.get_running_loop()
        order: list[str] = []
        with priority(1):  # priorities are in use
            await asyncio.create_task(asyncio.sleep(0))
        here.call_soon(order.append, "a")
        here.call_soon_threadsafe(order.append, "b")
        here.call_soon(order.append, "c")
        with priority(5):
            here.call_soon(order.append, "urgent ")
        await asyncio.sleep(0)
        return "".join(order)

    assert exactly(main) == "urgent abc"


@pytest.mark.parametrize("by", ["future", "first argument", "event", "queue"])
def test_a_wake_up_is_as_urgent_as_who_waits(by: str) -> None:
    async def main() -> list[str]:
        here = asyncio.get_running_loop()
        order: list[str] = []
        future: asyncio.Future[None] = here.create_future()
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
            here.call_soon(order.append, "other")
        here.call_soon_threadsafe(*wake)
        await waiting
        return order

    assert exactly(main) == ["urgent", "other"]
