"""One fails, and the others?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from ontime.check.bank.task_cost.parts import PartError
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


async def _tried(answer: Any, ends: Sequence[tuple[float, bool]]) -> tuple[str, float]:
    log: list[str] = []

    async def part(n: int, seconds: float, fails: bool) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(0.25)  # closes its connection
            log.append(f"{n} is cleaned up")
            raise
        if fails:
            raise PartError(f"part {n}")
        return f"part {n}"

    parts = [partial(part, n, *end) for n, end in enumerate(ends)]
    work = answer(parts)
    try:
        value = await finished(work, "all_or_nothing")
        log.append(f"returned {value!r}")
    except Exception as error:
        log.append(f"raised {error!r}" if len(str(error)) < 9 else "raised a group")
    at = now()
    if await abandoned():
        log.append("and a task goes on")
    return ", ".join(log), at


@exercise("03-xerrors", need_async_function, "all_or_nothing")
def check_errors(answer: Any) -> str:
    """The answer is an async function ``all_or_nothing(parts)``.

    It runs the parts at once and returns their results in order.  If one fails, the
    others are cancelled and have ended when its error, and no group, comes out.
    """
    for ends, wanted, at, story in (
        (
            [(2, False), (1, False)],
            "returned ['part 0', 'part 1']",
            2.0,
            "all end well",
        ),
        ([], "returned []", 0.0, "no parts"),
        (
            [(9, False), (1, True)],
            "0 is cleaned up, raised PartError('part 1')",
            1.25,
            "part 1 fails after 1 s, part 0 would take 9 s",
        ),
        (
            [(1, True), (9, False), (9, False)],
            "1 is cleaned up, 2 is cleaned up, raised PartError('part 0')",
            1.25,
            "part 0 fails after 1 s, the others would take 9 s",
        ),
    ):
        seen, ended = simulate(_tried(answer, ends))
        if seen == wanted and abs(ended - at) < 1e-6:
            continue
        if any(fails for _, fails in ends):
            hint = (
                "gather() lets the others go on when one has failed. A TaskGroup "
                "cancels them and waits; it raises a group: exceptions[0] is the error"
            )
        else:
            hint = "start all parts before you wait for the first; results in order"
        raise NotYet(f"{story}: {seen}, at {ended:g} s.", hint)
    return "results in order, or the one error when all the others have ended."
