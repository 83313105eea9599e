"""The virtual clock with a ready queue in order of urgency."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from heapq import heappop
from typing import TYPE_CHECKING, Any, TypeVar

from looplab.clock.loop import VirtualTimeLoop
from looplab.priority.context import own_context
from looplab.priority.loop import PriorityLoop, in_priority_context
from looplab.priority.policies import Policy, check_policy
from looplab.priority.ready import ReadyQueue
from looplab.priority.tasks import RaisableVirtualTask, context_of_wake_up

__all__ = ["VirtualPriorityLoop"]

T = TypeVar("T")


class VirtualPriorityLoop(PriorityLoop, VirtualTimeLoop):
    """The virtual clock with a ready queue in order of urgency.

    Args:
        policy: :class:`ByPriority`, which is the default, or :class:`ByDeadline`.
        settings: as for :class:`looplab.VirtualTimeLoop`.

    Raises:
        TypeError: *policy* is something else.
        TimeValueError: a time is negative, infinite or not a number.

    Rules 1 to 4 of :mod:`looplab.clock` give way to the policy; the others hold.

    Introduced in the chapter *Put the lease first*.
    """

    first_in_first_out = False

    if TYPE_CHECKING:
        _cancelled_timers: int

    _task_type = RaisableVirtualTask

    def __init__(self, policy: Policy | None = None, **settings: Any) -> None:
        self.policy = check_policy(policy)
        super().__init__(**settings)
        self._ready: Any = ReadyQueue(self, self.policy._key_of(self), self.time)

    def _look(self) -> bool:
        """Move due timers to the ready queue; return whether there were any."""
        due_heap = self._due_heap
        any_due = False
        while due_heap and due_heap[0] <= self._now_ns:
            for timer in self._timers.pop(heappop(due_heap)):
                timer._scheduled = False
                if timer._cancelled:
                    self._cancelled_timers -= 1
                else:
                    self._ready.append(timer)
                    any_due = True
        return any_due

    def _set_timer(self, *settings: Any) -> asyncio.TimerHandle:
        timer = super()._set_timer(*settings)
        self._ready.expect(timer)
        return timer

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Schedule *coro* as a task; see :meth:`looplab.VirtualTimeLoop.create_task`.

        It has the priority of the code that calls this, or that of *context*.
        """
        if self._task_factory is not None:
            return in_priority_context(super().create_task, context, coro, **options)
        context = own_context(context)
        task = super().create_task(coro, context=context, **options)
        task.context_ = context  # type: ignore[attr-defined]
        try:
            return task
        finally:
            del task  # or an exception's traceback would keep it alive

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Like ``call_soon()``, from a signal handler, or where the loop is idle.

        It is as urgent as on :class:`PriorityEventLoop`.
        """
        if context is None:
            context = context_of_wake_up(callback, args)
        handle = super().call_soon_threadsafe(callback, *args, context=context)
        if handle._source_traceback:  # type: ignore[attr-defined]
            del handle._source_traceback[-1]  # type: ignore[attr-defined]
        return handle
