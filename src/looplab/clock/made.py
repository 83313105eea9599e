"""What a virtual loop makes: timers, futures and tasks.

Each looks like the class of asyncio that it is made from.  Futures and tasks hash by a
number that their loop deals out, so that a set of them is walked in the same order in
every process; see rule 7 of :mod:`looplab.clock.loop`.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from looplab._numbers import NS

if TYPE_CHECKING:
    from looplab.clock.loop import VirtualTimeLoop

__all__ = [
    "InOrderOfArrival",
    "NumberedFuture",
    "NumberedTask",
    "TimerHandle",
    "eager_task",
]

T = TypeVar("T")


class TimerHandle(asyncio.TimerHandle):
    """A timer; ``_scheduled`` says that it lies in the loop's table of timers."""

    __slots__ = ("_due_ns",)

    _loop: VirtualTimeLoop

    def __init__(
        self,
        due_ns: int,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: VirtualTimeLoop,
        context: Context | None,
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None
        self._source_traceback = None
        self._due_ns = due_ns
        self._scheduled = True

    @property
    def _when(self) -> float:
        return self._due_ns / NS

    def cancel(self) -> None:
        # asyncio.sleep() cancels each of its timers, fired or not: this is a hot path.
        if not self._cancelled:
            loop = self._loop
            if loop._debug:
                self._repr = repr(self)  # type: ignore[assignment]
            self._cancelled = True
            self._callback = self._args = None  # type: ignore[assignment]
            if self._scheduled:
                loop._timer_handle_cancelled(self)


def _hash(self: NumberedFuture[Any] | NumberedTask[Any]) -> int:
    """Return the number that the loop deals out when it is first asked for."""
    try:
        return self._number
    except AttributeError:
        self._number = self._loop._next_number()
        return self._number


class NumberedFuture(asyncio.Future[T]):
    """A future that hashes by its number."""

    __slots__ = ("_number",)

    _loop: VirtualTimeLoop
    _number: int

    __hash__ = _hash


class NumberedTask(asyncio.Task[T]):
    """A task that hashes by its number."""

    __slots__ = ("_number",)

    _loop: VirtualTimeLoop
    _number: int

    __hash__ = _hash


def eager_task(
    coro: Coroutine[Any, Any, T],
    *,
    loop: VirtualTimeLoop,
    name: str | None = None,
    **options: Any,
) -> asyncio.Task[T]:
    # Some Pythons name a task after the factory has made it, and has begun to run it.
    if loop._name_in_hand:
        in_hand = loop._name_in_hand.pop()
        name = name or in_hand
    return loop._task_type(coro, loop=loop, name=name, **options)


# In a repr they are what they stand for: <Task pending name='Task-1' …>.
for _class in (NumberedFuture, NumberedTask):
    _class.__name__ = _class.__qualname__ = _class.__mro__[1].__name__


class InOrderOfArrival(weakref.WeakKeyDictionary[AsyncGenerator[Any, Any], None]):
    """A weak set that is walked in order of arrival."""

    def add(self, item: AsyncGenerator[Any, Any]) -> None:
        self[item] = None

    def discard(self, item: AsyncGenerator[Any, Any]) -> None:
        self.pop(item, None)
