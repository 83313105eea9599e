"""Ask two, take the first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from ontime.check.bank.task_cost.parts import PartError
from ontime.check.registry import exercise
from ontime.check.tools import abandoned, ended, need_async_function, now, simulate
from ontime.check.verdict import NotYet


async def _raced(
    answer: Any, ends: Sequence[tuple[float, bool]], cancel_at: float | None = None
) -> str:
    log: list[str] = []

    async def source(n: int, seconds: float, fails: bool) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(0.25)
            log.append(f"{n} is over")
            raise
        if fails:
            raise PartError(str(n))
        return f"source {n}"

    work = answer([partial(source, n, *end) for n, end in enumerate(ends)])
    task = await ended(work, "first", cancel_at=cancel_at)
    if not task.done():
        log.append("does not end")
    elif task.cancelled():
        log.append("is cancelled")
    elif (error := task.exception()) is None:
        log.append(f"returned {task.result()!r}")
    elif isinstance(error, PartError):
        log.append(f"raised the error of {error}")
    else:
        raise error
    log.append(f"at {now():g} s")
    if await abandoned():
        log.append("and a task goes on")
    return ", ".join(log)


@exercise("03-xfirst", need_async_function, "first")
def check_first(answer: Any) -> str:
    """The answer is an async function ``first(sources)``.

    It asks all at once and returns the first result; the others are cancelled and have
    ended by then.  One that fails is passed over; if all fail, the last error comes
    out.
    """
    for ends, cancel_at, wanted, story, hint in (
        (
            [(3, False), (1, False)],
            None,
            "0 is over, returned 'source 1', at 1.25 s",
            "sources of 3 and 1 s",
            "cancel the others and wait until they have ended: asyncio.wait() takes a "
            "set of tasks",
        ),
        (
            [(1, True), (2, False), (9, False)],
            None,
            "2 is over, returned 'source 1', at 2.25 s",
            "the first to end fails",
            "FIRST_COMPLETED may be a failure: look at it and wait for the next",
        ),
        (
            [(2, True), (1, True)],
            None,
            "raised the error of 0, at 2 s",
            "both fail",
            "when nobody is left to wait for, raise the last error",
        ),
        (
            [(9, False), (9, False)],
            1.0,
            "0 is over, 1 is over, is cancelled, at 1.25 s",
            "cancelled after 1 s",
            "asyncio.wait() does not cancel what it waits for: try ... finally",
        ),
    ):
        seen = simulate(_raced(answer, ends, cancel_at))
        if seen != wanted:
            raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "the first good answer, and nobody left behind, however it ends."
