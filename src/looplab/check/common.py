"""What the checks of several chapters share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple

from looplab.check import NotYet, finished, need_awaitable
from looplab.heartbeat import Heartbeat

__all__ = ["Load", "as_number", "left_over", "now", "read_order", "under_load"]

Job = Callable[[], Coroutine[Any, Any, None]]


def now() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()


def as_number(value: object) -> float | None:
    """*value* as a float if it is a real number, else None."""
    if isinstance(value, (bool, str, bytes, complex)):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def left_over() -> set[asyncio.Task[Any]]:
    """Tasks that an answer left running."""
    here = asyncio.current_task()
    return {
        task
        for task in asyncio.all_tasks()
        if task is not here and not task.get_name().startswith("heartbeat")
    }


def read_order(answer: object, count: int, example: str) -> list[int]:
    """The answer to a Parsons exercise of *count* lines, once it is a list of them.

    *example* is a list as a reader would write it.  Raises :class:`NotYet`.
    """
    try:
        order: list[int] = list(answer)  # type: ignore[call-overload]
    except TypeError:
        raise NotYet(
            f"the answer is {answer!r}, not a list of line numbers.",
            f"for example {example}",
        ) from None
    if not order:
        raise NotYet("the list is empty.", "begin with the line that has no indent")
    for number in order:
        if isinstance(number, bool) or not isinstance(number, int):
            raise NotYet(f"{number!r} is not a line number.", "use whole numbers")
        if not 1 <= number <= count:
            raise NotYet(f"there is no line {number}.", f"the lines are 1 to {count}")
        if order.count(number) > 1:
            raise NotYet(f"line {number} is there twice.", "use each line once at most")
    return order


class Load(NamedTuple):
    """What a heartbeat saw beside a load."""

    worst: float  # lateness
    took: float
    done: int  # jobs done when the answer returned
    left: int  # tasks left behind


async def under_load(
    process: Callable[[list[Job]], Awaitable[object]],
    jobs: list[Job],
    *,
    name: str,
    phase: float = 0.5,
    interval: float = 1.0,
    done: list[int] | None = None,
) -> Load:
    """Run *process* on *jobs* beside a heartbeat that last woke *phase* ago."""
    async with Heartbeat(interval) as heartbeat:
        await asyncio.sleep(interval + phase * interval)
        start = now()
        work = process(jobs)
        need_awaitable(work, name)

        count = 0

        async def wait() -> None:
            nonlocal count
            await work
            count = len(done or ())

        await finished(wait())
        took = now() - start
        left = left_over()
        # A worker that has been cancelled needs an iteration to end.
        for _ in range(3):
            await asyncio.sleep(0)
        left &= left_over()
        for task in left:
            task.cancel()
        await asyncio.sleep(2 * interval)
    return Load(heartbeat.worst, took, count, len(left))
