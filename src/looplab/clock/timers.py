"""The timers of a virtual loop: a table by due time, and who sets and cancels them."""

from __future__ import annotations

import asyncio
import random
import sys
from asyncio import format_helpers
from collections.abc import Callable
from contextvars import Context
from heapq import heapify, heappush
from typing import TYPE_CHECKING, Any

from looplab.clock.handles import TimerHandle
from looplab.clock.times import NEVER, from_now

__all__ = ["Timers"]

_SWEEP_AT = 100  # cancelled timers that may lie about before the first sweep


class Timers(asyncio.BaseEventLoop):
    """A loop whose timers become ready in the order of the module :mod:`.loop`."""

    if TYPE_CHECKING:
        _closed: bool
        _debug: bool
        _jitter_ns: int
        _now_ns: int
        _random: random.Random

        def _check_closed(self) -> None: ...
        def _check_thread(self) -> None: ...
        def _check_callback(self, callback: Any, method: str) -> None: ...

    def __init__(self) -> None:
        # The timers due at one nanosecond share a list, in the order they were set; the
        # heap holds each of those nanoseconds once.
        self._timers: dict[int, list[TimerHandle]] = {}
        self._due_heap: list[int] = []
        # Those that never fire keep alive what waits for them, and are no progress.
        self._never: dict[int, TimerHandle] = {}
        self._cancelled_timers = 0
        self._sweep_at = _SWEEP_AT
        super().__init__()

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call *callback* in *delay* seconds.

        At once if *delay* is negative, never if it is infinite.

        Raises:
            TimeValueError: if *delay* is not a number.
        """
        delay_ns = from_now(delay, "delay")
        return self._set_timer(self._now_ns + delay_ns, callback, args, context)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call *callback* at *when* on the loop's clock.

        At once if that has passed, never if it is infinite.

        Raises:
            TimeValueError: if *when* is not a number.
        """
        return self._set_timer(from_now(when, "when"), callback, args, context)

    def _set_timer(
        self,
        due_ns: int,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None,
    ) -> asyncio.TimerHandle:
        timer = TimerHandle(due_ns, callback, args, self, context)
        if self._debug or self._closed:
            self._check_closed()
            self._check_thread()
            self._check_callback(callback, "call_at")
            stack = format_helpers.extract_stack(sys._getframe(2))
            timer._source_traceback = stack  # type: ignore[assignment]
        if due_ns == NEVER:
            self._never[id(timer)] = timer
            return timer
        if self._jitter_ns:  # when() keeps the time that was asked for
            due_ns += self._random.randrange(self._jitter_ns + 1)
        at_that_time = self._timers.get(due_ns)
        if at_that_time is None:
            self._timers[due_ns] = [timer]
            heappush(self._due_heap, due_ns)
        else:
            at_that_time.append(timer)
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if self._never.pop(id(handle), None) is not None:
            return
        self._cancelled_timers += 1
        if self._cancelled_timers > self._sweep_at:
            self._sweep_out_cancelled_timers()

    def _sweep_out_cancelled_timers(self) -> None:
        # In place, because _run_once() holds the table and the heap.
        kept = 0
        for due_ns, timers in list(self._timers.items()):
            timers[:] = [timer for timer in timers if not timer._cancelled]
            kept += len(timers)
            if not timers:
                del self._timers[due_ns]
        self._due_heap[:] = self._timers
        heapify(self._due_heap)
        self._cancelled_timers = 0
        self._sweep_at = max(_SWEEP_AT, kept)  # so that a sweep costs little a timer
