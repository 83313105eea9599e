"""From a poll to an event."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.bank.spinning_loop.event_waits import events_that_wait
from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import simulate_watched
from ontime.check.tools import (
    callbacks_in,
    finished,
    need_awaitable,
    need_class,
    need_plain,
    now,
)
from ontime.check.verdict import NotYet


@exercise("06-xevent", need_class, "Progress")
def check_event(answer: Any) -> str:
    """The answer is a class ``Progress``, made on the loop without arguments.

    ``add(n)``, a plain method, counts; ``await at_least(n)`` returns once the count is
    *n* or more.  Several may wait, for different numbers, and nobody polls.
    """
    with events_that_wait():
        ran = simulate_watched(_progress_at_rest(answer))
        simulate_watched(_progress_of_several(answer))
    return f"everybody is told at their number; the loop ran {ran} callbacks at rest."


async def _progress_at_rest(answer: Any) -> int:
    progress = answer()
    need_plain(progress.add(1), "add")
    waiting = progress.at_least(3)
    need_awaitable(waiting, "at_least")
    task = asyncio.ensure_future(waiting)
    await asyncio.sleep(0.01)
    ran = await callbacks_in(5)
    if ran > 20:
        raise NotYet(
            f"while nothing happened for 5 s, the loop ran {ran:,} callbacks.",
            "a task that looks again and again polls, with a nap or without: let it "
            "wait for something that add() sets",
        )
    task.cancel()
    await asyncio.wait([task])
    return ran


async def _progress_of_several(answer: Any) -> None:
    progress = answer()
    reported: list[tuple[int, float]] = []

    async def wait(number: int) -> None:
        await progress.at_least(number)
        reported.append((number, round(now(), 2)))

    tasks = [asyncio.ensure_future(wait(n)) for n in (5, 2, 0, 3, 5, 9)]
    gone = asyncio.ensure_future(wait(4))
    loop = asyncio.get_running_loop()
    for at, many in (1.0, 1), (2.0, 3), (3.0, 1), (4.0, 2), (4.0, 2):
        loop.call_later(at, progress.add, many)
    await asyncio.sleep(1.5)
    gone.cancel()
    try:
        await finished(asyncio.gather(*tasks))
    except DeadlockError:
        raise NotYet(
            f"9 were counted, in steps of 1, 3, 1, 2 and 2; told were "
            f"{sorted(reported)} (number, time), and the others wait for ever.",
            "a task that wakes has to look at the count again, and wait again, and an "
            "add() in between must not be missed",
        ) from None
    wanted = [(0, 0.0), (2, 2.0), (3, 2.0), (5, 3.0), (5, 3.0), (9, 4.0)]
    if sorted(reported) != wanted:
        raise NotYet(
            f"told were {sorted(reported)} (number, time), and it should have been "
            f"{wanted}.",
            "a task that wakes has to look at the count again: 'while', not 'if'",
        )
