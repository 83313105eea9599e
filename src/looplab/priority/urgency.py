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
from collections.abc import Callable, Hashable, Iterator
from typing import Any

__all__ = ["TOP", "Urgency", "level_of", "own_level", "under"]

#: The level of what must not wait for anything, such as the end of the program.
TOP = 2**62


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
        #: The level that it is raised to; None for not raised.
        self.floor: int | None = None
        #: The deadline that it is raised to, in seconds on the loop's clock.
        self.due = math.inf
        #: Called when its level has risen: whom its code waits for must rise too.
        self.waits: list[Callable[[], object]] = []
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
            if one.floor is not None and one.floor > level and one._can_be_raised():
                level = one.floor
        return level

    @property
    def deadline(self) -> float:
        """The earliest deadline that it is raised to; ``math.inf`` for none."""
        return min(
            one.due if one._can_be_raised() else math.inf for one in self.chain()
        )

    def tell(self) -> None:
        """Its level has risen: say so where its code waits."""
        for call in tuple(self.waits):
            call()

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
