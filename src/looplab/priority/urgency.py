"""A priority that others can raise.

The context of most code holds its priority as a whole number.  Code that holds a lock,
was cancelled, or uses up somebody's share holds an :class:`Urgency` instead.  A context
that is copied shares it: so the timers and tasks that such code starts are raised
together with it.
"""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Protocol

__all__ = ["BOTTOM", "TOP", "Floor", "Urgency", "level_of", "own_level", "under"]

#: The level of what must not wait for anything, such as the end of the program.
TOP = 2**62
#: The level of nothing: it raises nobody.
BOTTOM = -TOP


class Rising(Protocol):
    """What waits, and moves up when its level rises."""

    def rise(self) -> None:
        """Its level has risen."""


class Floor:
    """A level to which all who hold one thing are raised."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level = BOTTOM

    def set(self, level: int, holders: Iterable[Urgency]) -> None:
        """Raise those who hold it to a level, or lower them again.

        What is ready is put in order if one of them has risen.

        Args:
            level: the highest of those who wait; ``BOTTOM`` for nobody.
            holders: whom they wait for.
        """
        if level <= self.level:
            self.level = level
            return
        risen = [holder for holder in holders if holder.level < level]
        self.level = level
        for holder in risen:
            holder.tell()
        if risen:
            loop: Any = asyncio._get_running_loop()
            queue: Any = getattr(loop, "_ready", None)
            if hasattr(queue, "reorder"):
                queue.reorder()


_NOBODY = Floor()


class Urgency:
    """What a context holds instead of a whole number.

    Args:
        own: the priority that the code has been given.
        outer: the nearest other that is raised together with this one.
        key: whose share of its level the code uses up; None for nobody's.
        held: whether the code holds something for which others may wait.
    """

    __slots__ = (
        "_task",
        "chosen",
        "due",
        "floor",
        "held",
        "key",
        "outer",
        "own",
        "shared",
        "waits",
    )

    def __init__(
        self,
        own: int,
        outer: Urgency | None = None,
        key: Hashable = None,
        *,
        held: bool = False,
    ) -> None:
        self.own = own
        self.outer = outer
        self.key = key
        self.held = held
        #: The level that it is raised to, alone and with those who hold the same.
        self.floor = BOTTOM
        self.shared = _NOBODY
        #: The deadline that it is raised to, in seconds on the loop's clock.
        self.due = math.inf
        #: Where its code waits: whom it waits for must rise when its level has risen.
        self.waits: dict[Rising, None] = {}
        #: Whether it has waited and was served.
        self.chosen = False
        self._task: weakref.ref[asyncio.Task[Any]] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.own}, counts as {self.level}>"

    def until_done(self, task: asyncio.Task[Any]) -> None:
        """Let it be raised as long as a task is not done."""
        self._task = weakref.ref(task)

    def is_of(self, task: asyncio.Task[Any]) -> bool:
        """Whether it is raised as long as that task is not done."""
        return self._task is not None and self._task() is task

    def chain(self) -> Iterator[Urgency]:
        """Walk from itself outwards."""
        one: Urgency | None = self
        while one is not None:
            yield one
            one = one.outer

    def _can_be_raised(self) -> bool:
        if self._task is None:
            return self.held
        task = self._task()
        return task is not None and not task.done()

    @property
    def level(self) -> int:
        """The level that counts, its own or a higher one that it is raised to."""
        level = self.own
        for one in self.chain():
            floor = max(one.floor, one.shared.level)
            if floor > level and one._can_be_raised():
                level = floor
        return level

    @property
    def deadline(self) -> float:
        """The earliest deadline that it is raised to; ``math.inf`` for none."""
        return min(
            one.due if one._can_be_raised() else math.inf for one in self.chain()
        )

    def tell(self) -> None:
        """Its level has risen: say so where its code waits."""
        for waiter in tuple(self.waits):
            waiter.rise()

    def live(self) -> Urgency | None:
        """The nearest in the chain that others may still raise."""
        return next((one for one in self.chain() if one._can_be_raised()), None)


Value = int | Urgency


def level_of(value: Value | None, default: int = 0) -> int:
    """The level that a context's value stands for, raised or not."""
    if value is None:
        return default
    return value.level if isinstance(value, Urgency) else value


def own_level(value: Value | None, default: int = 0) -> int:
    """The level that the code was given."""
    if value is None:
        return default
    return value.own if isinstance(value, Urgency) else value


def under(own: int, value: Value | None) -> Value:
    """What code of priority *own* holds where the context has held *value*."""
    if not isinstance(value, Urgency):
        return own
    outer = value.live()
    if outer is None and value.key is None:
        return own
    return Urgency(own, outer, value.key)
