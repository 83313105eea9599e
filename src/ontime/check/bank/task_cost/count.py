"""Callbacks, by arithmetic."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import counted_callbacks, need_function, need_number, simulate
from ontime.check.verdict import NotYet

Part = Callable[[], Coroutine[Any, Any, Any]]


async def _in_sequence(parts: Sequence[Part]) -> None:
    for part in parts:
        await part()


async def _in_tasks(parts: Sequence[Part]) -> None:
    tasks = [asyncio.create_task(part()) for part in parts]
    for task in tasks:
        await task


async def _gathered(parts: Sequence[Part]) -> None:
    await asyncio.gather(*(part() for part in parts))


_WAYS = {"in sequence": _in_sequence, "tasks": _in_tasks, "gather": _gathered}


async def _counted(way: str, parts: int, pauses: int) -> int:
    async def part() -> None:
        for _ in range(pauses):
            await asyncio.sleep(0)

    over = asyncio.get_running_loop().create_future()

    async def request() -> None:
        await _WAYS[way]([part] * parts)
        over.set_result(None)

    with counted_callbacks() as seen:
        task = asyncio.create_task(request())
        await over
        count = seen.count - 1  # the step that woke us
    await task
    return count


@exercise("03-xcount", need_function, "callbacks")
def check_count(answer: Any) -> str:
    """The answer is a function ``callbacks(way, parts, pauses)``.

    It says how many callbacks a loop runs for a request, its own first step counted.
    """
    for parts, pauses in (2, 0), (10, 0), (1, 1), (2, 1), (5, 3), (1, 0), (3, 7):
        for way in _WAYS:
            counted = simulate(_counted(way, parts, pauses))
            predicted = need_number(answer(way, parts, pauses), "callbacks")
            if predicted == counted:
                continue
            hint = {
                "in sequence": "the first step, and one more for each pause, since a "
                "sleep(0) puts the same task into the queue again",
                "tasks": "each task has a first step and one for each pause; the "
                "request has its own, and is woken once: the others are done by then",
                "gather": "as the tasks, and each part reports when it is done",
            }[way]
            raise NotYet(
                f"{way}, {parts} parts with {pauses} pauses each: the loop runs "
                f"{counted} callbacks, and your function says {predicted:g}.",
                hint,
            )
    return "every count is the loop's own."
