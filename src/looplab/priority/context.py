"""The urgency of a piece of code: its priority and its deadline.

Both live in context variables.  A task copies the context of the code that makes it, so
child tasks inherit them, and no coroutine needs another argument.

The context of most code holds its priority as a whole number.  Code that holds a lock
or was cancelled holds an :class:`Urgency` instead, which others can raise.  A context
that is copied shares it: so the timers and tasks that such code starts are raised
together with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import weakref
from collections.abc import Iterable, Iterator
from contextvars import Context, ContextVar, copy_context
from typing import Any

from looplab._numbers import any_number_of, count_of

__all__ = [
    "BOTTOM",
    "DEADLINE",
    "DEFAULT_PRIORITY",
    "PRIORITY",
    "TOP",
    "Floor",
    "Urgency",
    "check_priority",
    "context_with",
    "current_deadline",
    "current_priority",
    "deadline",
    "level_of",
    "live_of",
    "own_context",
    "own_level",
    "priority",
    "under",
]

#: The level of what must not wait for anything, such as the end of the program.
TOP = 2**62
#: The level of nothing: it raises nobody.
BOTTOM = -TOP


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
        held: whether the code holds something for which others may wait.
    """

    __slots__ = (
        "_task",
        "chosen",
        "due",
        "floor",
        "held",
        "outer",
        "own",
        "shared",
        "waits",
    )

    def __init__(
        self, own: int, outer: Urgency | None = None, *, held: bool = False
    ) -> None:
        self.own = own
        self.outer = outer
        self.held = held
        #: The level that it is raised to, alone and with those who hold the same.
        self.floor = BOTTOM
        self.shared = _NOBODY
        #: The deadline that it is raised to, in seconds on the loop's clock.
        self.due = math.inf
        #: Where its code waits; each has a ``rise()``, for when the level has risen.
        self.waits: dict[Any, None] = {}
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
        urgency: Urgency | None = self
        while urgency is not None:
            yield urgency
            urgency = urgency.outer

    def _can_be_raised(self) -> bool:
        if self._task is None:
            return self.held
        task = self._task()
        return task is not None and not task.done()

    @property
    def level(self) -> int:
        """The level that counts, its own or a higher one that it is raised to."""
        level = self.own
        urgency: Urgency | None = self
        while urgency is not None:  # a hot path of the locks
            floor = urgency.floor
            if urgency.shared.level > floor:
                floor = urgency.shared.level
            if floor > level and urgency._can_be_raised():
                level = floor
            urgency = urgency.outer
        return level

    @property
    def deadline(self) -> float:
        """The earliest deadline that it is raised to; ``math.inf`` for none."""
        return min(
            urgency.due if urgency._can_be_raised() else math.inf
            for urgency in self.chain()
        )

    def tell(self) -> None:
        """Its level has risen: say so where its code waits."""
        for waiter in tuple(self.waits):
            waiter.rise()

    def live(self) -> Urgency | None:
        """The nearest in the chain that others may still raise."""
        return next((held for held in self.chain() if held._can_be_raised()), None)


Value = int | Urgency


def level_of(value: Value | None, default: int = 0) -> int:
    """The level that a context's value stands for, raised or not."""
    if value is None:
        return default
    return value.level if isinstance(value, Urgency) else value


def own_level(value: Value | None) -> int:
    """The level that the code was given."""
    return value.own if isinstance(value, Urgency) else value or 0


def live_of(value: Value | None) -> Urgency | None:
    """What others may still raise of a context's value."""
    return value.live() if isinstance(value, Urgency) else None


def under(own: int, outer: Urgency | None) -> Value:
    """What code of priority *own* holds where *outer* may be raised."""
    return own if outer is None else Urgency(own, outer)


#: The priority of code that has been given none.
DEFAULT_PRIORITY = 0

# A context without a value belongs to no task: see the ready queue.
PRIORITY: ContextVar[Value] = ContextVar("looplab_priority")
DEADLINE: ContextVar[float] = ContextVar("looplab_deadline")


def check_priority(value: object, what: str = "priority") -> int:
    """Return *value* if it is a whole number.

    Raises:
        TypeError: it is not.
    """
    kind = "whole number, the greater the more urgent"
    number = count_of(value, what, least=-math.inf, kind=kind)
    return int(number)  # an IntEnum's member is not fast


def check_deadline(value: object) -> float:
    """Return *value* if it is a number of seconds.

    Raises:
        TypeError: it is not a number.
        ValueError: it is not a number of seconds.
    """
    kind = "time on the loop's clock, in seconds, or math.inf for none"
    return any_number_of(value, "deadline", kind)


def current_priority() -> int:
    """Return the priority of the code that runs; 0 if it has been given none.

    Code that holds a :class:`PriorityLock` for which more urgent code waits has the
    priority of that.

    Introduced in the chapter *Put the lease first*.
    """
    return level_of(PRIORITY.get(DEFAULT_PRIORITY))


def current_deadline() -> float:
    """Return the deadline of the code that runs, in seconds on the loop's clock.

    It is ``math.inf`` if there is none.

    Introduced in the chapter *Put the lease first*.
    """
    return DEADLINE.get(math.inf)


@contextlib.contextmanager
def priority(level: int) -> Iterator[None]:
    """Run a block, and start the tasks that it makes, at priority *level*.

    ::

        with priority(3):
            task = asyncio.create_task(keep_lease(message))

    The task keeps its priority after the block.  Inside a task the block counts from
    its next ``await`` on: a callback that runs is never interrupted.

    Args:
        level: a whole number, the greater the more urgent; without one code has 0.

    Raises:
        TypeError: *level* is not a whole number.

    Introduced in the chapter *Put the lease first*.
    """
    own = check_priority(level)
    token = PRIORITY.set(under(own, live_of(PRIORITY.get(None))))
    try:
        yield
    finally:
        PRIORITY.reset(token)


@contextlib.contextmanager
def deadline(when: float) -> Iterator[None]:
    """Run a block, and start the tasks that it makes, with deadline *when*.

    Only a loop that serves the earliest deadline first looks at it.

    Args:
        when: seconds on the loop's clock; ``math.inf`` for no deadline.

    Raises:
        TypeError: *when* is not a number.
        ValueError: *when* is not a number of seconds.

    Introduced in the chapter *Put the lease first*.
    """
    token = DEADLINE.set(check_deadline(when))
    try:
        yield
    finally:
        DEADLINE.reset(token)


def context_with(level: int, when: float | None = None) -> Context:
    """Return a copy of this context with a priority, and a deadline if one is given."""
    context = copy_context()
    context.run(PRIORITY.set, check_priority(level))
    if when is not None:
        context.run(DEADLINE.set, check_deadline(when))
    return context


def own_context(context: Context | None) -> Context:
    """The context of a new task; the first of a program has priority 0 in it.

    Args:
        context: what the caller asks for; None for a copy of its own.
    """
    if context is None:
        context = copy_context()
    if PRIORITY not in context:
        try:
            context.run(PRIORITY.set, DEFAULT_PRIORITY)
        except RuntimeError:  # it is the one that runs
            PRIORITY.set(DEFAULT_PRIORITY)
    return context
