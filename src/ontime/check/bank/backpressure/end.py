"""The end, for several workers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.backpressure.flow import watched_to_its_end
from ontime.check.bank.backpressure.failing import until_it_fails
from ontime.check.registry import exercise
from ontime.check.tools import need_async_function, several, simulate
from ontime.check.verdict import NotYet

_OWN_END = (
    "only an object of its own, compared with 'is', can mean the end, and an empty "
    "queue never does: more may come"
)


@exercise("05-xend", need_async_function, "work_off")
def check_end(answer: Any) -> str:
    """The answer is an async function ``work_off(items, handle, workers)``.

    So many workers take the items from one bounded queue and await ``handle(item)``.
    It returns when all items are handled and all workers have ended.  None and 0 are
    items like any other, and an error of ``handle`` comes out.
    """
    for workers in 1, 2, 3, 5:
        for count in 4, 0, 1, 23:
            simulate(_worked_off(answer, count, workers))
    simulate(_worked_off_to_a_failure(answer))
    return "1 to 5 workers handled every item once, and all of them ended."


async def _worked_off(answer: Any, count: int, workers: int) -> None:
    given: list[Any] = [None, 0, "", False, *range(1, count)][:count]
    handled: list[Any] = []
    begun = at_once = most = 0
    ahead = 0

    def items() -> Iterator[Any]:
        nonlocal ahead
        for number, item in enumerate(given, 1):
            ahead = max(ahead, number - len(handled))
            yield item

    async def handle(item: Any) -> None:
        nonlocal begun, at_once, most
        begun, at_once = begun + 1, at_once + 1
        most = max(most, at_once)
        # The later ones are shorter, so workers come to the end at different times.
        await asyncio.sleep(1 + 1 / begun)
        at_once -= 1
        handled.append(item)

    where = f"{count} items and {workers} worker{'s' if workers > 1 else ''}"
    try:
        _, left = await watched_to_its_end(answer, items(), handle, workers)
    except DeadlockError:
        sentence = (
            f"{where}: {len(handled)} items were handled, and then it waits for ever."
        )
        if workers == 1:
            raise NotYet(sentence, _OWN_END) from None
        raise NotYet(
            sentence,
            "one end is taken by one worker: the others go on waiting. Put one for "
            "each, or let each worker put it back",
        ) from None
    if sorted(map(repr, handled)) != sorted(map(repr, given)):
        raise NotYet(
            f"{where}: {len(handled)} items had been handled when work_off() returned.",
            _OWN_END,
        )
    if left:
        raise NotYet(
            f"{where}: work_off() left tasks behind: {left}.", "each worker has to end"
        )
    if most < min(workers, count):
        raise NotYet(
            f"{where}: at most {several(most, 'item')} handled at the same time.",
            "start all the workers before the first item is put",
        )
    if most > workers:
        raise NotYet(
            f"{where}: {most} items were handled at the same time.",
            "a worker handles one item at a time: await handle(item)",
        )
    if ahead > 2 * workers + 3:
        raise NotYet(
            f"{where}: {ahead} items were under way at once.",
            "keep the bound of the queue",
        )


async def _worked_off_to_a_failure(answer: Any) -> None:
    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        if item == 5:
            raise OSError("item 5 cannot be stored")

    await until_it_fails(
        watched_to_its_end(answer, iter(range(30)), handle, 3),
        "handle() raised OSError for one item, and work_off()",
        "let a TaskGroup own the workers",
        "let a TaskGroup own the workers",
    )
