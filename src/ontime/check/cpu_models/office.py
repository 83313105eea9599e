"""Other processes, simulated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heapreplace
from typing import Any

from looplab.clock import burn
from ontime.check.verdict import NotYet

__all__ = ["Office"]


class Office:
    """Simulated workers in other processes, which notes what it is asked to do.

    Args:
        workers: how many jobs are worked on at once; the others wait in line.
        seconds: how long each job takes; the job that takes a number has the length
            at that place, and begins again at the first after the last.
    """

    def __init__(self, workers: int, *seconds: float) -> None:
        self._workers = workers
        self._seconds = seconds
        self.waiting = 0
        self.most_waiting = 0
        self.done = 0
        self.done_at_failure = 0  # when the last job raised, itself included
        self._free = asyncio.Semaphore(workers)
        self._inside = False

    def _takes(self, *args: Any) -> float:
        number = args[0] if args and isinstance(args[0], int) else 0
        return self._seconds[number % len(self._seconds)]

    def shortest(self, numbers: list[int], workers: int | None = None) -> float:
        """How long the jobs of *numbers* take if no worker that has one to do waits."""
        free = [0.0] * (workers or self._workers)
        for number in numbers:
            heapreplace(free, free[0] + self._takes(number))
        return max(free)

    def work(self, number: int) -> int:
        """The CPU work: the square of *number*; it holds whoever runs it."""
        if not self._inside:
            burn(self._takes(number))
        if number < 0:
            raise ValueError(f"no square of {number} today")
        return number * number

    async def offload(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run ``work(*args)`` in another process, and return its result."""
        if not callable(work):
            raise NotYet(
                f"offload() was given {work!r} as the function.",
                "hand over the function and its argument: offload(work, number)",
            )
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        try:
            async with self._free:
                await asyncio.sleep(self._takes(*args))
                self.done += 1
                self._inside = True
                try:
                    return work(*args)
                except ValueError:
                    self.done_at_failure = self.done
                    raise
                finally:
                    self._inside = False
        finally:
            self.waiting -= 1
