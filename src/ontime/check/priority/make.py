"""``07-make``: levels of priority without polling."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

from looplab.clock import StepLimitError, run
from ontime.check.priority.urgent import urgent_wait
from ontime.check.registry import exercise
from ontime.check.tools import (
    MAX_STEPS,
    finished,
    need_awaitable,
    need_class,
    now,
    simulate,
)
from ontime.check.verdict import NotYet
from ontime.leases import LeaseSettings, consume

_MOST_CALLBACKS = 12  # a turn, for one who is parked: pump, future, wake-up, settling


@exercise("07-make", need_class, "Levels")
def check_make(answer: Any) -> str:
    """The answer is a class ``Levels``, called without arguments.

    ``await levels.turn(priority)``, with 1, 2 or 3, waits until it is this task's turn:
    the highest priority first, first in first out among equals.  Whoever became due
    while a task computed is in time for the next turn.

    Required, on the virtual clock: the order; an urgent task waits for at most one
    computation; no polling (at most 12 callbacks a turn, with 60 who wait, and none
    once nobody waits); a task that is cancelled while it waits costs nobody a turn; the
    consumer loses nothing with rounds of 1.75 s.
    """
    if not callable(getattr(answer, "turn", None)):
        raise NotYet("Levels has no turn().", "async def turn(self, priority): …")
    _judge_order(answer)
    _judge_polling(answer)
    waited = simulate(urgent_wait(answer().turn, 1.0))
    if waited > 1:
        raise NotYet(
            f"an urgent task waited for {waited:.2f} s beside computations of 1 s.",
            "between two turns let some iterations pass, so that a task whose timer "
            "fell due can ask",
        )
    _judge_cancelled(answer)
    for jitter in (0.0, 0.001):
        lost = consume(
            LeaseSettings(cpu=1.75, messages=15), answer(), jitter=jitter, seed=7
        ).lost
        if lost:
            raise NotYet(f"{lost} of 15 messages were lost.", "see the gate's settling")
    return (
        f"in order, without polling, and an urgent task waits for {waited:.2f} s "
        "beside computations of 1 s."
    )


def _judge_order(make: Callable[[], Any]) -> None:
    order: list[tuple[int, int]] = []
    wanted = [(3, 2), (3, 6), (2, 1), (2, 3), (2, 7), (1, 0), (1, 4), (1, 5)]

    async def ask(levels: Any, level: int, number: int) -> None:
        work = levels.turn(level)
        need_awaitable(work, "turn")
        await work
        order.append((level, number))

    async def main() -> None:
        levels = make()
        async with asyncio.TaskGroup() as tasks:
            for number, level in enumerate((1, 2, 3, 2, 1, 1, 3, 2)):
                tasks.create_task(ask(levels, level, number))

    simulate(main())
    if order != wanted:
        orders = ", ".join(f"{number} ({level})" for level, number in order)
        if sorted(order) == sorted(wanted) and [level for level, _ in order] == [
            level for level, _ in wanted
        ]:
            hint = "among equals the first to come is the first to go"
        else:
            hint = "serve the highest priority that anybody waits with"
        raise NotYet(
            f"eight tasks asked at once, and went in the order {orders} (number and "
            "priority).",
            hint,
        )


def _judge_polling(make: Callable[[], Any]) -> None:
    cost, count = 1e-6, 60

    async def main() -> tuple[float, float]:
        levels = make()
        began = now()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(levels.turn(2))
        busy = now() - began
        # Everybody has had a turn.  A second in which nothing should happen.
        began = now()
        await asyncio.sleep(1)
        idle = now() - began - 1
        return busy / cost / count, idle / cost

    try:
        a_turn, idle = run(main(), callback_cost=cost, max_steps=MAX_STEPS)
    except StepLimitError:
        a_turn, idle = 0.0, math.inf
    if idle > 40:
        raise NotYet(
            "nobody waits, and it still keeps the loop busy.",
            "start something only while somebody waits, or let it wait for an event",
        )
    if a_turn > _MOST_CALLBACKS:
        raise NotYet(
            f"with {count} tasks that wait a turn takes {a_turn:.0f} callbacks.",
            "park each task on a future of its own, and resolve one at a time",
        )


def _judge_cancelled(make: Callable[[], Any]) -> None:
    served: list[int] = []

    async def ask(levels: Any, number: int) -> None:
        await levels.turn(2)
        served.append(number)

    async def main() -> None:
        levels = make()
        tasks = [asyncio.create_task(ask(levels, number)) for number in range(6)]
        await asyncio.sleep(0)
        for number in (0, 2, 5):
            tasks[number].cancel()
        await finished(asyncio.gather(*tasks, return_exceptions=True))
        # And it is still of use afterwards.
        await finished(ask(levels, 6))

    simulate(main())
    if served != [1, 3, 4, 6]:
        raise NotYet(
            "of six tasks that waited three were cancelled; the tasks "
            f"{', '.join(map(str, served)) or 'none'} had a turn, and not 1, 3, 4 and "
            "then 6.",
            "a future whose task was cancelled is done already: pass it over",
        )
