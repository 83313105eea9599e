"""The urgency of a piece of code: its priority and its deadline.

Both live in context variables.  A task copies the context of the code that makes it, so
child tasks inherit them, and no coroutine needs another argument.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterator
from contextvars import Context, ContextVar, copy_context

from looplab._numbers import any_number_of, count_of
from looplab.priority.urgency import Urgency, Value, level_of, own_level, under

__all__ = [
    "DEFAULT_PRIORITY",
    "context_with",
    "current_deadline",
    "current_priority",
    "deadline",
    "own_context",
    "priority",
    "share",
]

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
    token = PRIORITY.set(under(own, PRIORITY.get(None)))
    try:
        yield
    finally:
        PRIORITY.reset(token)


@contextlib.contextmanager
def share(key: Hashable) -> Iterator[None]:
    """Let a block, and the tasks that it makes, use up the share of *key*.

    Within a level the loop serves first whoever has used the thread for the least time,
    so a tenant with a thousand ready tasks and one with a single task get as much of
    it::

        with share(request.tenant):
            await answer(request)

    Work of no key shares as if it had one of its own.  A key that was idle saves
    nothing up.  Between levels nothing changes: the higher one goes first.

    :class:`PriorityEventLoop` and :class:`VirtualPriorityLoop` look at it where their
    policy is ``ByPriority()`` without ageing; elsewhere it changes nothing.

    Args:
        key: who shares, such as the name of a tenant or a connection.

    Raises:
        TypeError: *key* is None, or cannot be hashed.
    """
    if key is None:
        raise TypeError("key is None: give what the share is of, such as a tenant")
    hash(key)  # TypeError names what cannot be hashed
    value = PRIORITY.get(None)
    outer = value.live() if isinstance(value, Urgency) else None
    token = PRIORITY.set(Urgency(own_level(value), outer, key))
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
