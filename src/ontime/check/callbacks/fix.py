"""``01-fix``: a callback that ticks without drifting."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from looplab.clock import burn
from ontime.check.callbacks.small_loop import Callback
from ontime.check.registry import exercise
from ontime.check.tools import need_function, simulate
from ontime.check.verdict import NotYet

#: What the loop's clock says when the answer is called: three eighths, so exact.
_BEGUN = 0.375


async def _ticks(
    tick_every: Callback,
    interval: float,
    cost: float,
    ticks: int,
    hogs: tuple[float, ...],
) -> list[float]:
    """The times at which the work began.

    At each of *hogs*, in intervals, something else takes 0.3 intervals of CPU time.
    """
    loop = asyncio.get_running_loop()
    # Its clock does not begin at 0 for everybody, and a tick is no multiple of it.
    await asyncio.sleep(_BEGUN)
    start = loop.time()
    ran: list[float] = []

    def work() -> None:
        ran.append(round(loop.time() - start, 9))
        burn(cost)

    for at in hogs:
        loop.call_at(start + at * interval, burn, 0.3 * interval)
    value = tick_every(loop, interval, work)
    if ran:
        raise NotYet(
            "tick_every() called work() itself, before it returned.",
            "it only sets up: loop.call_soon(function) has the loop call it",
        )
    if inspect.iscoroutine(value):  # a task that it keeps may be returned
        value.close()
        raise NotYet(
            "tick_every() is an async function.",
            "define it with 'def': it only sets up",
        )
    await asyncio.sleep((ticks - 0.5) * interval)
    return ran


@exercise("01-fix", need_function, "tick_every")
def check_fix(answer: Any) -> str:
    """The answer is a plain function ``tick_every(loop, interval, work)``.

    It schedules ``work()`` at once and returns; *work* then runs again at every whole
    multiple of *interval* seconds after that, however long it takes, as long as it
    takes less than *interval*.  A tick that comes late, since something else held the
    loop, does not move those after it.
    """
    worst = 0.0
    for interval, cost in (2.0, 0.0), (2.0, 0.25), (0.5, 0.125), (1.0, 0.9):
        ran = simulate(_ticks(answer, interval, cost, 6, ()))
        where = f"interval {interval:g} s, work {cost:g} s"
        wanted = [n * interval for n in range(6)]
        if len(ran) < 2:
            raise NotYet(
                f"{where}: it ran {len(ran)} times in {5.5 * interval:g} s.",
                "a callback runs once; it has to ask to be called again",
            )
        if ran[0] != 0.0:
            raise NotYet(
                f"{where}: the first tick is at {ran[0]:g} s.", "begin with call_soon"
            )
        if ran != wanted:
            at = ", ".join(f"{t:g}" for t in ran[:4])
            raise NotYet(
                f"{where}: the ticks are at {at} ...",
                "call_later counts from now, and now is after the work. Keep the "
                "moment at which the tick was due, add the interval, use call_at",
            )
        worst = max(worst, cost)
    _judge_beside_hogs(answer)
    ran = simulate(_ticks(answer, 1.0, 0.1, 300, ()))
    if len(ran) != 300:
        raise NotYet(
            f"in 300 intervals it ran {len(ran)} times.", "each tick asks for the next"
        )
    return f"the ticks keep their pace with up to {worst:g} s of work in each."


def _judge_beside_hogs(answer: Any) -> None:
    """Two ticks come late, the second of them beside work of its own."""
    for cost in 0.0, 0.25:
        ran = simulate(_ticks(answer, 2.0, cost, 7, (1.9, 3.8)))
        wanted = [0.0, 2.0, 4.4, 6.0, 8.2, 10.0, 12.0]
        if ran != wanted:
            at = ", ".join(f"{t:g}" for t in ran[:7])
            raise NotYet(
                "beside something that holds the loop for 0.6 s, from 3.8 and from "
                f"7.6 s on, the ticks are at {at}.",
                "a tick that is late itself must not move the next: count from the "
                "moment at which it was due, not from now",
            )
