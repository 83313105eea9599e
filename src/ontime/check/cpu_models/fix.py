"""``02-fix``: requests whose CPU work holds the loop."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import elapsed
from looplab.heartbeat import Heartbeat
from ontime.check.cpu_models.office import Office
from ontime.check.registry import exercise
from ontime.check.tools import (
    finished,
    left_over,
    move_hashes,
    need_async_function,
    numbers_twice,
    simulate,
)
from ontime.check.verdict import NotYet


async def _answered(
    answer: Any, numbers: list[int], moved: int
) -> tuple[float, float, Office, Any, int]:
    # Unequal, so that they end in another order than they begin.
    office = Office(2, 0.3, 0.1, 0.2, 0.1, 0.35)
    move_hashes(moved)
    async with Heartbeat(0.05) as heartbeat:
        await asyncio.sleep(0.12)
        begun = elapsed()
        work = answer(list(numbers), office.work, office.offload)
        results = await finished(work, "answer")
        took = elapsed() - begun
        await asyncio.sleep(0.1)
        left = len(left_over())
    return heartbeat.worst, took, office, results, left


@exercise(
    "02-fix",
    need_async_function,
    "answer",
    elsewhere="offload(work, number) runs it elsewhere",
)
def check_fix(answer: Any) -> str:
    """The answer is an async function ``answer(requests, work, offload)``.

    It returns the results of ``work(request)`` in the order of the requests.  ``await
    offload(work, request)`` runs one in another process, of which there are two.  The
    loop stays free, and both processes are used.
    """
    for count, moved in ((8, 0), (8, 22), (8, 26), (6, 0), (1, 0), (0, 0)):
        numbers = numbers_twice(count)
        late, took, office, results, left = simulate(_answered(answer, numbers, moved))
        wanted = [number * number for number in numbers]
        if late > 0.01:
            raise NotYet(
                f"with {count} requests the heartbeat is {late:.2f} s late.",
                "work() must not be called here: hand it to offload() without "
                "parentheses of its own",
            )
        if results != wanted:
            raise NotYet(
                f"for {count} requests it returned {results!r}, not {wanted!r}.",
                "return the list of results in the order of the requests, whichever is "
                "done first",
            )
        if office.done != count:
            raise NotYet(
                f"{office.done} of {count} jobs went to the other processes.",
                "each request needs one",
            )
        if took > office.shortest(numbers) + 0.02:
            raise NotYet(
                f"{count} requests took {took:.1f} s: one process is idle.",
                "start all of them before you wait for the first: asyncio.gather",
            )
        if left:
            raise NotYet("it leaves tasks behind.", "wait for all that you start")
    return "two processes work, and the heartbeat is on time."
