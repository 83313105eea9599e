"""A bounded queue, and a consumer that dies."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.backpressure.flow import Flow, watched_to_its_end
from ontime.check.bank.backpressure.failing import until_it_fails
from ontime.check.registry import exercise
from ontime.check.tools import abandoned, need_async_function, now, simulate
from ontime.check.verdict import NotYet


@exercise("05-xcrash", need_async_function, "feed")
def check_crash(answer: Any) -> str:
    """The answer is an async function ``feed(source, handle)``.

    It hands the items of the async iterator *source*, in order, to the async function
    ``handle`` through a bounded queue, so that an item is handled while the next one is
    awaited, and returns when all are handled.  If ``handle`` raises, for whichever
    item, the error comes out at once and no task is left behind.
    """
    most = 0
    for count, gap in (0, 0.0), (1, 0.0), (20, 0.0), (20, 1.0):
        most = max(most, simulate(_fed(answer, count, gap)))
    for bad in 0, 1, 7, 18, 19:
        for gap in 0.0, 10.0:
            simulate(_fed_to_a_failure(answer, bad, gap))
    return (
        f"20 items were handled, {most} under way at the fullest; an error comes out "
        "at once, whichever item it is."
    )


async def _fed(answer: Any, count: int, gap: float) -> int:
    flow = Flow()

    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        flow.delivered.append(item)

    _, left = await watched_to_its_end(answer, flow.arrivals(count, gap), handle)
    if flow.delivered != list(range(count)):
        raise NotYet(
            f"{count} items were given, and {len(flow.delivered)} had been handled, "
            "each once and in order, when feed() returned.",
            "await queue.join() waits until each has had its task_done()",
        )
    if left:
        raise NotYet(
            f"feed() returned and left tasks behind: {left}.",
            "a consumer that waits in get() for ever has to be cancelled",
        )
    if flow.most_ahead > 4:
        raise NotYet(
            f"{flow.most_ahead} items were under way at once.",
            "a queue without a bound takes all that comes: keep maxsize=1",
        )
    if now() > count + 2:
        raise NotYet(
            f"{count} items that come one per second, and take a second each, needed "
            f"{now():g} s.",
            "handle an item while the next one is awaited: that is what the queue and "
            "the consumer's task are for",
        )
    return flow.most_ahead


async def _fed_to_a_failure(answer: Any, bad: int, gap: float) -> None:
    async def handle(item: int) -> None:
        await asyncio.sleep(1)
        if item == bad:
            raise OSError(f"item {item} cannot be stored")

    story = f"items come every {gap:g} s, handle() raised OSError for item {bad} of 20"
    await until_it_fails(
        watched_to_its_end(answer, Flow().arrivals(20, gap), handle),
        f"{story}, and feed()",
        "the consumer has died: who takes the next item out, and who would tell the "
        "producer?",
        "tell the code that awaits the consumer; a TaskGroup does that",
    )
    raised = (bad + 1) * max(gap, 1.0) + (1.0 if gap else 0.0)
    if now() > raised + 0.001:
        raise NotYet(
            f"{story} at {raised:g} s, and it came out at {now():g} s.",
            "do not go on feeding when nobody consumes: the error has to stop the "
            "producer, wherever it waits",
        )
    if await abandoned():
        raise NotYet(f"{story}, and a task was left behind.", "let a TaskGroup own it")
