"""``02-modify``: a computation that lets others have the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from looplab.clock import burn
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import (
    counted_callbacks,
    finished,
    need_async_function,
    simulate,
)
from ontime.check.verdict import NotYet

_NUMBERS = 1000

_SQUARE = 0.001

_ALLOWED_LATE = 0.05

_ALLOWED_PAUSES = 100
_BESIDE = 40  # callbacks of the heartbeat and of the answer itself


@exercise("02-modify", need_async_function, "total")
def check_modify(answer: Any) -> str:
    """The answer is an async function ``total(numbers, square, pause)``.

    It adds ``square(number)`` of all numbers; each call takes a millisecond of CPU.
    ``await pause()`` lets the loop run one iteration.  With 1,000 numbers a beat is at
    most 50 ms late, and there are at most 100 pauses.
    """
    pauses = 0
    made: list[Coroutine[Any, Any, None]] = []

    async def run_pause() -> None:
        nonlocal pauses
        pauses += 1
        await asyncio.sleep(0)

    def pause() -> Coroutine[Any, Any, None]:
        made.append(run_pause())
        return made[-1]

    def square(number: int) -> int:
        burn(_SQUARE)
        return number * number

    async def scenario(numbers: list[int], phase: float) -> tuple[float, Any, int]:
        async with Heartbeat(0.2) as heartbeat:
            await asyncio.sleep(0.2 + phase)
            work = answer(numbers, square, pause)
            with counted_callbacks() as callbacks:
                result = await finished(work, "total")
            await asyncio.sleep(0.2)
        return heartbeat.worst, result, callbacks.count

    # All alike, so that pauses are counted and not chosen by a number's value.
    for numbers in ([], [3], [7] * _NUMBERS):
        worst = 0.0
        for step in range(60):
            pauses = 0
            late, result, ran = simulate(scenario(numbers, 0.00317 * step))
            worst = max(worst, late)
            if len(made) > pauses:
                for each in made:
                    each.close()
                raise NotYet(
                    f"{len(made) - pauses} of {len(made)} pauses were made and never "
                    "awaited.",
                    "write await pause()",
                )
            made.clear()
            if result != sum(number * number for number in numbers):
                raise NotYet(
                    f"for {len(numbers)} numbers it returned {result!r}.",
                    "the pauses must not change the sum",
                )
            if ran - pauses > _BESIDE:
                raise NotYet(
                    f"beside {pauses} pauses the loop ran {ran - pauses} callbacks for "
                    f"{len(numbers)} numbers.",
                    "let the loop go on with pause(), and only there",
                )
            if pauses > _ALLOWED_PAUSES:
                raise NotYet(
                    f"{pauses} pauses for {len(numbers)} numbers, not at most "
                    f"{_ALLOWED_PAUSES}.",
                    "a pause costs something too: make one for several numbers",
                )
        if worst > _ALLOWED_LATE + 1e-9:
            raise NotYet(
                f"a beat is up to {worst:.3f} s late, not at most {_ALLOWED_LATE} s.",
                "a beat can wait for three slices: how many calls may "
                "stand between two pauses?",
            )
    return "three slices fit into the limit, with few pauses."
