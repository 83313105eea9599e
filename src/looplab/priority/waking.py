"""Whom a callback from a thread wakes.

A thread has no priority unless it is given one, and what it wakes may be urgent.  So
where its callback ends a future, or sets what tasks wait for, it counts as urgent as
whoever waits.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from contextvars import Context
from functools import partial
from typing import Any

from looplab.priority.context import DEADLINE, PRIORITY, own_context
from looplab.priority.urgency import level_of

__all__ = ["context_of_wake_up", "waiters_of", "waits"]


def waits(callback: Any) -> bool:
    """Whether who asks to be called at the end of a future waits for it.

    That is a task that awaits it, and what ``gather()``, ``wait()``, ``wait_for()`` and
    ``shield()`` ask.  A task group does not: whoever makes a task in it goes on.
    """
    while isinstance(callback, partial):
        callback = callback.func
    if getattr(callback, "__module__", None) == "asyncio.tasks":
        return True
    return getattr(callback, "__name__", "") == "task_wakeup"  # of a task in C


def waiters_of(future: Any) -> Iterator[Context]:
    """The contexts of those who wait for a future."""
    for callback, context in tuple(getattr(future, "_callbacks", None) or ()):
        if waits(callback):
            yield context


def context_of_wake_up(callback: Callable[..., Any], args: tuple[Any, ...]) -> Context:
    """A copy of this context, as urgent as whoever the callback wakes.

    A future is known where it is the callback's own, as in ``future.set_result``, or
    its first argument, as in what the end of an executor's job calls; so are those who
    wait for an ``asyncio.Event``, ``Condition`` or ``Queue`` whose method is called.
    """
    if isinstance(callback, partial):  # it runs in a context of its own
        runs_in = getattr(callback.func, "__self__", None)
        if isinstance(runs_in, Context):
            return runs_in.copy()
    context = own_context(None)
    wakes = getattr(callback, "__self__", None)
    futures: Any = ()
    if args and asyncio.isfuture(args[0]):
        futures = (args[0],)
    elif asyncio.isfuture(wakes):
        futures = (wakes,)
    elif isinstance(wakes, (asyncio.Event, asyncio.Condition)):
        futures = wakes._waiters
    elif isinstance(wakes, asyncio.Queue):
        futures = wakes._getters  # type: ignore[attr-defined]
    for future in tuple(futures):
        for waiter in waiters_of(future):
            value, due = waiter.get(PRIORITY), waiter.get(DEADLINE)
            if value is not None and level_of(value) > level_of(context.get(PRIORITY)):
                context.run(PRIORITY.set, value)
            if due is not None and due < context.get(DEADLINE, math.inf):
                context.run(DEADLINE.set, due)
    return context
