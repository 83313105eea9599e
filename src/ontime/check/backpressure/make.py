"""``05-make``: a chain of stages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from ontime.check.backpressure.flow import Flow, left_by_a_failure, watched_to_its_end
from ontime.check.registry import exercise
from ontime.check.tools import callbacks_in, need_async_function, now, several, simulate
from ontime.check.verdict import NotYet


@exercise("05-make", need_async_function, "chain")
def check_make(answer: Any) -> str:
    """The answer is an async function ``chain(items, *stages)``.

    Each stage is an async function of one item.  ``chain`` hands every item through all
    stages, returns the list of results in the order of the items, lets different stages
    work at the same time and one stage on one item at a time.  Items are taken from the
    iterable as they are needed: at most ``3 * len(stages) + 3`` may be under way.  If a
    stage raises, the error comes out and nothing is left behind.  Nobody polls.  None
    is an item like any other.
    """
    for count, pauses in ((0, (0.01,)), (1, (0.01,)), (30, (0.01, 0.01, 0.01))):
        _judge_chain(answer, count, pauses)
    ahead = _judge_chain(answer, 200, (0.001, 0.010))
    _judge_none(answer)
    _judge_polling(answer)
    _judge_chain_failure(answer)
    return (
        f"order, overlap, backpressure, failure and None are right; {ahead} items were "
        "under way at the fullest."
    )


def _judge_chain(answer: Any, count: int, pauses: tuple[float, ...]) -> int:
    flow = Flow()
    inside = [0] * len(pauses)
    crowded: list[int] = []

    def stage(place: int) -> Callable[[Any], Any]:
        async def work(item: Any) -> Any:
            inside[place] += 1
            if inside[place] > 1:
                crowded.append(place)
            await asyncio.sleep(pauses[place])
            inside[place] -= 1
            if place == len(pauses) - 1:
                flow.delivered.append(item)
            return (item, place)

        return work

    async def main() -> tuple[Any, int, float]:
        began = now()
        result, left = await watched_to_its_end(
            answer, flow.items(count), *(stage(n) for n in range(len(pauses)))
        )
        return result, left, now() - began

    def wanted(item: Any) -> Any:
        for place in range(len(pauses)):
            item = (item, place)
        return item

    what = f"{several(count, 'item')}, {several(len(pauses), 'stage')}"
    result, left, took = simulate(main())
    if not isinstance(result, list):
        raise NotYet(
            f"{what}: chain() returned {result!r}.",
            "collect the results and return the list",
        )
    if result != [wanted(number) for number in range(count)]:
        raise NotYet(
            f"{what}: the results are not those of all stages, in the order of the "
            "items.",
            "the result of one stage is the item of the next",
        )
    if left:
        raise NotYet(
            f"{what}: {several(left, 'task')} left behind.",
            "let each stage see the end",
        )
    if crowded:
        raise NotYet(
            f"{what}: a stage worked on several items at the same time.",
            "one task for each stage, not for each item",
        )
    limit = 3 * len(pauses) + 3
    if flow.most_ahead > limit:
        raise NotYet(
            f"{what}: {flow.most_ahead} items were under way at once, more than "
            f"{limit}.",
            "a queue of size 1 between two stages, and take an item only when there "
            "is room",
        )
    slowest = count * max(pauses)
    if took > slowest + sum(pauses) + 0.1 * slowest:
        raise NotYet(
            f"{what} took {took:.2f} s; the slowest stage needs {slowest:.2f} s.",
            "let the stages work at the same time",
        )
    return flow.most_ahead


def _judge_none(answer: Any) -> None:
    async def stage(item: Any) -> Any:
        return item

    async def main() -> Any:
        result, _ = await watched_to_its_end(answer, [1, None, 2], stage)
        return result

    if simulate(main()) != [1, None, 2]:
        raise NotYet(
            "the items 1, None, 2 did not come out as they went in.",
            "mark the end with an object of its own: END = object()",
        )


def _judge_polling(answer: Any) -> None:
    """While both stages wait for 0.35 s, nobody must ask whether an item has come."""

    async def stage(item: Any) -> Any:
        await asyncio.sleep(0.35)
        return item

    async def look() -> int:
        await asyncio.sleep(0.01)
        return await callbacks_in(0.3)

    async def main() -> int:
        looking = asyncio.create_task(look())
        await watched_to_its_end(answer, [1, 2], stage, stage)
        return await looking

    if (ran := simulate(main())) > 10:
        raise NotYet(
            f"while the stages waited for 0.3 s, the loop ran {ran:,} callbacks.",
            "a task that sleeps and looks again polls, however long it sleeps: await "
            "queue.get()",
        )


def _judge_chain_failure(answer: Any) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    async def good(item: int) -> int:
        await asyncio.sleep(0.001)
        return item

    async def bad(item: int) -> int:
        if item == 5:
            raise OSError("connection lost")
        return item

    left = simulate(left_by_a_failure(answer, items(), good, bad))
    if left is None:
        raise NotYet(
            "a stage raised OSError, and chain() returned as if nothing had happened.",
            "let a TaskGroup own the stages",
        )
    if left:
        raise NotYet(
            "a stage raised OSError, and tasks were left behind.",
            "let a TaskGroup own the stages: it cancels the others",
        )
    if len(taken) > 20:
        raise NotYet(
            f"a stage raised OSError for item 5, and {len(taken)} items had been "
            "taken.",
            "take an item only when there is room for it",
        )
