"""What the checks of several chapters share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from types import CodeType
from typing import Any, NamedTuple

from looplab.check import NotYet, finished, need_awaitable
from looplab.heartbeat import Heartbeat

__all__ = [
    "Load",
    "abandoned",
    "as_number",
    "compiled",
    "executed",
    "left_over",
    "now",
    "read_order",
    "under_load",
]

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


async def abandoned() -> int:
    """Cancel the tasks that an answer left running; how many there were."""
    left = left_over()
    # A task that has been cancelled needs an iteration to end.
    for _ in range(3):
        await asyncio.sleep(0)
    left &= left_over()
    for task in left:
        task.cancel()
    return len(left)


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


def compiled(
    program: str, order: list[int], lines: Sequence[str], above: int = 0
) -> CodeType:
    """The program that the answer to a Parsons exercise makes.

    Args:
        program: its text.
        order: the answer, see :func:`read_order`.
        lines: those of the exercise.
        above: how many lines the program has before them.

    Raises:
        NotYet: it is no program; the error names the line.
    """
    try:
        return compile(program, "<your order>", "exec")
    except SyntaxError as error:
        place = max((error.lineno or above + 1) - above, 1)
        line = lines[order[min(place, len(order)) - 1] - 1].strip()
        raise NotYet(
            f"'{line}' cannot stand at place {place}: {error.msg}.",
            "after a line that ends in a colon the next is indented by four more",
        ) from None


def executed(code: CodeType, namespace: dict[str, Any], name: str, begin: str) -> Any:
    """What *code* defines as *name*, or None.

    Raises:
        NotYet: a line uses a name that nothing has defined; the hint is *begin*.
    """
    try:
        exec(code, namespace)
    except NameError as error:
        raise NotYet(f"{error}.", begin) from None
    return namespace.get(name)


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
        left = await abandoned()
        await asyncio.sleep(2 * interval)
    return Load(heartbeat.worst, took, count, left)
