"""How late the last of several urgent tasks may begin."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.priority import VirtualPriorityLoop, priority
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, now, several, simulate
from ontime.check.verdict import NotYet


@exercise("07-xslack", need_function, "latest_start")
def check_slack(answer: Any) -> str:
    """The answer is a plain function ``latest_start(piece, urgent, cost)``.

    On a priority loop so many *urgent* tasks fall due in one moment; each computes for
    *cost* seconds.  Beside them others compute in pieces of up to *piece* seconds.  It
    returns how late the last of the urgent ones may begin, at worst.
    """
    cases = [(1.0, 1, 0.1), (0.5, 4, 0.25), (0.01, 100, 0.002), (2.0, 3, 0.0)]
    for piece, urgent, cost in cases:
        predicted = need_number(
            answer(piece, urgent, cost), "latest_start", "a number of seconds"
        )
        seen = simulate(_last_begins(piece, urgent, cost), new_loop=VirtualPriorityLoop)
        if abs(predicted - seen) <= 1e-5 * max(1.0, seen):
            continue
        if abs(predicted - (seen - piece)) < 1e-5:
            hint = "nothing interrupts a piece that has just begun"
        elif abs(predicted - (seen + cost)) < 1e-5:
            hint = "the last one waits for the others, and not for itself"
        elif urgent == 1:
            hint = "one urgent task waits for one piece, whatever it costs itself"
        else:
            hint = "first the piece that runs, then those of the same priority"
        raise NotYet(
            f"{several(urgent, 'urgent task')} of {cost:g} s beside pieces of "
            f"{piece:g} s: you say {predicted:g} s, and in the run "
            f"the last one began {seen:g} s late.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the priority loop."


async def _last_begins(piece: float, urgent: int, cost: float) -> float:
    began: list[float] = []
    due = 10.0

    async def others() -> None:
        await asyncio.sleep(due - 1e-6)  # the piece has just begun
        for _ in range(5):
            burn(piece)
            await asyncio.sleep(0)

    async def important() -> None:
        await asyncio.sleep(due)
        began.append(now() - due)
        burn(cost)

    async with asyncio.TaskGroup() as tasks:
        with priority(1):
            for _ in range(2):
                tasks.create_task(others())
        with priority(3):
            for _ in range(urgent):
                tasks.create_task(important())
    return max(began)
