"""Ready queues that give out the most urgent callback instead of the oldest.

They have the part of a deque's face that asyncio uses.  Before it gives out a callback,
a queue lets its loop look for timers and I/O that have become ready meanwhile, so they
are not behind a whole batch.

Some callbacks are plumbing: those of file descriptors and signals, and all others whose
context has no priority.  What an urgent task waits for may come through a connection
that less urgent code has opened.  So plumbing goes first, in lots of a millisecond;
after each lot one other callback has its turn, and a timer that has become due
interrupts a lot.  If that other callback took longer than a lot, the next lot may take
as long, unless more urgent work waits.

As long as a program has given no priorities, everything runs as on asyncio's own loop.
When the first callback with a priority comes, all that waits is put in order.

A garbage collection or a signal may run code that adds a callback between any two lines
of this module.  So no callback is ever taken from a table that another line still has
to put in order.  What a signal handler has raised is put in order later, see
:meth:`ReadyQueue.reorder`.  Other threads use :attr:`ReadyQueue.inbox` and take the
loop's shortcut away: the next callback that it adds itself finds theirs before it.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import Context
from heapq import heappop, heappush
from typing import Any

from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY, level_of

__all__ = ["KeyOf", "ReadyQueue"]

#: The key of a callback from its context and its level; the smallest goes first.
KeyOf = Callable[[Context, int], float]

# Seconds; a little less than a millisecond, or rounding adds a callback.
_LOT = 0.001 - 1e-9


class Level(deque[asyncio.Handle]):
    """The callbacks of one level: first come, first served."""

    __slots__ = ("level",)

    def __init__(self, level: object) -> None:
        super().__init__()
        self.level = level


# No context has this level, nor lacks one in this way, so nobody joins it.
NO_LEVEL = Level(object())


class ReadyQueue(deque[Any]):
    """The smallest key first; first in, first out among equals.

    As a deque it holds a token for each callback that waits anywhere in it, so asyncio
    learns at no cost how many there are.

    Args:
        loop: its ``_look()`` adds what has become ready, and says whether timers did;
            it is called between two callbacks.  Its ``_descriptors()`` are the
            callbacks of file descriptors.
        key_of: None for the highest priority first.
        clock: tells the seconds on the loop's clock.
    """

    __slots__ = (
        "_batch",
        "_clock",
        "_gave_at",
        "_gave_key",
        "_gave_way",
        "_key_of",
        "_levels",
        "_loop",
        "_lot",
        "_lot_due",
        "_lot_ends",
        "_order",
        "_plumbing",
        "_stale",
        "aside",
        "in_use",
        "inbox",
        "known_plumbing",
        "look_at",
        "pending",
        "top",
    )

    add_token = deque.append
    _take_token = deque.popleft

    def __init__(
        self,
        loop: Any,
        key_of: KeyOf | None,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._loop = loop
        self._key_of = key_of
        #: Whether there is an order of urgency: the program has given a priority.
        self.in_use = key_of is not None
        self._clock = clock
        #: When the loop must look for timers and I/O again, on its clock.
        self.look_at = 0.0 if self.in_use else math.inf
        #: Whether there may be plumbing, or something to put in order.
        self.aside = False
        #: Whether it may be more than plumbing.
        self.pending = False
        self._plumbing: deque[asyncio.Handle] = deque()
        self._stale = False  # callbacks may wait at another level than they should
        self._gave_way = False  # plumbing has just made room for a timer
        # A lot of plumbing has begun, and no other callback had its turn since; what is
        # left of it; when it ends, and when if nothing more urgent waits.
        self._lot = False
        self._batch: deque[asyncio.Handle] = deque()
        self._lot_ends = self._lot_due = 0.0
        self._gave_at = -1.0  # when another callback had its turn, and what it was
        self._gave_key: float = 0
        # The callbacks by key; the heap holds the keys of the table.
        self._levels: dict[float, Level] = {}
        self._order: list[float] = []
        #: The level that is served, or ``NO_LEVEL``: a callback may join it directly.
        self.top = NO_LEVEL
        #: Callbacks that other threads have added.
        self.inbox: deque[asyncio.Handle] = deque()
        #: Waiting callbacks of file descriptors: the selector reports them every time.
        self.known_plumbing: set[asyncio.Handle] = set()

    # -- joining ---------------------------------------------------------------------

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback; the first one that has a priority puts all in order."""
        if self.inbox:
            self._take_in()  # what other threads added came before it
        self._join(handle)
        self.add_token(None)

    def _join(self, handle: asyncio.Handle) -> None:
        context: Context = handle._context  # type: ignore[attr-defined]
        value = context.get(PRIORITY)
        if not self.in_use:
            self.expect(handle)
            value = value or DEFAULT_PRIORITY
        if value is None:
            self._plumbing.append(handle)
            self.aside = True
            return
        key = self._key(context, value)
        waiting = self._levels.get(key)
        if waiting is None:
            self._open(key, handle)
        else:
            waiting.append(handle)
        if self._order:  # it is empty within a call of _open()
            self._serve(self._levels[self._order[0]])

    def _key(self, context: Context, value: Any) -> float:
        level = value if type(value) is int else level_of(value)
        return -level if self._key_of is None else self._key_of(context, level)

    def _open(self, key: float, handle: asyncio.Handle) -> None:
        new = Level(-key if self._key_of is None else NO_LEVEL.level)
        # GC may add a callback of the same level before setdefault(), but not within.
        waiting = self._levels.setdefault(key, new)
        waiting.append(handle)
        if waiting is new:
            heappush(self._order, key)

    def expect(self, handle: asyncio.Handle) -> None:
        """A callback joins, or will when its time comes: the first with a priority?"""
        value = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
        if not self.in_use and level_of(value) != DEFAULT_PRIORITY:
            self.start()

    def start(self) -> None:
        """From here on there is an order of urgency."""
        if self.in_use:
            return
        descriptors = self._loop._descriptors()
        self.in_use = True
        self.look_at = 0.0
        for waiting in tuple(self._levels.values()):  # at most one level
            for _ in range(len(waiting)):
                handle = waiting.popleft()
                if handle in descriptors:
                    self.known_plumbing.add(handle)
                    self._plumbing.append(handle)
                    self.aside = True
                else:
                    self._join(handle)

    def append_plumbing(self, handle: asyncio.Handle) -> None:
        """Add a callback of no priority; a signal handler may do so too."""
        if not self.in_use:
            self.append(handle)
            return
        self._plumbing.append(handle)
        self.aside = True
        self.add_token(None)

    def append_io(self, handle: asyncio.Handle) -> None:
        """Add the callback of a file descriptor, unless it waits already."""
        if not self.in_use:  # the loop looks once a batch: nothing comes twice
            if handle._context.get(PRIORITY) is self.top.level:  # type: ignore[attr-defined]
                self.top.append(handle)
                self.add_token(None)
            else:
                self.append(handle)
        elif handle not in self.known_plumbing:
            self.known_plumbing.add(handle)
            self._plumbing.append(handle)
            self.aside = True
            self.add_token(None)

    def append_threadsafe(self, handle: asyncio.Handle) -> None:
        """Add a callback from another thread."""
        self.inbox.append(handle)
        self.top = NO_LEVEL
        self.aside = self.pending = True
        self.add_token(None)

    def _take_in(self) -> None:
        """Put what other threads have added where it belongs."""
        while self.inbox:
            try:
                handle = self.inbox.popleft()
            except IndexError:  # a garbage collection has taken it meanwhile
                break
            self._join(handle)

    def _serve(self, waiting: Level) -> None:
        """Let callbacks join a level directly, unless a thread's come first."""
        self.top = waiting
        if self.inbox:
            self.top = NO_LEVEL

    def reorder(self) -> None:
        """Put what waits in order again before the next callback: levels have risen."""
        self._stale = True
        self.aside = self.pending = True

    # -- leaving ---------------------------------------------------------------------

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        now = 0.0
        if self.in_use:
            clock = self._clock  # a slot that is called as a method is slow
            now = clock()  # to ask costs less than to look
        if now < self.look_at and not self.aside:
            try:
                handle = self.top.popleft()
            except IndexError:
                handle = self._next()
        else:
            timers = now >= self.look_at and self._loop._look()
            if not self.aside:
                handle = self._next()
            elif now < self._lot_ends and not (timers or self.pending) and self._batch:
                handle = self._batch.popleft()  # amid a lot of plumbing
                self.known_plumbing.discard(handle)
            else:
                handle = self._take(now, timers)
        self._take_token()
        return handle

    def _take(self, now: float, timers: bool) -> asyncio.Handle:
        """Take a plumbing callback, or another if it is the turn of one."""
        self.aside = self.pending = False  # a thread that adds one says so again
        if self.inbox:
            self._take_in()
        if self._stale:
            self._stale = False
            self._reorder()
        batch, plumbing = self._batch, self._plumbing
        if not batch and not plumbing:
            self._lot = False
            return self._next()
        self.aside = True
        others = self._first() is not None
        over = self._lot and not batch
        if self._lot and not over and now >= self._lot_ends:
            over = now >= self._lot_due or (others and self._order[0] < self._gave_key)
        if others and (over or (timers and not self._gave_way)):
            self._gave_way = True
            if over:
                self._lot = False
                self._gave_at = now
                self._gave_key = self._order[0]
            return self._next()
        self._gave_way = False
        if over or not self._lot:
            while plumbing:
                batch.append(plumbing.popleft())
            self._lot = True
            self._lot_ends = self._lot_due = now + _LOT
            if self._gave_at >= 0:  # as long as the other callback took
                self._lot_due = max(self._lot_due, 2 * now - self._gave_at)
                self._gave_at = -1.0
        handle = batch.popleft()
        self.known_plumbing.discard(handle)
        return handle

    def _first(self) -> Level | None:
        """The level that is served next; its key is the first of the heap."""
        levels, order = self._levels, self._order
        while order:
            waiting = levels[order[0]]
            if waiting:
                return waiting
            # In this order: if another callback joins the level meanwhile, it is found.
            self.top = NO_LEVEL
            left = levels.pop(heappop(order))
            while left:
                self._join(left.popleft())
        return None

    def _next(self) -> asyncio.Handle:
        waiting = self._first()
        if waiting is None:
            raise IndexError("no callback waits")
        self._serve(waiting)
        return waiting.popleft()

    def _reorder(self) -> None:
        """Move the callbacks whose level has risen."""
        for key in sorted(self._levels):
            waiting = self._levels.get(key, NO_LEVEL)
            risen = []
            for _ in range(len(waiting)):
                handle = waiting.popleft()
                context: Context = handle._context  # type: ignore[attr-defined]
                value = context.get(PRIORITY)
                if type(value) is not int and self._key(context, value) < key:
                    risen.append(handle)
                else:
                    waiting.append(handle)
            for handle in risen:
                self._join(handle)

    # -- a deque's face --------------------------------------------------------------

    def __iter__(self) -> Iterator[asyncio.Handle]:
        """Walk the callbacks: plumbing, then by key, then from other threads."""
        yield from (*self._batch, *self._plumbing)
        for key in sorted(self._levels):
            yield from tuple(self._levels[key])
        yield from tuple(self.inbox)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {sum(1 for _ in self)} callbacks>"

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self.inbox.clear()
        self._batch.clear()
        self._plumbing.clear()
        self.known_plumbing.clear()
        self.top = NO_LEVEL
        self._levels.clear()
        self._order.clear()
