"""Parts of a request, and what is seen of a function that awaits them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from ontime.check.tools import (
    finished,
    left_over,
    need_awaitable,
    now,
    several,
    simulate,
)
from ontime.check.verdict import NotYet

__all__ = [
    "EPSILON",
    "Part",
    "judge",
    "judge_failure",
    "make_failing_part",
    "make_part",
    "watch",
]

Part = Callable[[], Coroutine[Any, Any, Any]]

EPSILON = 1e-6


class _Seen(NamedTuple):
    result: object
    took: float
    tasks: int
    left: int
    error: BaseException | None


async def watch(work: Callable[[], Any], name: str) -> _Seen:
    """Await what *work* returns; count the tasks that it creates."""
    loop = asyncio.get_running_loop()
    current = asyncio.current_task()
    made = 0

    def factory(
        loop: asyncio.AbstractEventLoop, coro: Any, **options: Any
    ) -> asyncio.Task[Any]:
        nonlocal made
        made += 1
        return asyncio.Task(coro, loop=loop, **options)

    start = now()
    result: object = None
    error: BaseException | None = None
    handed = work()
    need_awaitable(handed, name)

    async def wait() -> object:
        loop.set_task_factory(factory)
        try:
            return await handed
        finally:
            loop.set_task_factory(None)

    runner = asyncio.ensure_future(finished(wait()))
    try:
        result = await runner
    except ZeroDivisionError as caught:
        error = caught
    took = now() - start
    await asyncio.sleep(0)
    left = {task for task in left_over() if task is not current}
    for task in left:
        task.cancel()
    await asyncio.sleep(0)
    return _Seen(result, took, made, len(left), error)


def make_part(value: object, wait: float) -> Part:
    async def part() -> object:
        if wait:
            await asyncio.sleep(wait)
        return value

    return part


def make_failing_part(wait: float) -> Part:
    async def part() -> object:
        if wait:
            await asyncio.sleep(wait)
        raise ZeroDivisionError

    return part


def judge(seen: _Seen, right: list[object], took: float, most: int, name: str) -> None:
    """Results first, then latency, then tasks."""
    try:
        results = list(seen.result)  # type: ignore[call-overload]
    except TypeError:
        raise NotYet(
            f"{name}() returned {seen.result!r}.", "return all results, in their order"
        ) from None
    if results != right:
        raise NotYet(
            f"{name}() returned {results}, and the parts returned {right}.",
            "the results come in the order of the parts, whichever is done first",
        )
    if seen.took > took + EPSILON:
        raise NotYet(
            f"the answer came after {seen.took:.3f} s, and the longest wait is "
            f"{took:.3f} s.",
            "what waits must wait at the same time",
        )
    if seen.tasks > most:
        raise NotYet(
            f"it made {several(seen.tasks, 'task')}, and {most} would do.",
            "a part that need not wait beside others needs no task, and gather() makes "
            "one for each",
        )
    if seen.left:
        raise NotYet(
            f"still running at the end: {several(seen.left, 'task')}.",
            "await all of them",
        )


def judge_failure(
    work: Callable[[], Any], name: str, who: str, raised_at: float
) -> None:
    """Refuse an answer that hides the ZeroDivisionError of *who*, or leaves a task.

    Or that lets the error out later than *raised_at*, in seconds.
    """

    async def unwrapped() -> object:
        try:
            return await work()
        except BaseExceptionGroup as group:
            matched, rest = group.split(ZeroDivisionError)
            if matched is None or rest is not None:
                raise
            raise ZeroDivisionError from group

    seen = simulate(watch(unwrapped, name))
    if seen.error is None:
        raise NotYet(f"{who} raised, and {name}() did not.", "let the error come out")
    if seen.took > raised_at + EPSILON:
        raise NotYet(
            f"{who} raised after {raised_at:.3f} s, and {name}() after "
            f"{seen.took:.3f} s.",
            "do not wait for the others first: asyncio.TaskGroup cancels them",
        )
    if seen.left:
        raise NotYet(
            f"{who} raised; still running afterwards: {several(seen.left, 'task')}.",
            "asyncio.TaskGroup cancels the others and waits for them",
        )
