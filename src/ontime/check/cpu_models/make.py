"""``02-make``: so many jobs at a time, and never fewer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from looplab.clock import elapsed
from ontime.check.cpu_models.office import Office
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    counted_callbacks,
    finished,
    move_hashes,
    need_async_function,
    numbers_twice,
    simulate,
)
from ontime.check.verdict import NotYet


async def _spread(
    answer: Any, items: list[int], workers: int, moved: int = 0
) -> tuple[Any, BaseException | None, Office, float, int]:
    # Unequal, so that a batch has to wait for its slowest.
    office = Office(1000, 0.1, 0.3, 0.1, 0.2, 0.05)
    move_hashes(moved)
    begun = elapsed()
    result: Any = None
    error: BaseException | None = None

    async def offload(work: Any, *args: Any) -> Any:
        try:
            return await office.offload(work, *args)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)  # what is cancelled may have to clean up
            raise

    work: Awaitable[Any] = answer(offload, office.work, list(items), workers)
    with counted_callbacks() as callbacks:
        try:
            result = await finished(work, "spread_out")
        except ValueError as caught:
            error = caught
        except BaseExceptionGroup as caught:
            error = caught.exceptions[0]
    took = elapsed() - begun
    left = await abandoned()
    if callbacks.count > 100 + 30 * len(items):
        raise NotYet(
            f"{len(items)} items, {workers} workers: the loop ran {callbacks.count} "
            "callbacks.",
            "do not ask again and again whether a worker is free: await a semaphore, "
            "or let workers fetch",
        )
    return result, error, office, took, left


@exercise("02-make", need_async_function, "spread_out")
def check_make(answer: Any) -> str:
    """The answer is an async function ``spread_out(offload, work, items, workers)``.

    It runs ``await offload(work, item)`` for each item, at most *workers* at a time and
    that many as long as there are items, and returns the results in the order of the
    items.  If one raises, so does it, and no task of its own is left.
    """
    for count, workers, moved in (
        (10, 3, 0),
        (10, 1, 0),
        (10, 10, 22),
        (10, 10, 26),
        (2, 5, 0),
        (0, 2, 0),
        (40, 8, 0),
    ):
        items = numbers_twice(count)
        result, error, office, took, left = simulate(
            _spread(answer, items, workers, moved)
        )
        if error is not None:
            raise error
        if result != [number * number for number in items]:
            raise NotYet(
                f"{count} items, {workers} workers: it returned {result!r}.",
                "one result for each item, in the order of the items",
            )
        if office.most_waiting > workers:
            raise NotYet(
                f"{office.most_waiting} jobs were handed over at once, not at most "
                f"{workers}.",
                "a semaphore held during the offload, or that many worker tasks",
            )
        if office.done != count:
            raise NotYet(
                f"{count} items: {office.done} jobs were handed over.",
                "each item needs a job of its own, even if it comes twice",
            )
        if took > office.shortest(items, workers) + 1e-6:
            raise NotYet(
                f"{count} items with {workers} workers took {took:.1f} s.",
                "as long as there are items, every worker has one: none waits for a "
                "batch to end, and none has a fixed share",
            )
        if left:
            raise NotYet("it leaves tasks behind.", "wait for all that you start")
    items = numbers_twice(12)
    items[3] = -1
    _, error, office, _, left = simulate(_spread(answer, items, 2))
    if error is None:
        raise NotYet("one job raised and nobody heard of it.", "let the error through")
    if left or office.done > office.done_at_failure:
        went_on = left or office.done - office.done_at_failure
        what = "tasks went on" if left else "others were still done"
        raise NotYet(
            f"one job raised, and {went_on} {what}.",
            "a TaskGroup cancels the others and waits for them",
        )
    return "never more than allowed, never fewer than possible, and nothing left."
