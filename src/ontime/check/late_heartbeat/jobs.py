"""Jobs that wait and compute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from looplab.clock import burn

__all__ = ["Job", "make_jobs"]

Job = Callable[[], Coroutine[Any, Any, None]]


def make_jobs(
    count: int,
    *,
    before: float,
    cpu: float,
    after: float,
    done: list[int],
    long: float = 0.0,
) -> list[Job]:
    """Jobs that wait, compute, wait, and note their number in *done*.

    Every tenth one waits *long* seconds more at first.
    """

    def make(number: int) -> Job:
        wait = before + (long if number % 10 == 5 else 0)

        async def job() -> None:
            if wait:
                await asyncio.sleep(wait)
            burn(cpu)
            if after:
                await asyncio.sleep(after)
            done.append(number)

        return job

    return [make(number) for number in range(count)]
