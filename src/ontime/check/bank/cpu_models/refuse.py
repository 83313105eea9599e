"""A line with a bound."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_awaitable, need_function, simulate
from ontime.check.verdict import NotYet


class _Slow:
    """Work that waits until it is told how to end."""

    def __init__(self) -> None:
        self.running: list[asyncio.Future[str]] = []
        self.most = 0

    async def offload(self, work: object) -> str:
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.running.append(over)
        self.most = max(self.most, len(self.running))
        try:
            return await over
        finally:
            self.running.remove(over)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def _refused(front_class: Any) -> str:
    slow = _Slow()
    front = front_class(slow.offload, 2, 3)

    async def call(n: int) -> str:
        work = front.run(f"job {n}")
        need_awaitable(work, "run")
        value: str = await work
        return value

    calls = [asyncio.create_task(call(n)) for n in range(6)]
    await _settle()
    if len(slow.running) != 2:
        raise NotYet(
            f"six jobs came for two workers; {len(slow.running)} are with a worker.",
            "two run, three wait, and the sixth is refused",
        )
    states = [task.done() for task in calls]
    if states != [False] * 5 + [True]:
        raise NotYet(
            f"of six jobs, two workers and three places to wait, {sum(states)} were "
            "refused at once; it should be the sixth and no other.",
            "count those that run and those that wait, before you wait for anything",
        )
    _need_busy(calls[5])
    slow.running[0].set_result("well")
    await _settle()
    late = asyncio.create_task(call(6))
    await _settle()
    if late.done():
        raise NotYet(
            "one job ended, and the next that came was refused all the same.",
            "a job that has ended has left its place",
        )
    slow.running[0].set_exception(OSError("the worker failed"))
    await _settle()
    calls[4].cancel()  # it still waits
    await _settle()
    more = [asyncio.create_task(call(n)) for n in (7, 8, 9)]
    await _settle()
    refused = sum(task.done() for task in more)
    if refused != 1:
        raise NotYet(
            "one job failed and one that waited was cancelled: of three that came "
            f"then, {refused} were refused, not 1.",
            "give the place back however a job ends: try ... finally",
        )
    for _ in range(20):
        for over in list(slow.running):
            over.set_result("well")
        await _settle()
    if slow.most > 2:
        raise NotYet(
            f"{slow.most} jobs were with two workers.", "a semaphore for the workers"
        )
    ends = [_end(task) for task in (*calls[:5], late, *more[:2])]
    wanted = ["well", "OSError", "well", "well", "CancelledError", "well"]
    if ends[:6] != wanted:
        raise NotYet(
            f"the jobs ended with {ends[:6]}, not {wanted}.",
            "what offload() returns or raises comes out of run()",
        )
    return "two run, three wait, and the next request is refused at once."


def _end(task: asyncio.Task[str]) -> str:
    if not task.done():
        return "nothing"
    if task.cancelled():
        return "CancelledError"
    error = task.exception()
    return task.result() if error is None else type(error).__name__


def _need_busy(task: asyncio.Task[str]) -> None:
    if _end(task) != "BusyError":
        raise NotYet(
            f"the sixth job ended with {_end(task)}, not with BusyError.",
            "raise BusyError, the class of the setup",
        )


@exercise("02-xrefuse", need_function, "Front")
def check_refuse(answer: Any) -> str:
    """The answer is a class ``Front(offload, workers, places)`` with ``run(work)``.

    At most *workers* jobs are with ``offload(work)`` and at most *places* wait; whoever
    comes then gets a ``BusyError`` at once.
    """
    return simulate(_refused(answer))
