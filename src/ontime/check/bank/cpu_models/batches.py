"""Long against the trip."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    several,
    simulate,
)
from ontime.check.verdict import NotYet


class _Trips:
    """Workers that are reached by a trip of 10 ms, two of them at a time."""

    def __init__(self) -> None:
        self.trips = 0
        self.out = 0
        self.most_out = 0
        self.longest = 0

    async def offload(
        self, work: Callable[[list[int]], list[int]], batch: list[int]
    ) -> list[int]:
        if not isinstance(batch, list):
            raise NotYet(
                f"a batch is {type(batch).__name__}, not a list.",
                "a slice of a list is a list: items[start:start + size]",
            )
        self.trips += 1
        self.longest = max(self.longest, len(batch))
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            # The first batches are the slowest: who comes first is not first done.
            await asyncio.sleep(0.010 + 0.002 * len(batch) + 0.1 / self.trips)
            return work(batch)
        finally:
            self.out -= 1


async def _batched(answer: Any, count: int, size: int) -> tuple[Any, _Trips, int]:
    office = _Trips()

    def work(batch: list[int]) -> list[int]:
        if -1 in batch:
            raise ValueError("no square of -1 here")
        return [n * n for n in batch]

    running = answer(office.offload, work, list(range(count)), size)
    result = await finished(running, "in_batches")
    return result, office, await abandoned()


@exercise("02-xbatches", need_async_function, "in_batches")
def check_batches(answer: Any) -> str:
    """The answer is an async function ``in_batches(offload, work, items, size)``.

    It awaits ``offload(work, batch)`` for lists of at most *size* items, at most two of
    them at a time, and returns one list with the result for each item, in order.
    """
    for count, size in (10, 3), (12, 4), (1, 5), (0, 3), (40, 1), (7, 100):
        result, office, left = simulate(_batched(answer, count, size))
        where = f"{count} items in batches of {size}"
        if office.longest > size:
            raise NotYet(
                f"{where}: one batch had {office.longest}.",
                "range(0, len(items), size) has the beginnings of the batches",
            )
        if result != [n * n for n in range(count)]:
            raise NotYet(
                f"{where}: the result is {result!r}.",
                "one flat list, in the order of the items, the short last batch too",
            )
        if office.trips != -(-count // size):
            raise NotYet(
                f"{where}: {office.trips} trips, not {-(-count // size)}.",
                "as many items as may be share a trip; no trip for none",
            )
        batches = -(-count // size)
        if office.most_out != min(2, batches):
            raise NotYet(
                f"{where}: {office.most_out} batches were out at a time.",
                "two workers: two at a time, no more and no fewer",
            )
        if left:
            raise NotYet(
                f"{where}: {several(left, 'task')} left behind.",
                "wait for all you start",
            )
    return "few trips, both workers busy, and the results in order."
