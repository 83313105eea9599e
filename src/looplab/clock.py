"""A virtual-time event loop: sleeping jumps the clock, CPU work is charged to it.

On the stock event loop an experiment about latency takes as long as it says and never
gives the same answer twice.  On :class:`VirtualTimeLoop` it takes milliseconds and
gives the same answer on every machine, because only two things move its clock:

* when nothing is ready to run, the clock jumps to the next timer;
* :func:`burn` moves it forward while a callback holds the loop, as CPU work does.

Time is kept in whole nanoseconds, so sums of times are exact.

Order of events
---------------
1. The ready queue is first in, first out.
2. An iteration runs the callbacks that were ready when it began.  What they make ready
   waits for the next iteration.
3. Timers become ready only between iterations, in order of their due time.
4. Callbacks that are ready already go before timers found due in the same iteration.
5. Timers due at the same nanosecond become ready in the order in which they were set.
6. The clock jumps only when nothing is ready.
7. Tasks, and futures made by the loop, hash by a number that the loop deals out, not by
   their address: a set of them is walked in the same order in every process.  That does
   not help ``asyncio.as_completed()`` given coroutines, which it keeps in a set before
   it makes tasks of them: give it tasks.
8. :func:`run` cancels the tasks that are left at the end in the order they were made.

Rules 1 to 4 are the stock loop's.  It leaves the order of equal timers to its heap and
the order of sets, which it also cancels by, to memory addresses.

The module uses the standard library only.  Building and running a loop starts no thread
and opens no socket, so the module runs in a browser too.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import sys
import threading
import time
import weakref
from asyncio import base_events, events, format_helpers, tasks
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextvars import Context, copy_context
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

__all__ = [
    "ClockError",
    "DeadlockError",
    "LivelockError",
    "OutsideCallError",
    "StepLimitError",
    "TimeValueError",
    "VirtualTimeLoop",
    "burn",
    "elapsed",
    "run",
    "run_real",
]

T = TypeVar("T")

_NS = 1_000_000_000
_INF = math.inf
_SLEEP = asyncio.sleep.__code__
_SWEEP_AT = 100  # cancelled timers that may lie about before the first sweep
_SHOWN = 10  # waiting tasks named in a deadlock's message


class ClockError(RuntimeError):
    """Base of the errors that the virtual clock raises."""


class DeadlockError(ClockError):
    """Nothing is ready and no timer is set: the loop would wait for ever."""


class LivelockError(ClockError):
    """The loop ran ``max_stalled`` iterations and its clock did not move."""


class StepLimitError(ClockError):
    """The loop ran ``max_steps`` callbacks and there is more to run."""


class OutsideCallError(ClockError, NotImplementedError):
    """A call would leave the clock: to a thread, a process, a socket or a signal."""


class TimeValueError(ClockError, ValueError):
    """A time is negative, infinite or not a number."""


def _nanoseconds(seconds: float, what: str) -> int:
    """Return *seconds* as whole nanoseconds, rounded to the nearest."""
    try:
        if 0 <= seconds < _INF:
            return int(seconds * _NS + 0.5)
    except TypeError:
        kind = type(seconds).__name__
        raise TypeError(f"{what} must be a number of seconds, not {kind}") from None
    except OverflowError:  # finite, but not as nanoseconds in a float
        return int(seconds) * _NS
    if seconds == _INF:
        fix = "to wait for ever, wait for an asyncio.Event that nobody sets"
    else:
        fix = "give a finite number of seconds, 0 or more"
    raise TimeValueError(f"{what} is {seconds} s: {fix}")


def _count(value: int | None, what: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int):
        raise TypeError(f"{what} must be an int or None, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"{what} is {value}: give 1 or more, or None for no limit")
    return value


class _Handle(asyncio.Handle):
    """The stock handle without its look-up of debug mode: half the time to make."""

    __slots__ = ()

    def __init__(
        self,
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


class _TimerHandle(asyncio.TimerHandle):
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
        return self._due_ns / _NS

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


def _hash(self: _NumberedFuture[Any] | _NumberedTask[Any]) -> int:
    """Return the number that the loop deals out when it is first asked for."""
    try:
        return self._number
    except AttributeError:
        self._number = self._loop._next_number()
        return self._number


class _NumberedFuture(asyncio.Future[T]):
    """A future that hashes by its number."""

    __slots__ = ("_number",)

    _loop: VirtualTimeLoop
    _number: int

    __hash__ = _hash


class _NumberedTask(asyncio.Task[T]):
    """A task that hashes by its number."""

    __slots__ = ("_number",)

    _loop: VirtualTimeLoop
    _number: int

    __hash__ = _hash


def _eager_task(
    coro: Coroutine[Any, Any, T],
    *,
    loop: VirtualTimeLoop,
    name: str | None = None,
    **options: Any,
) -> asyncio.Task[T]:
    # Some Pythons name a task after the factory has made it, and has begun to run it.
    return _NumberedTask(coro, loop=loop, name=name or loop._name_in_hand, **options)


# In a repr they are what they stand for: <Task pending name='Task-1' …>.
for _class in (_Handle, _TimerHandle, _NumberedFuture, _NumberedTask):
    _class.__name__ = _class.__qualname__ = _class.__mro__[1].__name__


class _InOrderOfArrival(weakref.WeakKeyDictionary[AsyncGenerator[Any, Any], None]):
    """A weak set that is walked in order of arrival."""

    def add(self, item: AsyncGenerator[Any, Any]) -> None:
        self[item] = None

    def discard(self, item: AsyncGenerator[Any, Any]) -> None:
        self.pop(item, None)


class VirtualTimeLoop(asyncio.BaseEventLoop):
    """An event loop whose clock moves only by timers and by :func:`burn`.

    It has the face of the stock loop and its order of events (see the module), so
    tasks, ``TaskGroup``, ``timeout``, queues, locks and async generators work on it
    unchanged.  The clock starts at 0.

    Args:
        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the jitter: the same seed gives the same run.
        callback_cost: seconds of CPU charged for every callback, on top of what it
            burns.  With it a loop that polls moves the clock.
        max_steps: how many callbacks the loop may run; ``None`` for no limit.
        max_stalled: how many iterations may pass without the clock moving; ``None`` for
            no limit.

    Raises:
        TimeValueError: if a time is negative, infinite or not a number.

    While it runs, the loop raises

    * :exc:`DeadlockError` when nothing is ready and no timer is set;
    * :exc:`LivelockError` after *max_stalled* iterations at one instant;
    * :exc:`StepLimitError` when *max_steps* callbacks have run and more are ready;

    out of ``run_forever()`` and ``run_until_complete()``.  A call that would leave the
    clock (a thread, a process, a socket, a signal handler) raises
    :exc:`OutsideCallError` where it is made.
    """

    if TYPE_CHECKING:  # what BaseEventLoop keeps to itself and this class relies on
        _asyncgens: Any
        _clock_resolution: float
        _current_handle: asyncio.Handle | None
        _debug: bool
        _ready: deque[asyncio.Handle]
        _stopping: bool
        _task_factory: Any

        def _check_closed(self) -> None: ...
        def _check_thread(self) -> None: ...
        def _check_callback(self, callback: Any, method: str) -> None: ...

    _closed = True  # until it is made: __del__() asks, also where a setting was wrong

    def __init__(
        self,
        *,
        jitter: float = 0.0,
        seed: int = 0,
        callback_cost: float = 0.0,
        max_steps: int | None = None,
        max_stalled: int | None = 1_000_000,
    ) -> None:
        self._jitter_ns = _nanoseconds(jitter, "jitter")
        self._callback_cost_ns = _nanoseconds(callback_cost, "callback_cost")
        self._max_steps = self._steps_left = _count(max_steps, "max_steps")
        self._max_stalled = _count(max_stalled, "max_stalled")
        self._random = random.Random(seed)
        self._now_ns = 0
        # The timers due at one nanosecond share a list, in the order they were set; the
        # heap holds each of those nanoseconds once.
        self._timers: dict[int, list[_TimerHandle]] = {}
        self._due_heap: list[int] = []
        self._cancelled_timers = 0
        self._sweep_at = _SWEEP_AT
        self._tasks_made = 0
        self._name_in_hand = ""
        self._numbers_dealt = 0
        super().__init__()
        self._clock_resolution = 1 / _NS
        self._asyncgens = _InOrderOfArrival()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "running" if self.is_running() else "idle"
        return f"<{type(self).__name__} {state} at {self.time():.9g} s>"

    # -- the clock -------------------------------------------------------------------

    def time(self) -> float:
        """Return the seconds since the loop was made."""
        return self._now_ns / _NS

    def time_ns(self) -> int:
        """Return the whole nanoseconds since the loop was made."""
        return self._now_ns

    def burn(self, seconds: float) -> None:
        """Charge *seconds* of CPU work to the clock.  See :func:`burn`."""
        self._now_ns += _nanoseconds(seconds, "burn()")

    # -- scheduling ------------------------------------------------------------------

    def call_soon(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Put *callback* at the end of the ready queue."""
        if self._debug or self._closed:
            stock = super().call_soon(callback, *args, context=context)
            if stock._source_traceback:  # type: ignore[attr-defined]
                # As below in create_task(): this frame is no news.
                del stock._source_traceback[-1]  # type: ignore[attr-defined]
            return stock
        handle = _Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call *callback* in *delay* seconds.

        Raises:
            TimeValueError: if *delay* is negative, infinite or not a number.
        """
        delay_ns = _nanoseconds(delay, "delay")
        return self._set_timer(self._now_ns + delay_ns, callback, args, context)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call *callback* at *when* on the loop's clock; at once if that has passed.

        Raises:
            TimeValueError: if *when* is negative, infinite or not a number.
        """
        return self._set_timer(_nanoseconds(when, "when"), callback, args, context)

    def _set_timer(
        self,
        due_ns: int,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None,
    ) -> asyncio.TimerHandle:
        timer = _TimerHandle(due_ns, callback, args, self, context)
        if self._debug or self._closed:
            self._check_closed()
            self._check_thread()
            self._check_callback(callback, "call_at")
            stack = format_helpers.extract_stack(sys._getframe(2))
            timer._source_traceback = stack  # type: ignore[assignment]
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

    # -- tasks and futures -----------------------------------------------------------

    def create_future(self) -> asyncio.Future[Any]:
        """Return a new future of this loop."""
        if sys._getframe(1).f_code is _SLEEP:
            # It never leaves asyncio.sleep(), so no set can hold it, and a task waits
            # for a plain future a good deal faster.
            return asyncio.Future(loop=self)
        return _NumberedFuture(loop=self)

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
        if name is None:
            name = f"Task-{self._tasks_made}"
        if self._task_factory is not None:
            self._name_in_hand = name
            return super().create_task(coro, name=name, **options)
        task = _NumberedTask(coro, loop=self, name=name, **options)
        if self._debug:  # drop this frame from the record of where it was made
            del task._source_traceback[-1]  # type: ignore[attr-defined]
        try:
            return task
        finally:
            del task  # or an exception's traceback would keep it alive

    def set_task_factory(self, factory: Any) -> None:
        """Set the task factory, as on the stock loop.

        ``asyncio.eager_task_factory`` makes tasks that keep rule 7 (see the module).
        """
        if sys.version_info >= (3, 12) and factory is asyncio.eager_task_factory:
            factory = asyncio.create_eager_task_factory(_eager_task)
        super().set_task_factory(factory)

    def _next_number(self) -> int:
        self._numbers_dealt += 1
        return self._numbers_dealt

    # -- running ---------------------------------------------------------------------

    def _run_once(self) -> None:
        """Run iterations until the loop is told to stop.

        ``run_forever()`` calls this until the stop flag is set; staying in here saves
        a call an iteration.
        """
        timers, due_heap = self._timers, self._due_heap
        cost_ns, max_stalled = self._callback_cost_ns, self._max_stalled
        stalled, stalled_at = 0, -1
        while True:
            ready = self._ready  # looked up again: a tracer may have replaced it
            if not ready and not self._stopping:
                if due_heap and not self._cancelled_timers:
                    if due_heap[0] > self._now_ns:
                        self._now_ns = due_heap[0]
                else:
                    self._jump()
            now_ns = self._now_ns
            if now_ns != stalled_at:
                stalled, stalled_at = 0, now_ns
            elif stalled == max_stalled:
                self._raise_livelock()
            stalled += 1
            while due_heap and due_heap[0] <= now_ns:
                for timer in timers.pop(heappop(due_heap)):
                    timer._scheduled = False
                    if timer._cancelled:
                        self._cancelled_timers -= 1
                    else:
                        ready.append(timer)
            todo = len(ready)
            if self._steps_left is not None:
                todo = self._take_steps(todo)
            debug = self._debug
            for _ in range(todo):
                try:
                    handle = ready.popleft()
                except IndexError:  # a tracer has come and put its queue in place
                    ready = self._ready
                    handle = ready.popleft()
                if handle._cancelled:
                    if self._steps_left is not None:
                        self._steps_left += 1  # it was counted, but does not run
                    continue
                if debug:
                    self._run_watched(handle)
                else:
                    context = handle._context  # type: ignore[attr-defined]
                    callback = handle._callback  # type: ignore[attr-defined]
                    args = handle._args
                    try:  # most callbacks have one argument, and unpacking is slow
                        if not args:
                            context.run(callback)
                        elif len(args) == 1:
                            context.run(callback, args[0])
                        else:
                            context.run(callback, *args)
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as exc:
                        self._report(handle, exc)
                if cost_ns:
                    self._now_ns += cost_ns
            # Nothing of the last callback may live on while the clock jumps.
            handle = context = callback = args = None  # type: ignore[assignment]
            if self._stopping:
                return

    def _jump(self) -> None:
        """Move the clock to the next timer, if that is not due already."""
        while self._due_heap:
            due_ns = self._due_heap[0]
            timers = self._timers[due_ns]
            for timer in timers:
                if not timer._cancelled:
                    if due_ns > self._now_ns:
                        self._now_ns = due_ns
                    return
            heappop(self._due_heap)
            del self._timers[due_ns]
            self._cancelled_timers -= len(timers)
        self._raise_deadlock()

    def _take_steps(self, wanted: int) -> int:
        """Return how many of *wanted* callbacks may run, and count them."""
        left = self._steps_left
        if left is None:
            return wanted
        if wanted and not left:
            self._steps_left = self._max_steps  # for the clean-up that follows
            raise StepLimitError(
                f"{self._max_steps:,} callbacks have run, as many as max_steps allows, "
                f"and the clock stands at {self.time():.9g} s: raise max_steps, or "
                "look for a loop that never ends"
            )
        taken = min(wanted, left)
        self._steps_left = left - taken
        return taken

    def _run_watched(self, handle: asyncio.Handle) -> None:
        """Run *handle* as debug mode does: a slow callback is logged."""
        self._current_handle = handle
        start_ns = self._now_ns
        try:
            handle._run()
        finally:
            self._current_handle = None
        seconds = (self._now_ns - start_ns) / _NS
        if seconds >= self.slow_callback_duration:
            base_events.logger.warning(  # type: ignore[attr-defined]
                "Executing %s took %.3f seconds",
                base_events._format_handle(handle),  # type: ignore[attr-defined]
                seconds,
            )
        # A failed task's traceback keeps this frame: it must not keep the task.
        handle = None  # type: ignore[assignment]

    def _report(self, handle: asyncio.Handle, exc: BaseException) -> None:
        source = format_helpers._format_callback_source(
            handle._callback,  # type: ignore[attr-defined]
            handle._args,
        )
        self.call_exception_handler(
            {
                "message": f"Exception in callback {source}",
                "exception": exc,
                "handle": handle,
            }
        )

    def _raise_livelock(self) -> NoReturn:
        raise LivelockError(
            f"{self._max_stalled:,} iterations have passed at {self.time():.9g} s and "
            "the clock has not moved: something polls with sleep(0) or reschedules "
            "itself with call_soon(). Sleep for a time, wait for an event, or give the "
            "loop a callback_cost"
        )

    def _raise_deadlock(self) -> NoReturn:
        waiting = sorted(asyncio.all_tasks(self), key=hash)
        head = f"at {self.time():.9g} s nothing is ready and no timer is set"
        if not waiting:
            raise DeadlockError(f"{head}, and there is no task: nothing can happen")
        lines = [f"  {task.get_name()}: {_place(task)}" for task in waiting[:_SHOWN]]
        if len(waiting) > _SHOWN:
            lines.append(f"  … and {len(waiting) - _SHOWN} more")
        who = "1 task waits" if len(waiting) == 1 else f"{len(waiting)} tasks wait"
        lines.append(
            "Look for a queue that nobody fills, a lock that nobody releases or an "
            "event that nobody sets."
        )
        raise DeadlockError("\n".join([f"{head}, but {who}:", *lines]))

    # -- the rest of the stock loop's face -------------------------------------------

    def close(self) -> None:
        """Close the loop and forget what it had still to do."""
        super().close()
        self._timers.clear()
        self._due_heap.clear()

    def _write_to_self(self) -> None:
        """Nothing to do: the loop never sleeps, so nobody need wake it."""


_INSTEAD = {
    "run_in_executor": "a thread or a process pool",
    "getaddrinfo": "the name service",
    "getnameinfo": "the name service",
    "subprocess_exec": "another process",
    "subprocess_shell": "another process",
    "add_signal_handler": "a signal of the operating system",
    "remove_signal_handler": "a signal of the operating system",
    "connect_read_pipe": "a pipe",
    "connect_write_pipe": "a pipe",
    "sendfile": "a file",
} | dict.fromkeys(
    [
        "add_reader",
        "add_writer",
        "connect_accepted_socket",
        "create_connection",
        "create_datagram_endpoint",
        "create_server",
        "create_unix_connection",
        "create_unix_server",
        "remove_reader",
        "remove_writer",
        "sock_accept",
        "sock_connect",
        "sock_recv",
        "sock_recv_into",
        "sock_recvfrom",
        "sock_recvfrom_into",
        "sock_sendall",
        "sock_sendfile",
        "sock_sendto",
        "start_tls",
    ],
    "a socket",
)


def _outside(name: str, what: str) -> Callable[..., NoReturn]:
    def refuse(self: VirtualTimeLoop, *args: Any, **options: Any) -> NoReturn:
        raise OutsideCallError(
            f"loop.{name}() needs {what}, which the virtual clock cannot time: model "
            "the wait with asyncio.sleep() and CPU work with burn(), or use run_real()"
        )

    refuse.__name__ = name
    refuse.__qualname__ = f"{VirtualTimeLoop.__name__}.{name}"
    refuse.__doc__ = "Raise :exc:`OutsideCallError`."
    return refuse


for _name, _what in _INSTEAD.items():
    setattr(VirtualTimeLoop, _name, _outside(_name, _what))


def _place(task: asyncio.Task[Any]) -> str:
    """Say where *task* waits: its own line, and the innermost call it waits in.

    The line number is given for the task's own coroutine only: inside the standard
    library it would differ from one Python to the next.
    """
    names: list[str] = []
    line = 0
    awaited: Any = task.get_coro()
    while awaited is not None:
        kind, inner = "cr", "await"  # a coroutine; or a generator that stands for one
        if hasattr(awaited, "gi_frame"):
            kind, inner = "gi", "yieldfrom"
        frame = getattr(awaited, f"{kind}_frame", None)
        if frame is None:
            break
        line = line or frame.f_lineno
        names.append(awaited.__qualname__.rpartition("<locals>.")[2])
        awaited = getattr(awaited, f"{kind}_{inner}")
    if not names:
        return "not started"
    inside = f", in {names[-1]}" if len(names) > 1 else ""
    return f"{names[0]}, line {line}{inside}"


@contextlib.contextmanager
def _running_loop_set_aside() -> Iterator[None]:
    """Let another loop run in this thread although one is running already."""
    outer = events._get_running_loop()
    if outer is None:
        yield
        return
    task = asyncio.current_task(outer)
    # The task is left first: from Python 3.14 it cannot be left without its loop.
    if task is not None:
        tasks._leave_task(outer, task)
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(outer)
        if task is not None:
            tasks._enter_task(outer, task)


def _require_coroutine(main: object, function: str) -> None:
    if asyncio.iscoroutine(main):
        return
    name = getattr(main, "__name__", None)
    if name is not None and callable(main):
        fix = f"call it: {function}({name}())"
    else:
        fix = f"pass what an async function returns: {function}(main())"
    kind = type(main).__name__
    raise TypeError(f"{function}() takes a coroutine, not this {kind}: {fix}")


def run(
    main: Coroutine[Any, Any, T],
    *,
    debug: bool | None = None,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
    max_steps: int | None = None,
    max_stalled: int | None = 1_000_000,
    loop_factory: Callable[..., VirtualTimeLoop] = VirtualTimeLoop,
) -> T:
    """Run *main* on a new :class:`VirtualTimeLoop` and return its result.

    Like :func:`asyncio.run`, but on the virtual clock, and it also works where a loop
    is running already: in a notebook cell, or inside a coroutine, which it blocks.

    Args:
        main: a coroutine.
        debug: asyncio's debug mode.
        loop_factory: makes the loop; called with the other settings as keywords, such
            as :class:`looplab.priority.VirtualPriorityLoop`.

    Raises:
        TypeError: if *main* is not a coroutine.
        ClockError: see :class:`VirtualTimeLoop`, which explains the other settings.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    _require_coroutine(main, "run")

    def new_loop() -> VirtualTimeLoop:
        return loop_factory(
            jitter=jitter,
            seed=seed,
            callback_cost=callback_cost,
            max_steps=max_steps,
            max_stalled=max_stalled,
        )

    with (
        contextlib.closing(main),
        _running_loop_set_aside(),
        asyncio.Runner(debug=debug, loop_factory=new_loop) as runner,
    ):
        try:
            return runner.run(main)
        finally:
            _cancel_leftovers(runner.get_loop())


def _cancel_leftovers(loop: asyncio.AbstractEventLoop) -> None:
    """Do in order of creation what the runner would do in the order of a set.

    That order is not quite the program's own: asyncio gathers the set from the tasks of
    all loops, and another loop's tasks, a notebook's say, change how it comes out.
    """
    leftovers = sorted(asyncio.all_tasks(loop), key=hash)
    if not leftovers:
        return
    for task in leftovers:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*leftovers, return_exceptions=True))
    for task in leftovers:
        if not task.cancelled() and task.exception() is not None:
            loop.call_exception_handler(
                {
                    "message": "unhandled exception during run() shutdown",
                    "exception": task.exception(),
                    "task": task,
                }
            )


_run_starts: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, float] = (
    weakref.WeakKeyDictionary()
)


def run_real(
    main: Coroutine[Any, Any, T],
    *,
    debug: bool | None = None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Run *main* in real time on a stock loop in a thread of its own.

    The thread keeps the measurement away from a loop that is running here already, such
    as a notebook's.  The call returns when *main* has ended.  An interrupt cancels it.

    Args:
        main: a coroutine.
        debug: asyncio's debug mode.
        loop_factory: makes the loop; the default is asyncio's own.

    Raises:
        TypeError: if *main* is not a coroutine.
        RuntimeError: if ``nest_asyncio`` has patched asyncio in this process, which
            makes every task slower: measure in another process; or if no thread can be
            started, as in a browser.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    _require_coroutine(main, "run_real")
    if getattr(asyncio, "_nest_patched", False):
        main.close()
        raise RuntimeError(
            "nest_asyncio.apply() has replaced asyncio's tasks with slower ones in "
            "this process: measure in a fresh process, or restart the kernel"
        )
    results: list[T] = []
    errors: list[BaseException] = []
    started: list[asyncio.AbstractEventLoop] = []
    # An interrupted join() would take the thread for dead (before Python 3.13).
    ended = threading.Event()

    def measure() -> None:
        try:
            with asyncio.Runner(debug=debug, loop_factory=loop_factory) as runner:
                loop = runner.get_loop()
                _run_starts[loop] = loop.time()
                started.append(loop)
                results.append(runner.run(main))
        except BaseException as exc:
            errors.append(exc)
        finally:
            main.close()
            ended.set()

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(measure,), name="run_real")
    try:
        thread.start()
    except RuntimeError as exc:
        main.close()
        raise RuntimeError(
            "run_real() needs a thread of its own and could not start one; in a "
            "browser there are none: use run(), or Python on your own machine"
        ) from exc
    try:
        while not ended.wait(0.5):
            pass  # some interrupts are noticed only between two waits
    except BaseException:
        for loop in started:
            with contextlib.suppress(RuntimeError):  # closed already
                loop.call_soon_threadsafe(_cancel_all, loop)
        ended.wait()
        raise
    thread.join()
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # breaks the cycle of error, traceback and frame
    return results[0]


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def burn(seconds: float) -> None:
    """Hold the event loop for *seconds* of CPU work.

    On a :class:`VirtualTimeLoop` the clock moves by exactly *seconds* and the call
    returns at once.  Anywhere else the call spins until this thread has used that much
    CPU, so one experiment runs on both clocks.

    Args:
        seconds: 0 or more; whole nanoseconds count.

    Raises:
        TimeValueError: if *seconds* is negative, infinite or not a number.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    loop = events._get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        loop.burn(seconds)
        return
    end_ns = _cpu_time_ns() + _nanoseconds(seconds, "burn()")
    while _cpu_time_ns() < end_ns:
        pass


def _finest_cpu_clock() -> Callable[[], int]:
    """This thread's CPU time; where that is too coarse or missing, the wall clock."""
    try:
        if time.get_clock_info("thread_time").resolution <= 1e-5:
            return time.thread_time_ns
    except (AttributeError, ValueError):
        pass
    return time.perf_counter_ns


_cpu_time_ns = _finest_cpu_clock()


def elapsed() -> float:
    """Return the seconds since the running loop began to run.

    Under :func:`run` and :func:`run_real` that is since the call.  On any other loop it
    is since the first call of ``elapsed()`` there, which returns 0.

    Raises:
        RuntimeError: if no loop is running.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        return loop.time()
    now = loop.time()
    return now - _run_starts.setdefault(loop, now)
