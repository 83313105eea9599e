"""A queue whose items have the priority of the code that puts them."""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from looplab._numbers import count_of
from looplab.priority.context import check_priority, current_priority
from looplab.priority.locks import Waiters, hold, let_go
from looplab.priority.urgency import BOTTOM, Floor, Urgency

__all__ = ["PriorityQueue"]

T = TypeVar("T")


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
        self._promised = 0  # items that a getter, places that a putter was chosen for
        self._reserved = 0
        # What a task works on.  A task that has ended works on nothing.
        self._working: WeakKeyDictionary[asyncio.Task[Any], Urgency] = (
            WeakKeyDictionary()
        )
        self._floor = Floor()  # of all who work on an item
        self._putters = Waiters(self._settle)
        self._getters = Waiters(lambda: None)
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
        return 0 < self.maxsize <= len(self._items) + self._reserved

    async def put(self, item: T, priority: int | None = None) -> None:
        """Put *item* in; wait as long as there is no room.

        Args:
            item: anything.
            priority: the item's, if not that of the code that calls this.

        Raises:
            TypeError: *priority* is not a whole number.
        """
        level = None if priority is None else check_priority(priority)
        if self.full():
            urgency = hold()
            if level is not None:
                urgency.floor = level
            try:
                await self._putters.wait(urgency)
            except BaseException:
                if urgency.chosen:
                    self._reserved -= 1
                    self._make_room()
                raise
            finally:
                let_go(urgency)
            self._reserved -= 1
        self._add(item, level)

    def put_nowait(self, item: T, priority: int | None = None) -> None:
        """Put *item* in.

        Raises:
            asyncio.QueueFull: there is no room.
            TypeError: *priority* is not a whole number.
        """
        level = None if priority is None else check_priority(priority)
        if self.full():
            raise asyncio.QueueFull(f"the queue holds {self.maxsize} items, no more")
        self._add(item, level)

    def _add(self, item: T, level: int | None) -> None:
        if level is None:
            level = current_priority()
        self._arrivals += 1
        heappush(self._items, (-level, self._arrivals, item))
        self._unfinished += 1
        self._all_done.clear()
        self._serve()
        self._settle()

    def _serve(self) -> None:
        while self._promised < len(self._items) and self._getters.wake():
            self._promised += 1

    async def get(self) -> T:
        """Take the most urgent item; wait as long as there is none."""
        self._leave()
        if len(self._items) <= self._promised:
            urgency = hold()
            try:
                await self._getters.wait(urgency)
            except BaseException:
                if urgency.chosen:
                    self._promised -= 1
                    self._serve()
                raise
            finally:
                let_go(urgency)
            self._promised -= 1
        return self._take()

    def get_nowait(self) -> T:
        """Take the most urgent item.

        Raises:
            asyncio.QueueEmpty: none waits that is not promised to a waiting worker.
        """
        if len(self._items) <= self._promised:
            raise asyncio.QueueEmpty("the queue has no items")
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
        self._make_room()
        self._settle()
        return item

    def _make_room(self) -> None:
        while not self.full() and self._putters.wake():
            self._reserved += 1

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
