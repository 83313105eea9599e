"""The tasks and futures of a virtual loop: named and numbered in order, see rule 7."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from looplab.clock.handles import NumberedFuture, NumberedTask, eager_task

__all__ = ["NumberedTasks"]

T = TypeVar("T")

_SLEEP = asyncio.sleep.__code__
# Older Pythons name what a factory has made, newer ones leave that to the factory.
_NAMED_AFTERWARDS = "name" in (asyncio.BaseEventLoop.create_task.__kwdefaults__ or {})


class NumberedTasks(asyncio.BaseEventLoop):
    """A loop that names and numbers what it makes."""

    if TYPE_CHECKING:
        _debug: bool
        _task_factory: Any

        def _check_closed(self) -> None: ...

    _task_type = NumberedTask

    def __init__(self) -> None:
        self._tasks_made = 0
        self._name_in_hand: list[str] = []  # of the task that a factory is to make
        self._numbers_dealt = 0
        super().__init__()

    def create_future(self) -> asyncio.Future[Any]:
        """Return a new future of this loop."""
        if sys._getframe(1).f_code is _SLEEP:
            # It never leaves asyncio.sleep(), so no set can hold it, and a task waits
            # for a plain future a good deal faster.
            return asyncio.Future(loop=self)
        return NumberedFuture(loop=self)

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Schedule *coro* as a task.

        Names count per loop, not per process: ``Task-3`` is the loop's third task,
        whether or not the first two got names of their own.
        """
        self._check_closed()
        self._tasks_made += 1
        if self._task_factory is not None:
            return self._from_factory(coro, name, options)
        if name is None:
            name = f"Task-{self._tasks_made}"
        task = self._task_type(coro, loop=self, name=name, **options)
        if self._debug:  # drop this frame from the record of where it was made
            del task._source_traceback[-1]  # type: ignore[attr-defined]
        try:
            return task
        finally:
            del task  # or an exception's traceback would keep it alive

    def _from_factory(
        self, coro: Coroutine[Any, Any, T], name: str | None, options: dict[str, Any]
    ) -> asyncio.Task[T]:
        """Let the factory make a task.

        As on the stock loop of newer Pythons, it hears of a name only if one was given.
        """
        in_hand = self._name_in_hand = [name or f"Task-{self._tasks_made}"]
        if name is not None or _NAMED_AFTERWARDS:
            options["name"] = in_hand[0]
        task = super().create_task(coro, **options)
        if in_hand and "name" not in options and hasattr(task, "set_name"):
            task.set_name(in_hand[0])
        in_hand.clear()
        return task

    def set_task_factory(self, factory: Any) -> None:
        """Set the task factory, as on the stock loop.

        ``asyncio.eager_task_factory`` makes tasks that keep rule 7 (see the module).
        """
        if sys.version_info >= (3, 12) and factory is asyncio.eager_task_factory:
            factory = asyncio.create_eager_task_factory(eager_task)
        super().set_task_factory(factory)

    def _next_number(self) -> int:
        self._numbers_dealt += 1
        return self._numbers_dealt
