"""``05-predict``: how long a queue grows."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, simulate
from ontime.check.verdict import NotYet


async def _backlog(made: int, served: int, seconds: float, maxsize: int) -> int:
    queue: asyncio.Queue[int] = asyncio.Queue(maxsize)

    async def produce() -> None:
        while True:
            await asyncio.sleep(1 / made)
            await queue.put(0)

    async def consume() -> None:
        while True:
            await queue.get()
            await asyncio.sleep(1 / served)

    tasks = [asyncio.create_task(produce()), asyncio.create_task(consume())]
    await asyncio.sleep(seconds)
    length = queue.qsize()
    for task in tasks:
        task.cancel()
    return length


@exercise("05-predict", need_function, "waiting")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``waiting(made, served, seconds, maxsize)``.

    It returns how many items are in the queue after *seconds* if *made* items a second
    are put and *served* a second can be served, and the queue was made with *maxsize*
    (0: no bound).  The check runs eleven such streams on the virtual clock; an item and
    a half more or less is right.
    """
    cases = [
        (100, 80, 60, 0),
        (50, 80, 60, 0),
        (100, 80, 60, 10),
        (100, 80, 2, 1000),
        (25, 25, 40, 0),
        (200, 10, 5, 0),
        (200, 10, 5, 1),
        (40, 50, 30, 5),
        (64, 32, 10, 320),
        (125, 100, 8, 100),
        (100, 99, 100, 0),
    ]
    for made, served, seconds, maxsize in cases:
        returned = answer(made, served, seconds, maxsize)
        count = need_number(returned, "waiting", "a number of items")
        seen = simulate(_backlog(made, served, seconds, maxsize))
        # What grows may be an item more or less; a bound is a bound.
        slack = 0.5 if seen == maxsize else 1.5
        if abs(count - seen) <= slack:
            continue
        if count < 0:
            hint = "a queue is never shorter than empty"
        elif abs(count - made * seconds) <= 1.5:
            hint = "those are all the items; the consumer has taken some of them"
        elif maxsize and count > maxsize:
            hint = "put() waits at the bound: the queue is never longer than that"
        elif not maxsize and count < 1:
            hint = "maxsize=0 does not mean room for none: it means no bound"
        else:
            hint = "how many more come than go per second, and for how long?"
        raise NotYet(
            f"{made} made per second, {served} served, {seconds} s, maxsize={maxsize}: "
            f"your function says {count:g}, in the run {seen} wait.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."
