"""Items on their way, and what is seen of a function that moves them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from ontime.check.tools import abandoned, cause, finished

__all__ = ["Flow", "left_by_a_failure", "watched_to_its_end"]


async def watched_to_its_end(answer: Callable[..., Any], *args: Any) -> tuple[Any, int]:
    """What *answer* returned, and how many tasks it left behind."""
    name = getattr(answer, "__name__", "the function")
    result = await finished(answer(*args), name)
    return result, await abandoned()


class Flow:
    """Counts the items that a program has taken and not yet delivered."""

    def __init__(self) -> None:
        self.taken = 0
        self.stored = 0  # begun; those that are over are in delivered
        self.delivered: list[Any] = []
        self.most_ahead = 0

    def items(self, count: int) -> Iterator[int]:
        for number in range(count):
            self.taken += 1
            self.most_ahead = max(self.most_ahead, self.taken - len(self.delivered))
            yield number

    async def arrivals(self, count: int, gap: float) -> AsyncIterator[int]:
        """The same, from a source that needs *gap* seconds for each."""
        for number in self.items(count):
            await asyncio.sleep(gap)
            yield number


async def left_by_a_failure(answer: Any, *args: Any) -> int | None:
    """How many tasks are left when an OSError came out; None if none came out."""
    try:
        await watched_to_its_end(answer, *args)
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(cause(error), OSError):
            raise
    else:
        return None
    return await abandoned()
