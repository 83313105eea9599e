"""``03-make``: a task only for what waits."""

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


@exercise("03-make", need_async_function, "economical")
def check_make(answer: Any) -> str:
    """The answer is an async function ``economical(parts)``.

    *parts* is a list of pairs ``(part, waits)``: an async function without parameters,
    and whether it waits for something.  ``economical`` calls each once and returns the
    list of their results, in order.  It takes as long as the longest wait and creates
    no more tasks than there are parts that wait.  If a part raises, the error (alone or
    in a group) comes out at once and no task is left behind.
    """
    waits = [
        [],
        [0.0],
        [0.5],
        [0.0] * 20,
        [0.0, 0.3, 0.0, 0.2, 0.0],
        [0.3, 0.2, 0.1],
        [0.1, 0.0, 0.2],
    ]
    for some in waits:
        right: list[object] = [f"result {number}" for number in range(len(some))]
        parts = [
            (make_part(value, wait), wait > 0)
            for value, wait in zip(right, some, strict=True)
        ]
        seen = simulate(watch(partial(answer, parts), "economical"))
        most = sum(wait > 0 for wait in some)
        judge(seen, right, max(some, default=0.0), most, "economical")
    results = iter("ab")

    async def part() -> str:
        return next(results)

    seen = simulate(watch(partial(answer, [(part, False)] * 2), "economical"))
    judge(seen, ["a", "b"], 0.0, 0, "economical")
    for wait in (0.0, 0.1, 0.7, 1.3):  # while others wait, and when they are done
        parts = [
            (make_part(1, 0.5), True),
            (make_failing_part(wait), wait > 0),
            (make_part(2, 0.0), False),
            (make_part(3, 0.9), True),
        ]
        judge_failure(partial(answer, parts), "economical", "one of the parts", wait)
    return "as quick as gather, with a task only where there is something to wait for."
