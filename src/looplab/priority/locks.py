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
import math
from collections import OrderedDict
from collections.abc import Callable
from heapq import heappop, heappush, heapreplace
from types import TracebackType
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from looplab._numbers import count_of
from looplab.priority.context import (
    BOTTOM,
    PRIORITY,
    Floor,
    Urgency,
    check_priority,
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
    """A place in the queue of :class:`Waiters`."""

    __slots__ = ("arrival", "future", "queue", "urgency")

    def __init__(
        self,
        queue: Waiters,
        urgency: Urgency,
        arrival: int,
        future: asyncio.Future[None],
    ) -> None:
        self.queue = queue
        self.urgency = urgency
        self.arrival = arrival
        self.future = future

    def rise(self) -> None:
        """Its level has risen: it moves up."""
        if not self.future.done():
            heappush(self.queue.heap, (-self.urgency.level, self.arrival, self))
            self.queue.count_stale()
            self.queue.settle()


class Waiters:
    """How many are free, and who waits for one: the most urgent first.

    Among equals it is first come, first served.  The heap may hold a waiter at a level
    that it has no more: one that has risen is there a second time, and one that has
    sunk is put right when it comes to the top.

    Args:
        free: how many are free.
        settle: called when the highest level that waits may be another.
    """

    def __init__(self, free: float, settle: Callable[[], None]) -> None:
        self.free = free
        self.settle = settle
        self.heap: list[tuple[int, int, _Waiter]] = []
        self._arrivals = 0
        self._stale = 0  # at most so many entries

    def __len__(self) -> int:
        return len({waiter for *_, waiter in self.heap if not waiter.future.done()})

    async def wait(self, urgency: Urgency) -> None:
        """Wait until :meth:`give` chooses this one.

        Args:
            urgency: of the code that waits.

        Raises:
            asyncio.CancelledError: cancelled; if *urgency* was chosen already, what it
                was chosen for is the caller's to give back.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        waiter = _Waiter(self, urgency, self._arrivals, future)
        heappush(self.heap, (-urgency.level, waiter.arrival, waiter))
        # If what the code holds besides is raised, so is the place in this queue.
        held: Urgency | None = urgency
        while held is not None:
            held.waits[waiter] = None
            held = held.outer
        self.settle()
        try:
            await future
        finally:
            held = urgency
            while held is not None:
                del held.waits[waiter]
                held = held.outer
            if not urgency.chosen:
                self.count_stale()
                self.settle()

    def count_stale(self) -> None:
        """An entry of the heap is stale: make it anew when half of them may be."""
        self._stale += 1
        if self._stale > 32 + len(self.heap) // 2:
            waiting = {waiter for _, _, waiter in self.heap if not waiter.future.done()}
            self.heap = sorted((-w.urgency.level, w.arrival, w) for w in waiting)
            self._stale = 0

    def _first(self) -> _Waiter | None:
        heap = self.heap
        while heap:
            key, arrival, waiter = heap[0]
            if waiter.future.done():
                heappop(heap)
                continue
            level = -waiter.urgency.level
            if level <= key:
                return waiter
            heapreplace(heap, (level, arrival, waiter))  # it has sunk
        return None

    @property
    def highest(self) -> int:
        """The highest level that waits; ``BOTTOM`` if nobody does."""
        if not self.heap:
            return BOTTOM
        return BOTTOM if self._first() is None else -self.heap[0][0]

    def give(self) -> Urgency | None:
        """Choose the most urgent; if nobody waits, return None: one more is free."""
        waiter = self._first()
        if waiter is None:
            self.free += 1
            return None
        heappop(self.heap)
        waiter.urgency.chosen = True
        waiter.future.set_result(None)
        return waiter.urgency


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
        self._holders: OrderedDict[Urgency, None] = OrderedDict()
        self._floor = Floor()
        self._waiters = Waiters(count_of(value, "value", least=0), self._settle)

    def __repr__(self) -> str:
        state = "locked" if self.locked() else f"{self._waiters.free} free"
        return f"<{type(self).__name__} {state}, {len(self._waiters)} waiting>"

    def locked(self) -> bool:
        """Whether :meth:`acquire` would wait."""
        return not self._waiters.free

    async def acquire(self) -> bool:
        """Wait until one is free, and hold it.  Returns True.

        Returns at once, without yielding to the loop, if one is free.
        """
        urgency = hold()
        if self._waiters.free:
            self._waiters.free -= 1
            self._hold(urgency)
            return True
        try:
            await self._waiters.wait(urgency)
        except BaseException:
            let_go(urgency)
            if urgency.chosen:  # in the same moment
                self._give_back(urgency)
            raise
        return True

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
        chosen = self._waiters.give()
        # The most urgent of the others is no more urgent than it, so it rises no
        # higher, and is in order where it is ready.
        self._floor.level = self._waiters.highest
        if chosen is not None:
            self._hold(chosen)

    def _settle(self) -> None:
        self._floor.set(self._waiters.highest, self._holders)

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


class PriorityQueue(Generic[T]):
    """A queue that hands out the most urgent item first and raises who works on one.

    It has the methods of :class:`asyncio.Queue`.  An item has the priority of the code
    that puts it, and need not be comparable.  Between :meth:`get` and :meth:`task_done`
    the worker counts as urgent as its item, and as the most urgent item or putter that
    waits behind it.  The worker is the task that calls :meth:`get`; if
    it does not call :meth:`task_done`, it is lowered at its next :meth:`get`.

    Producers that wait for room, and workers that wait for items, are served in order
    of priority too.  On a loop without priorities, or with ``ByDeadline()``, nobody is
    raised.

    Args:
        maxsize: how many items it holds at most; 0 for no limit.

    Raises:
        TypeError: *maxsize* is not a whole number.
        ValueError: *maxsize* is negative.
    """

    def __init__(self, maxsize: int = 0) -> None:
        why = "0 stands for no limit"
        self.maxsize = count_of(maxsize, "maxsize", least=0, why=why)
        self._items: list[tuple[int, int, T]] = []
        self._arrivals = 0
        # What a task works on.  A task that has ended works on nothing.
        self._working: WeakKeyDictionary[asyncio.Task[Any], Urgency] = (
            WeakKeyDictionary()
        )
        self._floor = Floor()  # of all who work on an item
        # Places that no putter, and items that no getter was chosen for.
        self._putters = Waiters(self.maxsize or math.inf, self._settle)
        self._getters = Waiters(0, lambda: None)
        self._unfinished = 0
        self._all_done = asyncio.Event()
        self._all_done.set()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self.qsize()} items, "
            f"{len(self._getters)} getters and {len(self._putters)} putters waiting>"
        )

    def qsize(self) -> int:
        """How many items wait."""
        return len(self._items)

    def empty(self) -> bool:
        """Whether no item waits."""
        return not self._items

    def full(self) -> bool:
        """Whether there is no room."""
        return not self._putters.free

    async def put(self, item: T, priority: int | None = None) -> None:
        """Put *item* in; wait as long as there is no room.

        Args:
            item: anything.
            priority: the item's, if not that of the code that calls this.

        Raises:
            TypeError: *priority* is not a whole number.
        """
        level = None if priority is None else check_priority(priority)
        await self._one_of(self._putters, level)
        self._add(item, level)

    async def _one_of(self, waiters: Waiters, level: int | None = None) -> None:
        if waiters.free:
            waiters.free -= 1
            return
        urgency = hold()
        if level is not None:
            urgency.floor = level
        try:
            await waiters.wait(urgency)
        except BaseException:
            if urgency.chosen:
                waiters.give()
            raise
        finally:
            let_go(urgency)

    def put_nowait(self, item: T, priority: int | None = None) -> None:
        """Put *item* in.

        Raises:
            asyncio.QueueFull: there is no room.
            TypeError: *priority* is not a whole number.
        """
        level = None if priority is None else check_priority(priority)
        if self.full():
            raise asyncio.QueueFull(f"the queue holds {self.maxsize} items, no more")
        self._putters.free -= 1
        self._add(item, level)

    def _add(self, item: T, level: int | None) -> None:
        if level is None:
            level = current_priority()
        self._arrivals += 1
        heappush(self._items, (-level, self._arrivals, item))
        self._unfinished += 1
        self._all_done.clear()
        self._getters.give()
        self._settle()

    async def get(self) -> T:
        """Take the most urgent item; wait as long as there is none."""
        self._leave()
        await self._one_of(self._getters)
        return self._take()

    def get_nowait(self) -> T:
        """Take the most urgent item.

        Raises:
            asyncio.QueueEmpty: none waits that is not promised to a waiting worker.
        """
        if not self._getters.free:
            raise asyncio.QueueEmpty("the queue has no items")
        self._getters.free -= 1
        self._leave()
        return self._take()

    def _take(self) -> T:
        negated, _, item = heappop(self._items)
        task = asyncio.current_task()
        if task is not None:  # a callback is done before it could be raised
            urgency = hold()
            urgency.floor = -negated
            urgency.shared = self._floor
            self._working[task] = urgency
        self._putters.give()
        self._settle()
        return item

    def task_done(self) -> None:
        """The item that was taken last is worked off.

        Raises:
            ValueError: called more often than there were items.
        """
        if not self._unfinished:
            raise ValueError("task_done() was called more often than there were items")
        self._leave()
        self._unfinished -= 1
        if not self._unfinished:
            self._all_done.set()

    async def join(self) -> None:
        """Wait until every item has been taken and worked off."""
        await self._all_done.wait()

    def _leave(self) -> None:
        """The task that calls works on no item any more."""
        task = asyncio.current_task()
        urgency = None if task is None else self._working.pop(task, None)
        if urgency is not None:
            let_go(urgency)

    def _settle(self) -> None:
        first = -self._items[0][0] if self._items else BOTTOM
        level = max(first, self._putters.highest)
        if level > self._floor.level:
            for task in [task for task in self._working if task.done()]:
                del self._working[task]
        self._floor.set(level, self._working.values())
