"""``03-modify``: as quick as gather with one task."""

from __future__ import annotations

from functools import partial
from typing import Any

from ontime.check.registry import exercise
from ontime.check.task_cost.parts import (
    judge,
    judge_failure,
    make_failing_part,
    make_part,
    watch,
)
from ontime.check.tools import need_async_function, simulate


@exercise("03-modify", need_async_function, "handle")
def check_modify(answer: Any) -> str:
    """The answer is an async function ``handle(user, price, stock)``.

    The three are async functions without parameters.  ``user`` answers from memory,
    ``price`` and ``stock`` wait.  ``handle`` returns their three results in this order.
    Required on the virtual clock, whichever of the two waits longer: it takes as long
    as the longer wait, creates at most one task, and leaves none behind, also if one of
    the three raises; its error comes out at once, alone or in a group.
    """
    for price, stock in ((0.020, 0.030), (0.030, 0.020)):
        parts = make_part("Ada", 0), make_part(12.5, price), make_part(3, stock)
        seen = simulate(watch(partial(answer, *parts), "handle"))
        judge(seen, ["Ada", 12.5, 3], max(price, stock), 1, "handle")
    for place, name in enumerate(("user", "price", "stock")):
        broken = [make_part("Ada", 0), make_part(12.5, 0.030), make_part(3, 0.030)]
        for wait in (0.010, 0.080) if place else (0,):
            broken[place] = make_failing_part(wait)
            judge_failure(partial(answer, *broken), "handle", name, wait)
    return "the latency of gather, and one task instead of three."
