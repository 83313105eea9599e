"""A fixed rate, without a burst."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    need_async_function,
    need_awaitable,
    now,
    several,
    simulate,
)
from ontime.check.verdict import NotYet

_MANY = 30  # far more than are due


async def _ticked(answer: Any, interval: float, works: list[float]) -> list[float]:
    began: list[float] = []
    start = now()

    async def work() -> None:
        n = len(began)
        began.append(round(now() - start, 6))
        if n > _MANY:
            raise NotYet(
                f"it began {n} times in {began[-1]:g} s, every {interval:g} s.",
                "a multiple that is due now is not the next one: ceil() gives it again",
            )
        await asyncio.sleep(works[n] if n < len(works) else 0)

    running = answer(interval, work)
    need_awaitable(running, "every")
    task = asyncio.ensure_future(running)
    await asyncio.wait([task], timeout=10.5 * interval)
    if task.done():
        task.result()
        raise NotYet(
            f"every() ended by itself after {several(len(began), 'tick')}.",
            "it goes on until it is cancelled",
        )
    task.cancel()
    await abandoned()
    return began


@exercise("04-xevery", need_async_function, "every")
def check_every(answer: Any) -> str:
    """The answer is an async function ``every(interval, work)``.

    It awaits ``work()`` at 0 and at each whole multiple of *interval* seconds after it.
    A tick that falls due while the work is under way is left out.
    """
    for interval, works, wanted, story, hint in (
        (
            2.0,
            [],
            [2.0 * n for n in range(11)],
            "work that takes no time",
            "the first tick is at 0",
        ),
        (
            2.0,
            [0.5] * 11,
            [2.0 * n for n in range(11)],
            "work of 0.5 s, every 2 s",
            "sleep until the next multiple, not for an interval after the work",
        ),
        (
            1.0,
            [0.25, 2.5, 0.25],
            [0, 1, 4, 5, 6, 7, 8, 9, 10],
            "every 1 s; the second work takes 2.5 s",
            "what was missed stays missed: go to the first multiple that is still to "
            "come, instead of catching up",
        ),
    ):
        began = simulate(_ticked(answer, interval, works))
        if began != wanted:
            at = ", ".join(f"{t:g}" for t in began[:6])
            raise NotYet(f"{story}: it began at {at} ...", hint)
    return "on the beat, whatever the work takes, and never in a burst."
