"""What a priority loop serves first."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextvars import Context
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

from looplab._numbers import seconds_of
from looplab.clock.loop import VirtualTimeLoop
from looplab.priority.context import DEADLINE, PRIORITY, Urgency, level_of
from looplab.priority.ready import ReadyQueue

__all__ = ["ByDeadline", "ByPriority", "Policy", "check_policy"]

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

    def _others(self) -> bool:
        return bool(self._heap)

    def __iter__(self) -> Iterator[asyncio.Handle]:
        yield from (*self._batch, *self._plumbing)
        for entry in sorted(self._heap):
            yield entry[2]
        yield from tuple(self.inbox)

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._heap.clear()


def _deadline_of(context: Context, level: int) -> float:
    """The key by which the earliest deadline goes first."""
    own = context.get(DEADLINE, math.inf)
    value = context.get(PRIORITY)
    return min(own, value.deadline) if isinstance(value, Urgency) else own


def _ageing(
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


@dataclass(frozen=True, slots=True)
class ByPriority:
    """Serve the highest priority first, first in first out among equals.

    Args:
        ageing: seconds after which a callback that waits counts as one priority higher;
            ``None`` for never.  With it the lowest priority is served in the end even
            if higher ones never stop.  Too short a time takes the meaning out of
            priorities.

    Raises:
        TypeError: *ageing* is not a number.
        ValueError: *ageing* is not above 0 or not finite.

    Introduced in the chapter *Put the lease first*.
    """

    ageing: float | None = None

    def __post_init__(self) -> None:
        if self.ageing is not None:
            seconds_of(self.ageing, "ageing", above=True, none="never")

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.ageing is None:
            return "the priority loop"
        return f"the priority loop, ageing {self.ageing:g} s"

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        if self.ageing is None:
            return plain(loop)
        now_ns = time.monotonic_ns
        if isinstance(loop, VirtualTimeLoop):
            now_ns = loop.time_ns
        return KeyedQueue(loop, _ageing(now_ns, self.ageing))


@dataclass(frozen=True, slots=True)
class ByDeadline:
    """Serve the earliest deadline first, see :func:`looplab.priority.deadline`.

    Code without a deadline comes last.  Priorities are not looked at.

    Introduced in the chapter *Put the lease first*.
    """

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "the loop, earliest deadline first"

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        return KeyedQueue(loop, _deadline_of)


Policy = ByPriority | ByDeadline


def check_policy(policy: object) -> Policy:
    if policy is None:
        return ByPriority()
    if isinstance(policy, (ByPriority, ByDeadline)):
        return policy
    raise TypeError(
        f"policy is {policy!r:.60}: give ByPriority(), ByPriority(ageing=10) or "
        "ByDeadline()"
    )
