"""What a virtual loop makes: handles, timers, futures and tasks, in a known order.

Each looks like the class of asyncio that it is made from.  Futures and tasks hash by a
number that their loop deals out, so that a set of them is walked in the same order in
every process; see rule 7 of :mod:`looplab.clock.loop`.
"""

from __future__ import annotations

import asyncio
import random
import sys
import weakref
from asyncio import format_helpers
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextvars import Context, copy_context
from heapq import heapify, heappush
from typing import TYPE_CHECKING, Any, TypeVar

from looplab._numbers import NS
from looplab.clock.times import NEVER, from_now

__all__ = [
    "Handle",
    "InOrderOfArrival",
    "NumberedFuture",
    "NumberedTask",
    "NumberedTasks",
    "TimerHandle",
    "Timers",
    "eager_task",
]

T = TypeVar("T")

_SLEEP = asyncio.sleep.__code__
# Older Pythons name what a factory has made, newer ones leave that to the factory.
_NAMED_AFTERWARDS = "name" in (asyncio.BaseEventLoop.create_task.__kwdefaults__ or {})
_SWEEP_AT = 100  # cancelled timers that may lie about before the first sweep


class Handle(asyncio.Handle):
    """The stock handle without its look-up of debug mode: half the time to make."""

    __slots__ = ()

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: asyncio.AbstractEventLoop,
        context: Context | None,
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None
        self._source_traceback = None


class TimerHandle(asyncio.TimerHandle):
    """A timer; ``_scheduled`` says that it lies in the loop's table of timers."""

    __slots__ = ("_due_ns",)

    _loop: Timers

    def __init__(
        self,
        due_ns: int,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: Timers,
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

    _loop: NumberedTasks
    _number: int

    __hash__ = _hash


class NumberedTask(asyncio.Task[T]):
    """A task that hashes by its number."""

    __slots__ = ("_number",)

    _loop: NumberedTasks
    _number: int

    __hash__ = _hash


def eager_task(
    coro: Coroutine[Any, Any, T],
    *,
    loop: NumberedTasks,
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


class Timers(asyncio.BaseEventLoop):
    """A loop whose timers become ready in the order of :mod:`looplab.clock.loop`."""

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
