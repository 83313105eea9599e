"""Pieces by the clock, not by number."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

from looplab.clock import burn
from ontime.check.registry import exercise
from ontime.check.tools import need_async_function, need_awaitable, now, simulate
from ontime.check.verdict import NotYet


async def _sliced(answer: Any, costs: list[float]) -> tuple[Any, float, int, float]:
    """The result, the longest time without a pause, the pauses, and the whole time."""
    pauses: list[float] = [now()]

    def work(cost: float) -> float:
        burn(cost)
        return cost

    async def ticker() -> None:
        stood = 0  # while this spins, a sleep of the answer would never be over
        while True:
            stood = stood + 1 if now() == pauses[-1] else 0
            pauses.append(now())
            await asyncio.sleep(0 if stood < 50 else 0.0001)

    ticking = asyncio.create_task(ticker(), name="heartbeat of the check")
    await asyncio.sleep(0)
    before = len(pauses)
    running = answer(list(costs), work, 0.020)
    need_awaitable(running, "in_slices")
    result = await running
    count = len(pauses) - before
    pauses.append(now())
    ticking.cancel()
    gaps = [b - a for a, b in pairwise(pauses)]
    return result, max(gaps), count, now()


@exercise("02-xslices", need_async_function, "in_slices")
def check_slices(answer: Any) -> str:
    """The answer is an async function ``in_slices(items, work, budget)``.

    It calls ``work(item)`` for each item and returns the results.  As soon as it has
    held the loop for *budget* seconds it lets the loop run once, and no sooner.
    """
    mixed = [0.001] * 50 + [0.015] * 4 + [0.002] * 25 + [0.040] + [0.001] * 30
    for costs in [], [0.005], [0.001] * 200, [0.015] * 10, mixed:
        result, longest, count, took = simulate(_sliced(answer, costs))
        if result != costs:
            raise NotYet(
                f"{len(costs)} items gave {len(result or ())} results, or in another "
                "order.",
                "one result for each item, in their order",
            )
        if took > sum(costs) + 1e-6:
            raise NotYet(
                f"{sum(costs):g} s of work took {took:g} s.",
                "to let others in needs no time: sleep(0) is one iteration",
            )
        bound = 0.020 + max(costs, default=0) + 1e-9
        if longest > bound:
            raise NotYet(
                f"items that take {min(costs) * 1e3:g} to {max(costs) * 1e3:g} ms: it "
                f"held the loop for {longest * 1e3:.0f} ms at a stretch.",
                "how many items fit into the budget? Nobody knows: after each look at "
                "the clock of the loop, and count from the last pause",
            )
        most = sum(costs) / 0.020 + 2
        if count > most:
            raise NotYet(
                f"{sum(costs):g} s of work had {count} pauses; {most:.0f} are enough.",
                "a pause only when the budget is used up",
            )
    return "never longer than the budget and one item, whatever an item takes."
