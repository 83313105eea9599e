"""``03-predict``: how long a request takes."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from looplab.clock import burn, elapsed
from ontime.check.registry import exercise
from ontime.check.task_cost.parts import EPSILON
from ontime.check.tools import need_function, need_number, simulate
from ontime.check.verdict import NotYet


async def _request(parts: int, wait: float, cpu: float, at_once: bool) -> float:
    async def part() -> None:
        await asyncio.sleep(wait)
        burn(cpu)

    if at_once:
        await asyncio.gather(*(part() for _ in range(parts)))
    else:
        for _ in range(parts):
            await part()
    return elapsed()


@exercise("03-predict", need_function, "wall")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``wall(parts, wait, cpu, at_once)``.

    It returns how many seconds a request of *parts* parts takes by the wall clock, if
    each part waits *wait* seconds and then computes for *cpu* seconds; *at_once* says
    whether they are gathered or awaited one after the other.  Tasks themselves cost
    nothing here.  The check runs sixteen requests on the virtual clock.
    """
    cases = [
        (2, 1.0, 0.0, False),
        (2, 1.0, 0.0, True),
        (10, 0.1, 0.01, True),
        (10, 0.1, 0.01, False),
        (5, 0.0, 0.02, True),
        (0, 1.0, 0.1, True),
    ]
    choose = random.Random(3)
    for number in range(10):
        wait = choose.choice([0.001, 0.0503, 2.0])
        cpu = choose.choice([0.0001, 0.0107, 0.3])
        cases.append((choose.randrange(1, 30), wait, cpu, number % 2 == 0))
    for parts, wait, cpu, at_once in cases:
        predicted = need_number(answer(parts, wait, cpu, at_once), "wall")
        seen = simulate(_request(parts, wait, cpu, at_once))
        if abs(predicted - seen) <= EPSILON:
            continue
        if at_once and abs(predicted - (wait + cpu)) <= EPSILON:
            hint = "the parts wait together, but there is one thread to compute on"
        elif at_once and abs(predicted - parts * (wait + cpu)) <= EPSILON:
            hint = "at once, all of them wait during the same seconds"
        elif not parts:
            hint = "with no parts nobody waits"
        else:
            hint = "add up the waiting and the computing separately"
        way = "at once" if at_once else "in sequence"
        raise NotYet(
            f"{parts} parts {way}, each waits {wait:g} s and computes {cpu:g} s: your "
            f"function says {predicted:.4f} s, the run {seen:.4f} s.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} requests on the virtual clock."
