"""A ready queue in the order of a key: a deadline, or a time of waiting."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextvars import Context
from heapq import heappop, heappush
from itertools import count
from typing import Any

from looplab.priority.context import DEADLINE, PRIORITY
from looplab.priority.queue import ReadyQueue
from looplab.priority.urgency import Urgency, level_of

__all__ = ["KeyedQueue", "ageing", "deadline_of"]

_Entry = tuple[float, int, asyncio.Handle]


class KeyedQueue(ReadyQueue):
    """The smallest key first; first in, first out among equals.

    Args:
        loop: as for :class:`ReadyQueue`.
        key_of: the key of a context that has a priority.
    """

    __slots__ = ("_arrivals", "_heap", "_key_of")

    def __init__(self, loop: Any, key_of: Callable[[Context, int], float]) -> None:
        super().__init__(loop)
        self._key_of = key_of
        self._heap: list[_Entry] = []
        self._arrivals = count()

    def _file(self, handle: asyncio.Handle, value: Any) -> None:
        context: Context = handle._context  # type: ignore[attr-defined]
        key = self._key_of(context, level_of(value))
        heappush(self._heap, (key, next(self._arrivals), handle))

    def _next(self) -> asyncio.Handle:
        return heappop(self._heap)[2]

    def _reorder(self) -> None:
        # What is added meanwhile joins the new heap.
        waiting, self._heap = self._heap, []
        try:
            waiting = [self._again(entry) for entry in waiting]
        finally:
            for entry in waiting:
                heappush(self._heap, entry)

    def _again(self, entry: _Entry) -> _Entry:
        key, arrival, handle = entry
        context: Context = handle._context  # type: ignore[attr-defined]
        value = context.get(PRIORITY)
        if not isinstance(value, Urgency):
            return entry
        return min(key, self._key_of(context, value.level)), arrival, handle

    def _first_key(self) -> float:
        return self._heap[0][0] if self._heap else math.inf

    def _others(self) -> int:
        return len(self._heap)

    def __len__(self) -> int:
        return self._aside() + len(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap or self._aside())

    def __iter__(self) -> Iterator[asyncio.Handle]:
        yield from (*self._batch, *self._plumbing)
        for entry in sorted(self._heap):
            yield entry[2]
        yield from tuple(self.inbox)

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._heap.clear()


def deadline_of(context: Context, level: int) -> float:
    """The key by which the earliest deadline goes first."""
    own = context.get(DEADLINE, math.inf)
    value = context.get(PRIORITY)
    return min(own, value.deadline) if isinstance(value, Urgency) else own


def ageing(
    now_ns: Callable[[], int], seconds_a_level: float
) -> Callable[[Context, int], float]:
    """Return the key by which a callback gains a level in so many seconds of waiting.

    Of two callbacks that wait, the one that was ready first loses its lead by one
    level in that time.  So the order of the two never changes while they wait, and a
    key that stands still does.  It is in whole nanoseconds, which have no rounding.
    """
    level_ns = round(seconds_a_level * 1e9)

    def key_of(context: Context, level: int) -> float:
        return now_ns() - level * level_ns

    return key_of
