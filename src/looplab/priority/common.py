"""What the priority loops of both clocks share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextvars import Context, copy_context
from typing import Any, TypeVar

from looplab.metrics import Metric
from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY
from looplab.priority.meter import LevelMetrics, as_metrics, metrics_of

__all__ = ["PriorityLoop", "in_priority_context", "own_context"]

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

    def metrics(self) -> dict[int | str, LevelMetrics]:
        """Return what the callbacks of each level have waited and used.

        The level ``"plumbing"`` has the callbacks that belong to no priority.

        Raises:
            RuntimeError: the loop was made without ``metrics=True``.
        """
        queue = self._ready
        meter = getattr(queue, "meter", None)
        if meter is None or not meter.keeps:
            raise RuntimeError(
                f"{self!r:.80} keeps no metrics: make it with metrics=True"
            )
        return metrics_of(meter, queue.plumbing, queue.lengths())

    def metric_source(self) -> list[Metric]:
        """The same for :mod:`looplab.metrics`::

            looplab.metrics.to_prometheus(loop.metric_source)

        Raises:
            RuntimeError: the loop was made without ``metrics=True``.
        """
        return as_metrics(self.metrics())


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


def in_priority_context(
    create: Callable[..., T], context: Context | None, *args: Any, **options: Any
) -> T:
    """The same where a task factory makes the task."""
    if context is not None:
        return create(*args, context=own_context(context), **options)
    if PRIORITY.get(None) is not None:
        return create(*args, **options)
    return own_context(None).run(create, *args, **options)
