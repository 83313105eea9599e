"""A lock and a semaphore that respect priority.

asyncio's hand on in order of arrival, and the task that holds one goes on at its own
priority.  So an urgent task can wait for a less urgent one that work between the two
keeps from going on: priority inversion.  Here the most urgent waiter is served first,
and while it waits, whoever holds the lock counts as urgent as the waiter.  That holds
along a chain: if the holder waits for another of these locks, its holder is raised too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from looplab._numbers import count_of
from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY
from looplab.priority.urgency import Urgency, own_level

__all__ = ["PriorityLock", "PrioritySemaphore"]


def hold() -> Urgency:
    """Let the running code hold something: from here on others may raise it."""
    value = PRIORITY.get(None)
    outer = value.live() if isinstance(value, Urgency) else None
    key = value.key if isinstance(value, Urgency) else None
    urgency = Urgency(own_level(value, DEFAULT_PRIORITY), outer, key, held=True)
    PRIORITY.set(urgency)
    return urgency


def let_go(urgency: Urgency) -> None:
    """What the code held is given back; nobody raises it for that any more."""
    urgency.held = False
    if PRIORITY.get(None) is urgency:
        plain = urgency.outer is None and urgency.key is None
        PRIORITY.set(
            urgency.own if plain else Urgency(urgency.own, urgency.outer, urgency.key)
        )


class Waiters:
    """Who waits, the most urgent first.

    Args:
        settle: called when the highest level that waits may be another.
    """

    def __init__(self, settle: Callable[[], None]) -> None:
        self._settle = settle
        self._waiting: list[tuple[Urgency, asyncio.Future[None]]] = []

    def __len__(self) -> int:
        return sum(not future.done() for _, future in self._waiting)

    async def wait(self, urgency: Urgency) -> None:
        """Wait until :meth:`wake` chooses this one.

        Args:
            urgency: of the code that waits.

        Raises:
            asyncio.CancelledError: cancelled; if *urgency* was chosen already, the
                choice is the caller's to hand on.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (urgency, future)
        self._waiting.append(entry)
        # If what the code holds besides is raised, so is the place in this line.
        chain = tuple(urgency.chain())
        for one in chain:
            one.waits.append(self._settle)
        self._settle()
        try:
            await future
        finally:
            for one in chain:
                one.waits.remove(self._settle)
            if entry in self._waiting:
                self._waiting.remove(entry)
            self._settle()

    @property
    def highest(self) -> int | None:
        """The highest level that waits; None if nobody does."""
        levels = [one.level for one, future in self._waiting if not future.done()]
        return max(levels, default=None)

    def wake(self) -> Urgency | None:
        """Choose the most urgent; first come, first served among equals."""
        best: tuple[Urgency, asyncio.Future[None]] | None = None
        for entry in self._waiting:
            if not entry[1].done() and (best is None or entry[0].level > best[0].level):
                best = entry
        if best is None:
            return None
        self._waiting.remove(best)
        best[0].chosen = True
        best[1].set_result(None)
        return best[0]


def lift(holders: Iterable[Urgency], level: int | None) -> None:
    """Raise those who hold something to a level, or lower them again.

    Args:
        holders: whom others wait for.
        level: the highest of the others; None for nobody.
    """
    risen = False
    for holder in holders:
        before = holder.level
        holder.floor = level
        if holder.level > before:
            risen = True
            holder.tell()
    if risen:
        reorder()


def reorder() -> None:
    """Let the running loop put what is ready in order, if it keeps an order."""
    loop: Any = asyncio._get_running_loop()
    queue: Any = getattr(loop, "_ready", None)
    if hasattr(queue, "reorder"):
        queue.reorder()


class PrioritySemaphore:
    """A semaphore that serves the most urgent first and raises who holds it.

    It has the face of :class:`asyncio.Semaphore`.  While somebody waits, all who hold
    it count as urgent as the most urgent waiter, and so do the tasks and timers that
    they start meanwhile.

    On a loop without priorities it serves in order of priority too, but raises nobody;
    with ``ByDeadline()`` it is the same: deadlines are not handed on.

    Acquire and release it within the same block of :func:`priority`.

    Args:
        value: how many may hold it at a time.

    Raises:
        TypeError: *value* is not a whole number.
        ValueError: *value* is negative.
    """

    def __init__(self, value: int = 1) -> None:
        self._free = count_of(value, "value", least=0)
        self._holders: list[Urgency] = []
        self._waiters = Waiters(self._settle)

    def __repr__(self) -> str:
        state = "locked" if self.locked() else f"{self._free} free"
        return f"<{type(self).__name__} {state}, {len(self._waiters)} waiting>"

    def locked(self) -> bool:
        """Whether :meth:`acquire` would wait."""
        return self._free == 0

    async def acquire(self) -> bool:
        """Wait until one is free, and hold it.  Returns True.

        Returns at once, without yielding to the loop, if one is free.
        """
        urgency = hold()
        if self._free:
            self._free -= 1
            self._holders.append(urgency)
            return True
        try:
            await self._waiters.wait(urgency)
        except BaseException:
            let_go(urgency)
            if urgency.chosen:  # in the same moment
                self._give_back(urgency)
            raise
        return True

    def release(self) -> None:
        """Give one back: the one that the calling code holds, else the oldest."""
        value = PRIORITY.get(None)
        chain = value.chain() if isinstance(value, Urgency) else iter(())
        mine = next((one for one in chain if one in self._holders), None)
        if mine is None and self._holders:
            mine = self._holders[0]
        if mine is not None:
            let_go(mine)
        self._give_back(mine)

    def _give_back(self, urgency: Urgency | None) -> None:
        if urgency is not None:
            self._holders.remove(urgency)
        chosen = self._waiters.wake()
        if chosen is None:
            self._free += 1
        else:
            self._holders.append(chosen)
            self._settle()

    def _settle(self) -> None:
        lift(self._holders, self._waiters.highest)

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

    It has the face of :class:`asyncio.Lock`::

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
