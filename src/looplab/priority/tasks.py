"""Tasks that are raised when somebody more urgent waits for them or cancels them.

Who waits for the end of a task, by ``await``, ``asyncio.gather()`` or
``asyncio.wait()``, lends it its own urgency, and the task lends it on to the tasks that
it waits for itself.  Who cancels a task does so too: it would end no sooner otherwise.

A task group lends its tasks nothing.  Whoever leaves its block waits for all of them,
and would raise all of them to one level: no order would be left among the tasks of a
program whose main task holds the group.  Nor is anybody raised who will set an
``asyncio.Event`` or fill a queue: nothing says beforehand who that will be.

A thread has no priority unless it is given one, and what it wakes may be urgent.  So
where its callback ends a future, or sets what tasks wait for, it counts as urgent as
whoever waits.
"""

from __future__ import annotations

import asyncio
import math
import operator
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from functools import partial
from typing import Any, TypeVar

from looplab.clock.made import NumberedTask
from looplab.priority.context import (
    BOTTOM,
    DEADLINE,
    PRIORITY,
    TOP,
    Urgency,
    check_priority,
    level_of,
    live_of,
    own_context,
    own_level,
)

__all__ = ["RaisableTask", "RaisableVirtualTask", "context_of_wake_up", "set_priority"]

T = TypeVar("T")

_add_done_callback: Any = asyncio.Task.add_done_callback
# Before Python 3.12 a task does not tell its context.
_context_of: Callable[[Any], Context] = getattr(
    asyncio.Task, "get_context", operator.attrgetter("context_")
)


class _Raisable:
    """What both kinds of tasks add to asyncio's."""

    __slots__ = ()

    #: The task's own; needed before Python 3.12, where a task does not tell.
    context_: Context | None

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel the task, and raise it to the urgency of the code that does so."""
        asked: bool = super().cancel(msg)  # type: ignore[misc]
        if asked:
            _raise(self)
        return asked

    def add_done_callback(self, fn: Any, /, *, context: Context | None = None) -> None:
        """Call *fn* when the task is done, and raise it to who waits for that."""
        if context is None:  # asyncio's own function does not take None for that
            context = copy_context()
        _add_done_callback(self, fn, context=context)
        value = context.get(PRIORITY)
        if value is None or value is _context_of(self).get(PRIORITY):
            return  # most are equals, and this is a hot path
        if waits(fn):
            lend(self, level_of(value))

    def remove_done_callback(self, fn: Any, /) -> int:
        """Remove *fn*; who waits no more has raised the task no more."""
        removed: int = super().remove_done_callback(fn)  # type: ignore[misc]
        if removed and not self.cancelling():  # type: ignore[attr-defined]
            _lower(self)
            waiting = (level_of(c.get(PRIORITY), BOTTOM) for c in waiters_of(self))
            lend(self, max(waiting, default=BOTTOM))
        return removed

    def uncancel(self) -> int:
        """Take back one request to cancel the task; after the last it is lowered."""
        left: int = super().uncancel()  # type: ignore[misc]
        if not left:
            _lower(self)
        return left


class RaisableTask(_Raisable, asyncio.Task[T]):
    """A task of the priority loop."""

    __slots__ = ("context_",)


class RaisableVirtualTask(_Raisable, NumberedTask[T]):
    """A task of the priority loop on the virtual clock."""

    __slots__ = ("context_",)


# In a repr they are what they stand for: <Task pending name='Task-1' …>.
for _class in (RaisableTask, RaisableVirtualTask):
    _class.__name__ = _class.__qualname__ = "Task"


def _found(task: Any, context: Context) -> Urgency | None:
    value = context.get(PRIORITY)
    if not isinstance(value, Urgency):
        return None
    return next((urgency for urgency in value.chain() if urgency.is_of(task)), None)


def _raise(task: Any) -> None:
    loop: Any = task.get_loop()
    context = _context_of(task)
    queue: Any = getattr(loop, "_ready", None)
    if not getattr(queue, "in_use", False):
        return
    canceller = PRIORITY.get(None)
    # A signal, a thread, or the end of the program: nothing is more urgent.
    if canceller is None or loop._program is task:
        level, due = TOP, -math.inf
    else:
        level = level_of(canceller)
        due = DEADLINE.get(math.inf)
        if isinstance(canceller, Urgency):
            due = min(due, canceller.deadline)
    _lift(task, context, level, due)
    queue.reorder()


def lend(task: Any, level: int) -> None:
    """Raise a task, and all that it waits for, to the level of who waits for it."""
    queue: Any = getattr(task.get_loop(), "_ready", None)
    if not getattr(queue, "in_use", False):
        return
    waiting, risen = [task], False
    while waiting:
        task = waiting.pop()
        if isinstance(task, _Raisable):
            context = _context_of(task)
            if task.done() or not _lift(task, context, level):  # type: ignore[attr-defined]
                continue
            risen = True
            task = getattr(task, "_fut_waiter", None)
            if isinstance(task, _Raisable):
                waiting.append(task)
        waiting += getattr(task, "_children", ())  # of asyncio.gather()
    if risen:
        queue.reorder()


def _lift(task: Any, context: Context, level: int, due: float = math.inf) -> bool:
    """Raise one task until it is done; return whether that changes anything."""
    held = context.get(PRIORITY)
    if level <= level_of(held) and due >= context.get(DEADLINE, math.inf):
        return False
    urgency = _found(task, context)
    if urgency is None:
        urgency = Urgency(own_level(held), live_of(held))
        urgency.until_done(task)
        try:
            context.run(PRIORITY.set, urgency)
        except RuntimeError:  # it runs: a signal handler interrupts it, or it itself
            if asyncio.current_task(task.get_loop()) is not task:
                return False
            PRIORITY.set(urgency)
    urgency.floor = max(level, urgency.floor)
    urgency.due = min(due, urgency.due)
    urgency.tell()
    if isinstance(held, Urgency):
        for waits in held.chain():  # for a lock
            if waits.waits and waits.floor < level:
                waits.floor = level
                waits.tell()
    return True


def _lower(task: Any) -> None:
    urgency = _found(task, _context_of(task))
    if urgency is not None:
        urgency.floor, urgency.due = BOTTOM, math.inf


def set_priority(task: asyncio.Task[Any], level: int) -> None:
    """Give a task another priority, whether it is ready, waits or runs.

    Where it is ready it moves up at once; a lower priority counts from its next wait
    on.  A lock or a queue of this package for which it waits serves it accordingly.
    Tasks that it has started keep theirs, but for those that it started while it held
    a lock: they are one with it.  Within a block of :func:`priority` it lasts
    until the end of the block.

    Args:
        task: of a priority loop.
        level: a whole number, the greater the more urgent.

    Raises:
        TypeError: *task* is no task of a priority loop, or *level* no whole number.
    """
    own = check_priority(level)
    if not isinstance(task, _Raisable):
        raise TypeError(
            f"task is {task!r:.80}: give a task that a priority loop has made, without "
            "a task factory"
        )
    if task.done():
        return
    context = _context_of(task)
    value = context.get(PRIORITY)
    if isinstance(value, Urgency) and (value.held or value.waits):
        value.own = own
        value.tell()
    else:  # what is ready moves where an Urgency says so
        value = Urgency(own, live_of(value))
        if asyncio.current_task(task.get_loop()) is task:
            PRIORITY.set(value)
        else:
            context.run(PRIORITY.set, value)
    loop: Any = task.get_loop()
    loop._ready.start()
    loop._ready.reorder()


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
