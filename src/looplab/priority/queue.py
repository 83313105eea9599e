"""Ready queues that give out the most urgent callback instead of the oldest.

They have the part of a deque's face that asyncio uses.  Before it gives out a callback,
a queue lets its loop look for timers and I/O that have become ready meanwhile, so they
are not behind a whole batch.

Some callbacks are plumbing: those of file descriptors and signals, those that other
threads add, and all others whose context has no priority.  What an urgent task waits
for may come through a connection that less urgent code has opened, or from a thread
that it has started.  So plumbing goes first, but after each lot of it one other
callback has its turn, and a timer that has become due interrupts a lot.  As long as a
program has given no priorities, plumbing goes with the rest: everything runs first
come, first served, and only what the loop looks for joins the line sooner than on
asyncio's own loop, which looks once a batch.

A garbage collection or a signal may run code that adds a callback between any two lines
of this module.  So no callback is ever taken from a table that another line still has
to put in order.  Other threads use :attr:`ReadyQueue.inbox`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import Context
from heapq import heappop, heappush
from itertools import count
from typing import Any

from looplab.priority.context import DEADLINE, DEFAULT_PRIORITY, PRIORITY

__all__ = ["KeyedQueue", "ReadyQueue", "TimedQueue"]


class Level(deque[asyncio.Handle]):
    """The callbacks of one priority."""

    __slots__ = ("level",)

    def __init__(self, level: object) -> None:
        super().__init__()
        self.level = level


# No context has this level, nor lacks one in this way, so nobody joins it.
_NO_LEVEL = Level(object())


class ReadyQueue:
    """The highest priority first; first in, first out among equals.

    Args:
        loop: its ``_look()`` adds what has become ready, and says whether timers did;
            it is called between two callbacks.
    """

    __slots__ = (
        "_fresh",
        "_gave_way",
        "_levels",
        "_loop",
        "_lot",
        "_order",
        "_plumbing",
        "in_use",
        "inbox",
        "known_plumbing",
        "look_again",
        "top",
    )

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._fresh = False  # the loop has looked for timers and I/O a moment ago
        #: When to look for I/O again; the loop sets it.
        self.look_again = 0.0
        self._plumbing: deque[asyncio.Handle] = deque()
        #: Whether any priority but the default was seen.
        self.in_use = False
        self._gave_way = False  # plumbing has just made room for a timer
        # Plumbing callbacks to run before the next other; -1: count them.
        self._lot = -1
        # The callbacks by priority, negated; the heap holds the keys of the table.
        self._levels: dict[int, Level] = {}
        self._order: list[int] = []
        #: The level that is served, or ``_NO_LEVEL``: a callback may join it directly.
        self.top = _NO_LEVEL
        #: Callbacks that other threads and signal handlers have added.
        self.inbox: deque[asyncio.Handle] = deque()
        #: Waiting callbacks that are plumbing whatever their context: all those of file
        #: descriptors, since the selector reports them every time, and of the others
        #: those that were added while no priorities were in use.
        self.known_plumbing: set[asyncio.Handle] = set()

    # -- joining ---------------------------------------------------------------------

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback."""
        if self.inbox:
            self.drain()
        self._file(handle)

    def append_io(self, handle: asyncio.Handle) -> None:
        """Add the callback of a file descriptor, unless it waits already."""
        if handle in self.known_plumbing:
            return
        if self.inbox:
            self.drain()
        self.known_plumbing.add(handle)
        self._file_plumbing(handle)

    def drain(self) -> None:
        """Move what other threads have added."""
        inbox = self.inbox
        while inbox:
            try:
                handle = inbox.popleft()
            except IndexError:  # a garbage collection has added something meanwhile
                return
            self._file_plumbing(handle)

    def _file_plumbing(self, handle: asyncio.Handle) -> None:
        if not self.in_use:
            context: Context = handle._context  # type: ignore[attr-defined]
            if context.get(PRIORITY, DEFAULT_PRIORITY) == DEFAULT_PRIORITY:
                # So it is known if priorities come into use.
                self.known_plumbing.add(handle)
                self._file(handle)
                return
            self._sort_out_plumbing()
        self._plumbing.append(handle)

    def _file(self, handle: asyncio.Handle) -> None:
        level: int | None = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
        if level is None:
            if self.in_use:
                self._plumbing.append(handle)
                return
            level = DEFAULT_PRIORITY
        elif level != DEFAULT_PRIORITY and not self.in_use:
            self._sort_out_plumbing()
        waiting = self._levels.get(-level)
        if waiting is None:
            self._open(level, handle)
        else:
            waiting.append(handle)
        if self._order:  # it is empty within a call of _open()
            self.top = self._levels[self._order[0]]

    def _open(self, level: int, handle: asyncio.Handle) -> None:
        # GC may add a callback of the same level before setdefault(), but not within.
        new = Level(level)
        waiting = self._levels.setdefault(-level, new)
        waiting.append(handle)
        if waiting is new:
            heappush(self._order, -level)

    def _sort_out_plumbing(self) -> None:
        """The program gives priorities: from now on plumbing goes first."""
        self.in_use = True
        mixed = self._levels.get(-DEFAULT_PRIORITY)
        if mixed is None:
            return
        for _ in range(len(mixed)):
            handle = mixed.popleft()
            is_plumbing = (
                PRIORITY not in handle._context  # type: ignore[attr-defined]
                or handle in self.known_plumbing
            )
            (self._plumbing if is_plumbing else mixed).append(handle)

    # -- leaving ---------------------------------------------------------------------

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        timers = False
        if self._fresh:
            self._fresh = False
        else:
            timers = self._loop._look()
        if self.inbox:
            self.drain()
        handle = self._next_plumbing(timers) if self._plumbing else self._next()
        if self.known_plumbing:
            self.known_plumbing.discard(handle)
        return handle

    def _next_plumbing(self, timers: bool) -> asyncio.Handle:
        """Take a plumbing callback, or another if it is the turn of one.

        Args:
            timers: whether timers have become ready a moment ago.
        """
        if self._lot == 0 or (timers and not self._gave_way):
            self._gave_way = True
            if self._lot == 0:
                self._lot = -1
            if self._others():
                return self._next()
        self._gave_way = False
        if self._lot < 0:
            self._lot = len(self._plumbing)
        self._lot -= 1
        return self._plumbing.popleft()

    def _next(self) -> asyncio.Handle:
        levels, order = self._levels, self._order
        while True:
            waiting = levels[order[0]]
            if waiting:
                self.top = waiting
                return waiting.popleft()
            # In this order: if another callback joins the level meanwhile, it is found.
            self.top = _NO_LEVEL
            left = levels.pop(heappop(order))
            while left:
                self._file(left.popleft())

    # -- a deque's face --------------------------------------------------------------

    def _others(self) -> int:
        return sum(map(len, self._levels.values()))

    def __len__(self) -> int:
        # The loop asks at the start of a batch, after it has looked.
        self._fresh = True
        if self._plumbing or self.inbox or len(self._order) > 1:
            return len(self._plumbing) + len(self.inbox) + self._others()
        return len(self.top)

    def __bool__(self) -> bool:
        if self.top or self._plumbing or self.inbox:
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
        self.top = _NO_LEVEL
        self.inbox.clear()
        self.known_plumbing.clear()


class TimedQueue(ReadyQueue):
    """The same for a loop in real time.

    To ask the clock costs less than to look, so it asks first.  The lines are those of
    :class:`ReadyQueue`, drawn together: they run once for every callback.
    """

    __slots__ = ()

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        timers = False
        if self._fresh:
            self._fresh = False
        else:
            now = time.monotonic()
            if now >= self.look_again:
                timers = self._loop._look()
            else:
                scheduled = self._loop._scheduled
                if scheduled and scheduled[0]._when <= now:
                    timers = self._loop._look()
        if self.inbox:
            self.drain()
        if self._plumbing:
            handle = self._next_plumbing(timers)
        else:
            top = self.top
            handle = top.popleft() if top else self._next()
        if self.known_plumbing:
            self.known_plumbing.discard(handle)
        return handle


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
        self.in_use = True
        self._key_of = key_of
        self._heap: list[_Entry] = []
        self._arrivals = count()

    def _file(self, handle: asyncio.Handle) -> None:
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
