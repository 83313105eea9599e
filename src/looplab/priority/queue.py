"""Ready queues that give out the most urgent callback instead of the oldest.

They have the part of a deque's face that asyncio uses.  Before it gives out a callback,
a queue lets its loop look for timers and I/O that have become ready meanwhile, so they
are not behind a whole batch.

Callbacks whose context has no priority belong to no task: they are the loop's own
plumbing, such as the one that reads its wake-up pipe, or come from another thread.
They go first, but after each lot of them one other callback has its turn.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import Context
from heapq import heappop, heappush
from itertools import count

from looplab.priority.context import DEADLINE, PRIORITY

__all__ = ["KeyedQueue", "ReadyQueue"]

_LEVELS_KEPT = 64


class ReadyQueue:
    """The highest priority first; first in, first out among equals.

    Args:
        look: called between two callbacks; it adds what has become ready.

    A garbage collection or a signal may run code that adds a callback between any two
    lines of these methods.  So no callback is ever taken from a table that another
    line still has to put in order.  Other threads use :attr:`inbox`.
    """

    __slots__ = ("_fresh", "_levels", "_look", "_lot", "_order", "_plumbing", "inbox",
                 "queued_io")  # fmt: skip

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._fresh = False  # the loop has looked for timers and I/O a moment ago
        self._plumbing: deque[asyncio.Handle] = deque()
        self._lot = (
            -1
        )  # plumbing callbacks to run before the next other; -1: count them
        # The callbacks by priority, negated; the heap holds the keys of the table.
        self._levels: dict[int, deque[asyncio.Handle]] = {}
        self._order: list[int] = []
        #: Callbacks that other threads and signal handlers have added.
        self.inbox: deque[asyncio.Handle] = deque()
        #: Waiting callbacks of file descriptors; the selector reports them every time.
        self.queued_io: set[asyncio.Handle] = set()

    # -- joining ---------------------------------------------------------------------

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback."""
        level = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
        if level is None:
            self._plumbing.append(handle)
            return
        waiting = self._levels.get(-level)
        if waiting is None:
            self._open(-level, handle)
        else:
            waiting.append(handle)

    def _open(self, key: int, handle: asyncio.Handle) -> None:
        # GC may add a callback of the same level before setdefault(), but not within.
        new: deque[asyncio.Handle] = deque()
        waiting = self._levels.setdefault(key, new)
        waiting.append(handle)
        if waiting is new:
            heappush(self._order, key)

    def drain(self) -> None:
        """Move what other threads have added."""
        inbox = self.inbox
        for _ in range(len(inbox)):
            handle = inbox.popleft()
            self.append(handle)

    # -- leaving ---------------------------------------------------------------------

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        if self._fresh:
            self._fresh = False
        else:
            self._look()
        if self.inbox:
            self.drain()
        if self._plumbing:
            handle = self._next_plumbing() or self._next()
        else:
            self._lot = -1
            handle = self._next()
        if self.queued_io:
            self.queued_io.discard(handle)
        return handle

    def _next_plumbing(self) -> asyncio.Handle | None:
        """Take a plumbing callback, or ``None`` if it is the turn of another."""
        if self._lot == 0:
            self._lot = -1
            if self._others():
                return None
        if self._lot < 0:
            self._lot = len(self._plumbing)
        self._lot -= 1
        return self._plumbing.popleft()

    def _next(self) -> asyncio.Handle:
        levels, order = self._levels, self._order
        while True:
            waiting = levels[order[0]]
            if waiting:
                return waiting.popleft()
            # In this order: if another callback joins the level meanwhile, it is found.
            left = levels.pop(heappop(order))
            while left:
                self.append(left.popleft())

    # -- a deque's face --------------------------------------------------------------

    def _others(self) -> int:
        return sum(map(len, self._levels.values()))

    def __len__(self) -> int:
        # The loop asks at the start of a batch, after it has looked.
        self._fresh = True
        return (
            len(self._plumbing) + len(self.inbox) + sum(map(len, self._levels.values()))
        )

    def __bool__(self) -> bool:
        if self._plumbing or self.inbox:
            return True
        return any(self._levels.values())

    def __iter__(self) -> Iterator[asyncio.Handle]:
        """Walk the callbacks: plumbing, then by priority, then from other threads."""
        yield from tuple(self._plumbing)
        for key in sorted(self._levels):
            yield from tuple(self._levels[key])
        yield from tuple(self.inbox)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {sum(1 for _ in self)} callbacks>"

    def clear(self) -> None:
        """Forget every callback."""
        self._plumbing.clear()
        self._levels.clear()
        self._order.clear()
        self.inbox.clear()
        self.queued_io.clear()


_Entry = tuple[float, int, asyncio.Handle]


class KeyedQueue(ReadyQueue):
    """The smallest key first; first in, first out among equals.

    Args:
        look: called between two callbacks; it adds what has become ready.
        key_of: the key of a context that has a priority.
    """

    __slots__ = ("_arrivals", "_heap", "_key_of")

    def __init__(
        self, look: Callable[[], None], key_of: Callable[[Context, int], float]
    ) -> None:
        super().__init__(look)
        self._key_of = key_of
        self._heap: list[_Entry] = []
        self._arrivals = count()

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback."""
        context: Context = handle._context  # type: ignore[attr-defined]
        level = context.get(PRIORITY)
        if level is None:
            self._plumbing.append(handle)
            return
        key = self._key_of(context, level)
        heappush(self._heap, (key, next(self._arrivals), handle))

    def _next(self) -> asyncio.Handle:
        return heappop(self._heap)[2]

    def _others(self) -> int:
        return len(self._heap)

    def __len__(self) -> int:
        self._fresh = True
        return len(self._plumbing) + len(self.inbox) + len(self._heap)

    def __bool__(self) -> bool:
        return bool(self._plumbing or self.inbox or self._heap)

    def __iter__(self) -> Iterator[asyncio.Handle]:
        yield from tuple(self._plumbing)
        for entry in sorted(self._heap):
            yield entry[2]
        yield from tuple(self.inbox)

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._heap.clear()


def deadline_of(context: Context, level: int) -> float:
    """The key by which the earliest deadline goes first."""
    return context.get(DEADLINE, math.inf)


def ageing(
    time: Callable[[], float], seconds_a_level: float
) -> Callable[[Context, int], float]:
    """Return the key by which a callback gains a level in so many seconds of waiting.

    Of two callbacks that wait, the one that was ready first loses its lead by one
    level in that time.  So the order of the two never changes while they wait, and a
    key that stands still does.
    """

    def key_of(context: Context, level: int) -> float:
        return time() - level * seconds_a_level

    return key_of
