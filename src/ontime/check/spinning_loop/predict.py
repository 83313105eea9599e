"""``06-predict``: how often a task that polls asks."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import simulate_watched
from ontime.check.tools import need_function, need_number
from ontime.check.verdict import NotYet

__all__ = ["count_questions"]


async def count_questions(seconds: float, nap: float) -> int:
    asks = 0

    async def poll() -> None:
        nonlocal asks
        while True:
            asks += 1
            await asyncio.sleep(nap)

    polling = asyncio.create_task(poll())
    await asyncio.sleep(seconds)
    polling.cancel()
    return asks


@exercise("06-predict", need_function, "asks")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``asks(seconds, cost, nap)``.

    It returns how often a task asks in *seconds* if it sleeps *nap* seconds between two
    questions and each callback costs *cost* seconds of CPU.  The check runs ten such
    tasks on the virtual clock; 5 % or two questions more or less are right.
    """
    cases = [
        (0.3, 0.000_010, 0.0),
        (0.3, 0.000_020, 0.0),
        (1.0, 0.000_050, 0.0),
        (0.3, 0.000_010, 0.001),
        (0.3, 0.000_010, 0.010),
        (2.0, 0.000_010, 0.005),
        (1.0, 0.000_100, 0.100),
        (0.5, 0.000_005, 0.0),
        (5.0, 0.000_010, 0.050),
        (1.0, 0.001, 0.010),  # the cost counts beside the nap, too
    ]
    for seconds, cost, nap in cases:
        returned = answer(seconds, cost, nap)
        count = need_number(returned, "asks", "a number of questions")
        seen = simulate_watched(count_questions(seconds, nap), cost)
        if abs(count - seen) <= max(2, 0.05 * seen):
            continue
        if nap == 0:
            hint = "with a nap of 0 one callback is one question: how many fit?"
        elif count > 2 * seen:
            hint = "during a nap nobody asks"
        else:
            hint = "how long is it from one question to the next?"
        raise NotYet(
            f"{seconds:g} s, {cost * 1e6:g} µs a callback, a nap of {nap:g} s: your "
            f"function says {count:,.0f}, in the run it asks {seen:,} times.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."
