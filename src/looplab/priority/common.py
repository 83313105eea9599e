"""What the priority loops of both clocks share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextvars import Context
from typing import Any, TypeVar

from looplab.priority.context import PRIORITY, own_context

__all__ = ["PriorityLoop", "in_priority_context"]

T = TypeVar("T")


class PriorityLoop(asyncio.AbstractEventLoop):
    """The face of a priority loop, whatever its clock."""

    _ready: Any
    _program: Any = None  # the task that is run until it is complete

    def run_until_complete(self, future: Generator[Any, None, T] | Any) -> T:
        """Run until *future* is done, and return its result.

        If it is a task, to cancel it ends the program, so nothing goes before it then.
        """
        before, self._program = self._program, future
        try:
            return super().run_until_complete(future)  # type: ignore[no-any-return]
        finally:
            self._program = before


def in_priority_context(
    create: Callable[..., T], context: Context | None, *args: Any, **options: Any
) -> T:
    """Make a task by a factory; the first of a program has priority 0."""
    if context is not None:
        return create(*args, context=own_context(context), **options)
    if PRIORITY.get(None) is not None:
        return create(*args, **options)
    return own_context(None).run(create, *args, **options)
