"""A lock, a semaphore and a queue that respect priority.

asyncio's hand on in order of arrival, and the task that holds one goes on at its own
priority.  So an urgent task can wait for a less urgent one that work between the two
keeps from going on: priority inversion.  Here the most urgent waiter is served first,
and while it waits, whoever holds the lock counts as urgent as the waiter.  That holds
along a chain: if the holder waits for another of these locks, its holder is raised too.

Of n waiters the most urgent is found in O(log n).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from heapq import heappop, heappush, heapreplace
from types import TracebackType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from looplab._numbers import count_of
from looplab.priority.context import (
    BOTTOM,
    PRIORITY,
    Floor,
    Urgency,
    current_priority,
    live_of,
    own_level,
    under,
)

__all__ = ["PriorityLock", "PriorityQueue", "PrioritySemaphore"]

T = TypeVar("T")


def hold() -> Urgency:
    """Let the running code hold something: from here on others may raise it."""
    value = PRIORITY.get(None)
    urgency = Urgency(own_level(value), live_of(value), held=True)
    PRIORITY.set(urgency)
    return urgency


def let_go(urgency: Urgency) -> None:
    """What the code held is given back; nobody raises it for that any more."""
    urgency.held = False
    if PRIORITY.get(None) is urgency:
        PRIORITY.set(under(urgency.own, urgency.outer))


class _Waiter:
    """A place in the queue for a semaphore."""

    __slots__ = ("arrival", "future", "semaphore", "urgency")

    def __init__(
        self, semaphore: PrioritySemaphore, urgency: Urgency, arrival: int
    ) -> None:
        self.semaphore = semaphore
        self.urgency = urgency
        self.arrival = arrival
        self.future = asyncio.get_running_loop().create_future()

    def entry(self) -> tuple[int, int, _Waiter]:
        """What the heap holds: the most urgent first, then the first come."""
        return (-self.urgency.level, self.arrival, self)

    def rise(self) -> None:
        """Its level has risen: it moves up."""
        if not self.future.done():
            heappush(self.semaphore._heap, self.entry())
            self.semaphore._count_stale()
            self.semaphore._settle()


class PrioritySemaphore:
    """A semaphore that serves the most urgent first and raises who holds it.

    Its methods are those of :class:`asyncio.Semaphore`.  While one waits, all who hold
    it count as urgent as the most urgent waiter, and so do the tasks and timers that
    they start meanwhile.

    On a loop without priorities it serves in order of priority too, but raises nobody;
    with ``ByDeadline()`` it is the same: deadlines are not handed on.

    Acquire and release it within the same block of :func:`priority`.  To hand it on
    costs O(log n) for n waiters; a wait that raises the holders, O(value).

    Args:
        value: how many may hold it at a time.

    Raises:
        TypeError: *value* is not a whole number.
        ValueError: *value* is negative.
    """

    def __init__(self, value: int = 1) -> None:
        self._free = count_of(value, "value", least=0)
        self._holders: OrderedDict[Urgency, None] = OrderedDict()
        self._floor = Floor()
        # It may hold a waiter at a level that this has no more: one that has risen is
        # there a second time, one that has sunk is put right when it comes to the top.
        self._heap: list[tuple[int, int, _Waiter]] = []
        self._arrivals = 0
        self._stale = 0  # at most so many entries

    def __repr__(self) -> str:
        state = "locked" if self.locked() else f"{self._free} free"
        return f"<{type(self).__name__} {state}, {len(self._waiting())} waiting>"

    def _waiting(self) -> set[_Waiter]:
        return {waiter for *_, waiter in self._heap if not waiter.future.done()}

    def locked(self) -> bool:
        """Whether :meth:`acquire` would wait."""
        return not self._free

    async def acquire(self) -> bool:
        """Wait until one is free, and hold it.  Returns True.

        Returns at once, without yielding to the loop, if one is free.
        """
        urgency = hold()
        if self._free:
            self._free -= 1
            self._hold(urgency)
            return True
        try:
            await self._wait(urgency)
        except BaseException:
            let_go(urgency)
            if urgency.chosen:  # in the same moment
                self._give_back(urgency)
            raise
        return True

    async def _wait(self, urgency: Urgency) -> None:
        self._arrivals += 1
        waiter = _Waiter(self, urgency, self._arrivals)
        heappush(self._heap, waiter.entry())
        # If what the code holds besides is raised, so is the place in this queue.
        held: Urgency | None = urgency
        while held is not None:
            held.waits[waiter] = None
            held = held.outer
        self._settle()
        try:
            await waiter.future
        finally:
            held = urgency
            while held is not None:
                del held.waits[waiter]
                held = held.outer
            if not urgency.chosen:
                self._count_stale()
                self._settle()

    def _hold(self, urgency: Urgency) -> None:
        urgency.shared = self._floor
        self._holders[urgency] = None

    def release(self) -> None:
        """Give one back: the one that the calling code holds, else the oldest."""
        value = PRIORITY.get(None)
        mine = value if isinstance(value, Urgency) else None
        while mine is not None and mine not in self._holders:
            mine = mine.outer
        if mine is None and self._holders:
            mine = next(iter(self._holders))
        if mine is not None:
            let_go(mine)
        self._give_back(mine)

    def _give_back(self, urgency: Urgency | None) -> None:
        if urgency is not None:
            del self._holders[urgency]
        waiter = self._first()
        if waiter is None:
            self._free += 1
        else:
            heappop(self._heap)
            waiter.urgency.chosen = True
            waiter.future.set_result(None)
            self._hold(waiter.urgency)
        # The most urgent of the others is no more urgent than it, so it rises no
        # higher, and is in order where it is ready.
        self._floor.level = self._highest()

    def _first(self) -> _Waiter | None:
        """The most urgent waiter, whose entry is the first of the heap."""
        heap = self._heap
        while heap:
            waiter = heap[0][2]
            if waiter.future.done():
                heappop(heap)
                continue
            entry = waiter.entry()
            if entry[0] <= heap[0][0]:
                return waiter
            heapreplace(heap, entry)  # it has sunk
        return None

    def _highest(self) -> int:
        """The highest level that waits; ``BOTTOM`` if nobody does."""
        return BOTTOM if self._first() is None else -self._heap[0][0]

    def _settle(self) -> None:
        """The highest level that waits may be another."""
        before = self._floor.level
        self._floor.set(self._highest(), self._holders)
        if self._floor.level < before:
            for holder in self._holders:  # for whom they wait themselves, it sinks too
                holder.tell()

    def _count_stale(self) -> None:
        """An entry of the heap is stale: make it anew when half of them may be."""
        self._stale += 1
        if self._stale > 32 + len(self._heap) // 2:
            self._heap = sorted(waiter.entry() for waiter in self._waiting())
            self._stale = 0

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


class PriorityLock(PrioritySemaphore):
    """A lock that serves the most urgent first and raises the task that holds it.

    It has the methods of :class:`asyncio.Lock`::

        lock = PriorityLock()
        async with lock:
            await change(account)

    See :class:`PrioritySemaphore` for what is raised, and where it is not.
    """

    def __init__(self) -> None:
        super().__init__(1)

    def release(self) -> None:
        """Give it back.

        Raises:
            RuntimeError: nobody holds it.
        """
        if not self.locked():
            raise RuntimeError("the lock is not acquired: there is nothing to release")
        super().release()


class PriorityQueue(asyncio.Queue[T]):
    """A queue that hands out the most urgent item first and raises who works on one.

    It is an :class:`asyncio.Queue`.  An item has the priority of the code that puts it,
    and need not be comparable; among equals it is first in, first out.  Between
    ``get()`` and ``task_done()`` the worker counts as urgent as its item, and as the
    most urgent item that waits behind it.  The worker is the task that calls ``get()``;
    if it does not call ``task_done()``, it is lowered when it takes the next item.

    Producers that wait for room and workers that wait for items are served in order of
    arrival, and a producer that waits raises nobody.  On a loop without priorities, or
    with ``ByDeadline()``, nobody is raised.

    Args:
        maxsize: how many items it holds at most; 0 for no limit.

    Raises:
        TypeError: *maxsize* is not a whole number.
        ValueError: *maxsize* is negative.
    """

    def __init__(self, maxsize: int = 0) -> None:
        why = "0 stands for no limit"
        super().__init__(count_of(maxsize, "maxsize", least=0, why=why))
        # What a task works on.  A task that has ended works on nothing.
        self._working: WeakKeyDictionary[asyncio.Task[Any], Urgency] = (
            WeakKeyDictionary()
        )
        self._floor = Floor()  # of all who work on an item

    def _init(self, maxsize: int) -> None:
        self._queue: list[tuple[int, int, T]] = []
        self._arrivals = 0

    def _put(self, item: T) -> None:
        self._arrivals += 1
        heappush(self._queue, (-current_priority(), self._arrivals, item))
        self._settle()

    def _get(self) -> T:
        return heappop(self._queue)[2]

    def get_nowait(self) -> T:
        """Take the most urgent item.

        Raises:
            asyncio.QueueEmpty: no item waits.
        """
        level = -self._queue[0][0] if self._queue else BOTTOM
        item = super().get_nowait()  # get() ends in it too
        self._leave()
        task = asyncio.current_task()
        if task is not None:  # a callback is done before it could be raised
            urgency = hold()
            urgency.floor = level
            urgency.shared = self._floor
            self._working[task] = urgency
        self._settle()
        return item

    def task_done(self) -> None:
        """The item that was taken last is worked off.

        Raises:
            ValueError: called more often than there were items.
        """
        super().task_done()
        self._leave()

    def _leave(self) -> None:
        """The task that calls works on no item any more."""
        task = asyncio.current_task()
        urgency = None if task is None else self._working.pop(task, None)
        if urgency is not None:
            let_go(urgency)

    def _settle(self) -> None:
        level = -self._queue[0][0] if self._queue else BOTTOM
        if level > self._floor.level:
            for task in [task for task in self._working if task.done()]:
                del self._working[task]
        self._floor.set(level, self._working.values())
