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
import random
import sys
import threading
from asyncio import base_events, format_helpers
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from contextvars import Context, copy_context
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from looplab._numbers import NS, count_of
from looplab.clock.errors import LivelockError, OutsideCallError, StepLimitError
from looplab.clock.made import (
    InOrderOfArrival,
    NumberedFuture,
    NumberedTask,
    TimerHandle,
    eager_task,
)
from looplab.clock.observers import Observer, one_call, telling
from looplab.clock.outside import INSTEAD, outside
from looplab.clock.times import NEVER, from_now, nanoseconds
from looplab.clock.waiting import deadlock, timers_are_all_of

__all__ = ["VirtualTimeLoop"]


T = TypeVar("T")

_Handle = asyncio.Handle
_new_handle = asyncio.Handle.__new__
_SLEEP = asyncio.sleep.__code__
# Older Pythons name what a factory has made, newer ones leave that to the factory.
_NAMED_AFTERWARDS = "name" in (asyncio.BaseEventLoop.create_task.__kwdefaults__ or {})
_SWEEP_AT = 100  # cancelled timers that may lie about before the first sweep


def _limit(value: int | None, what: str) -> int | None:
    return None if value is None else count_of(value, what, none="no limit")


class VirtualTimeLoop(asyncio.BaseEventLoop):
    """An event loop whose clock moves only by timers and by :func:`burn`.

    It has the methods of the stock loop and its order of events (see the module), so
    tasks, ``TaskGroup``, ``timeout``, queues, locks and async generators work on it
    unchanged.  The clock starts at *start*.

    Args:
        start: seconds that the clock shows when the loop is made.
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

    * :exc:`DeadlockError` when nothing is ready and no timer is set but a probe's;
    * :exc:`LivelockError` after *max_stalled* iterations at one instant;
    * :exc:`StepLimitError` when *max_steps* callbacks have run and more are ready;

    out of ``run_forever()`` and ``run_until_complete()``.  A call that would leave the
    clock (to or from a thread, to a process, a socket, a signal handler) raises
    :exc:`OutsideCallError` where it is made.
    """

    if TYPE_CHECKING:  # what BaseEventLoop keeps to itself and this class relies on
        _asyncgens: Any
        _clock_resolution: float
        _current_handle: asyncio.Handle | None
        _debug: bool
        _ready: Any
        _stopping: bool
        _task_factory: Any

        def _check_callback(self, callback: Any, method: str) -> None: ...
        def _check_closed(self) -> None: ...
        def _check_thread(self) -> None: ...

    _task_type = NumberedTask
    #: Whether callbacks leave the ready queue in the order in which they joined it.
    first_in_first_out = True

    _closed = True  # until it is made: __del__() asks, also where a setting was wrong

    def __init__(
        self,
        *,
        start: float = 0.0,
        jitter: float = 0.0,
        seed: int = 0,
        callback_cost: float = 0.0,
        max_steps: int | None = None,
        max_stalled: int | None = 1_000_000,
    ) -> None:
        self._jitter_ns = nanoseconds(jitter, "jitter")
        self._random = random.Random(seed)
        self._callback_cost_ns = nanoseconds(callback_cost, "callback_cost")
        self._max_steps = self._steps_left = _limit(max_steps, "max_steps")
        self._max_stalled = _limit(max_stalled, "max_stalled")
        self._now_ns = self.start_ns = nanoseconds(start, "start")
        self._ran_in: int | None = None  # the thread
        self._threads_before: frozenset[threading.Thread] = frozenset()
        # The timers due at one nanosecond share a list, in the order they were set; the
        # heap holds each of those nanoseconds once.
        self._timers: dict[int, list[TimerHandle]] = {}
        self._due_heap: list[int] = []
        # Those that never fire keep alive what waits for them, and are no progress.
        self._never: dict[int, TimerHandle] = {}
        self._cancelled_timers = 0
        self._sweep_at = _SWEEP_AT
        self._tasks_made = self._numbers_dealt = 0
        self._name_in_hand: list[str] = []  # of the task that a factory is to make
        self._probes: list[asyncio.Task[Any]] = []
        super().__init__()
        self._observe([])
        self._clock_resolution = 1 / NS
        self._asyncgens = InOrderOfArrival()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "running" if self.is_running() else "idle"
        return f"<{type(self).__name__} {state} at {self.time():.9g} s>"

    # -- the clock -------------------------------------------------------------------

    def time(self) -> float:
        """Return the seconds on the clock, which has begun at *start*."""
        return self._now_ns / NS

    def time_ns(self) -> int:
        """Return the whole nanoseconds on the clock."""
        return self._now_ns

    def burn(self, seconds: float) -> None:
        """Charge *seconds* of CPU work to the clock.  See :func:`burn`."""
        self._now_ns += nanoseconds(seconds, "burn()")
        if self._tell_burned is not None:
            self._tell_burned()

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
                # As in create_task(): drop this frame from where it was made.
                del stock._source_traceback[-1]  # type: ignore[attr-defined]
            return stock
        # The stock handle, made without its look-up of debug mode: half the time.
        handle: Any = _new_handle(_Handle)
        handle._context = copy_context() if context is None else context
        handle._loop = self
        handle._callback = callback
        handle._args = args
        handle._cancelled = False
        handle._repr = handle._source_traceback = None
        self._ready.append(handle)
        return handle  # type: ignore[no-any-return]

    def call_soon_threadsafe(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Like :meth:`call_soon`, from a signal handler, or where the loop is idle.

        Raises:
            OutsideCallError: another thread calls while the loop runs, or after it was
                closed: the virtual clock waits for no thread.
        """
        self._refuse_threads()
        handle = super().call_soon_threadsafe(callback, *args, context=context)
        if handle._source_traceback:  # type: ignore[attr-defined]
            del handle._source_traceback[-1]  # type: ignore[attr-defined]
        return handle

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

    def _refuse_threads(self) -> None:
        if not (self._closed or self.is_running()):
            return
        if self._ran_in not in (None, threading.get_ident()):
            raise OutsideCallError(
                f"the thread {threading.current_thread().name!r} wakes a virtual loop, "
                "whose clock waits for no thread: let a task of the loop do its work, "
                "with asyncio.sleep() for a wait and burn() for CPU work, or use "
                "run_real()"
            )

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

    # -- what it makes ---------------------------------------------------------------

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

    # -- who watches -----------------------------------------------------------------

    def add_observer(self, observer: Observer) -> None:
        """Tell *observer* from now on what the loop does, amid an iteration too.

        Raises:
            TypeError: *observer* is no :class:`Observer`.
            ValueError: it observes this loop already.
        """
        if not isinstance(observer, Observer):
            raise TypeError(f"expected an Observer, got {observer!r:.60}")
        if observer in self._observers:
            raise ValueError(f"{observer!r:.60} observes {self!r} already")
        self._observe([*self._observers, observer])

    def remove_observer(self, observer: Observer) -> None:
        """Tell *observer* nothing more.

        Raises:
            ValueError: it does not observe this loop.
        """
        if observer not in self._observers:
            raise ValueError(f"{observer!r:.60} does not observe {self!r}")
        self._observe([other for other in self._observers if other is not observer])

    def _observe(self, observers: list[Observer]) -> None:
        self._observers = observers
        self._tell_joined = one_call("joined", observers)
        self._tell_left = one_call("left", observers)
        self._tell_iteration = one_call("iteration", observers)
        self._tell_burned = one_call("burned", observers)
        self._ready = telling(self._ready, self._tell_joined)

    def add_probe(self, task: asyncio.Task[Any]) -> None:
        """Count no timer for which *task* sleeps as progress.

        A probe measures the loop and does nothing else.  With only probes' timers set
        nothing can happen, so the loop raises :exc:`DeadlockError` as if there were
        none.
        """
        self._probes.append(task)

    def remove_probe(self, task: asyncio.Task[Any]) -> None:
        """Count the timers of *task* again, if it is a probe: somebody waits for it."""
        if task in self._probes:
            self._probes.remove(task)

    # -- running ---------------------------------------------------------------------

    def _run_once(self) -> None:
        """Run iterations until the loop is told to stop.

        ``run_forever()`` calls this until the stop flag is set; staying in here saves
        a call an iteration.
        """
        timers, due_heap = self._timers, self._due_heap
        cost_ns, max_stalled = self._callback_cost_ns, self._max_stalled
        stalled, stalled_at = 0, -1
        self._ran_in = threading.get_ident()
        self._threads_before = frozenset(threading.enumerate())
        while True:
            if self._tell_iteration is not None:
                self._tell_iteration()
            ready = self._ready  # looked up again: an observer may have come or gone
            if not ready and not self._stopping:
                if due_heap and not self._cancelled_timers and not self._probes:
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
            special = self._debug or cost_ns
            for _ in range(todo):
                handle = ready.popleft()
                if self._tell_left is not None:
                    tell = self._tell_left
                    tell(handle)
                if handle._cancelled:
                    if self._steps_left is not None:
                        self._steps_left += 1  # it was counted, but does not run
                    continue
                if special:
                    self._run_specially(handle)
                else:
                    context = handle._context
                    callback = handle._callback
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
            # Nothing of the last callback may live on while the clock jumps.
            handle = context = callback = args = None
            if self._stopping:
                return

    def _jump(self) -> None:
        """Move the clock to the next timer, if that is not due already."""
        self._probes = [task for task in self._probes if not task.done()]
        if self._probes:
            timers = chain.from_iterable(self._timers.values())
            if timers_are_all_of(self._probes, timers):
                raise deadlock(self, self._probes)
        while self._due_heap:
            due_ns = self._due_heap[0]
            due = self._timers[due_ns]
            for timer in due:
                if not timer._cancelled:
                    if due_ns > self._now_ns:
                        self._now_ns = due_ns
                    return
            heappop(self._due_heap)
            del self._timers[due_ns]
            self._cancelled_timers -= len(due)
        raise deadlock(self, ())

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

    def _run_specially(self, handle: asyncio.Handle) -> None:
        """Run *handle* in debug mode, or at a cost that every callback has."""
        if self._debug:
            self._run_watched(handle)
        else:
            handle._run()
        handle = None  # type: ignore[assignment]  # as in _run_watched()
        self._now_ns += self._callback_cost_ns

    def _run_watched(self, handle: asyncio.Handle) -> None:
        """Run *handle* as debug mode does: a slow callback is logged."""
        self._current_handle = handle
        start_ns = self._now_ns
        try:
            handle._run()
        finally:
            self._current_handle = None
        seconds = (self._now_ns - start_ns) / NS
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

    # -- the rest of the stock loop's face -------------------------------------------

    def close(self) -> None:
        """Close the loop and forget what it had still to do."""
        super().close()
        self._timers.clear()
        self._never.clear()
        self._due_heap.clear()

    def _write_to_self(self) -> None:
        """Nothing to do: the loop never sleeps, so nobody need wake it."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Shut down the pool that :meth:`set_default_executor` was given, if any.

        The stock loop lets a thread wait for the pool.  This one refuses to give it
        work, so it waits itself, and that takes no time on its clock.

        Args:
            timeout: seconds; as for the stock loop, but not needed.
        """
        self._executor_shutdown_called = True
        executor: Executor | None = getattr(self, "_default_executor", None)
        if executor is not None:
            executor.shutdown(wait=True)


for _name in INSTEAD:
    setattr(VirtualTimeLoop, _name, outside(_name))
