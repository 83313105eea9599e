"""The recorder of asyncio's own loops.

It puts a queue of its own in the place of the loop's ready queue, and looks over its
shoulder where timers are set and where the selector reports data.
"""

from __future__ import annotations

import asyncio
import time
from _thread import get_ident
from asyncio import Handle, TimerHandle, selector_events
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from selectors import EVENT_READ, EVENT_WRITE
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS
from looplab.trace.stock import NotingQueue, stand_in, step_aside

from .described import STEP_WRAPPERS, code_of_coroutine, describe
from .recorder import (
    BEFORE,
    DATA,
    THREAD,
    TIMER,
    WATCHED,
    Recorder,
    cpu_clock,
    real_clock,
)
from .tags import CURRENT

if TYPE_CHECKING:
    from .arrival import Asker

__all__ = ["LoopRecorder"]

_Stock: Any = selector_events.BaseSelectorEventLoop
_HANDS_OVER = (_Stock._process_events, _Stock._add_callback)
SLOW_NS = 5_000_000  # an iteration that takes longer makes data late
_DESCRIBED = 100_000  # readers and writers whose callback is remembered
_AFTER_NS = 100_000_000  # how long after one the arrival of data is asked for


# Of the tasks whose steps TaskStepMethWrapper runs.  To call these takes less than to
# call the method of a task, which Python 3.11 looks for anew each time.
_Task: Any = getattr(asyncio.tasks, "_CTask", asyncio.Task)
_name_of, _coro_of = _Task.get_name, _Task.get_coro
_now, _cpu = real_clock(), cpu_clock()


class LoopRecorder(Recorder):
    """Records every callback of *loop*, until :meth:`detach`.

    Args:
        loop: one of asyncio's own loops, in whose thread this is called; it may be
            running.
        number: counts the loops of the process.
        arrival: asks for the arrival of data at a file descriptor; see
            :mod:`.arrival`.  None: nobody asks.

    Raises:
        TypeError: if Python cannot see the ready queue of the loop.
    """

    def __init__(
        self, loop: Any, number: int = 1, *, arrival: Asker | None = None
    ) -> None:
        super().__init__(loop, number)
        if type(getattr(loop, "_ready", None)) is not deque:
            raise TypeError(
                f"a {self.kind} keeps its ready queue where nobody can see it"
            )
        if not hasattr(getattr(loop, "_selector", None), "__dict__"):
            raise TypeError(f"a {self.kind} looks for I/O where nobody can see it")
        running, self._finish, self._resume, self._detach = _attach(self, arrival)
        self.running = running  # type: ignore[method-assign]
        self.enter()

    def enter(self) -> None:
        """The loop is about to run in this thread."""
        self._resume()
        super().enter()

    def leave(self) -> None:
        """The loop has stopped running in this thread."""
        self._finish()
        super().leave()


def _attach(recorder: Recorder, arrival: Asker | None) -> tuple[Any, ...]:
    """Put a queue that keeps notes into the loop.

    Returns what tells which callback runs, and since when; what says that it has ended;
    what says that the loop runs in this thread from now on; and what undoes it all.

    What is defined here runs once for each callback, or each look for I/O, so it does
    as little as can be.  Names of an enclosing function are found faster than
    attributes, but each takes its time at each call, whether it is used or not: so
    what is rare is in functions of its own, and what does not change is global.  A call
    takes as long as a few lines.
    """
    loop = recorder.loop
    note = recorder.notes.extend
    thread, touched = recorder.thread, recorder._touched
    waiting: deque[tuple[int, int]] = deque()  # (ready, by)
    join_waiting, leave_waiting = waiting.append, waiting.popleft
    timers: dict[int, tuple[int, int]] = {}
    # By the identity of the reader or writer: (arrived, accepted).
    arrivals: dict[int, tuple[int, bool]] = {}
    described: dict[int, tuple[str | None, Any]] = {}
    # Timers are set by the monotonic clock.
    ahead = _now() - time.monotonic_ns() if _now is time.perf_counter_ns else 0
    own: deque[Handle] = loop._ready

    index = -1  # of the callback that was begun last
    # What is known of it:
    ready = run = 0
    by = BEFORE
    task: str | None = None
    code: Any = ""
    running_in: Context | None = None  # None: it has ended
    # The clock of CPU time is asked once a callback, when it ends: what the loop uses
    # between two is little, and whoever reads this knows that none computed for longer
    # than it ran.
    used = _cpu()
    looked = 0  # when the loop had run all that was ready
    wrapper: Any = None  # of the steps of this loop's tasks

    def finish() -> None:
        """The callback that runs, if any, has ended."""
        nonlocal running_in, looked, used
        if running_in is None:
            return
        looked, before_it, used = _now(), used, _cpu()
        tag = running_in.get(CURRENT)
        if touched:
            tag = tag or touched[0]
            touched.clear()
        number = 0 if tag is None else tag.number
        note((ready, by, run, looked, used - before_it, task, code, number))
        running_in = None

    def more_is_known(handle: Any) -> None:
        """Note what is known of the callback that begins, if a timer or data did it."""
        nonlocal by
        if isinstance(handle, TimerHandle):
            setter, was_set = timers.pop(id(handle), (-1, None))
            due = round(handle._when * NS) + ahead  # type: ignore[attr-defined]
            recorder.due.append((index + 1, setter, due, was_set))
            by = TIMER
        elif by <= DATA and id(handle) in arrivals:
            recorder.came.append((index + 1, *arrivals.pop(id(handle))))

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: Handle, /) -> None:
            if get_ident() != thread[0]:
                join_waiting((_now(), THREAD))
            elif running_in is not None:
                join_waiting((_now(), index))
            else:
                join_waiting((_now(), BEFORE))  # nobody asked for it just now
            join(handle)

        def popleft(self) -> Handle:
            nonlocal index, ready, by, run, used, task, code, running_in, wrapper
            handle: Any = leave()
            at = _now()
            if running_in is not None:
                # The lines of finish().
                before_it, used = used, _cpu()
                tag = running_in.get(CURRENT)
                if touched:
                    tag = tag or touched[0]
                    touched.clear()
                number = 0 if tag is None else tag.number
                note((ready, by, run, at, used - before_it, task, code, number))
            run = at
            ready, by = leave_waiting()
            if handle._cancelled:
                running_in = None
                if arrivals:
                    arrivals.pop(id(handle), None)
                return handle  # type: ignore[no-any-return]
            running_in = handle._context
            callback = handle._callback
            if type(callback) is wrapper:
                # The lines of describe() for what runs most often.
                owner = callback.__self__
                task, code = _name_of(owner), _coro_of(owner)
                if type(code) is CoroutineType:
                    code = code.cr_code
                else:
                    task, code = describe(callback)
            else:
                if by > DATA:
                    task, code = describe(callback)
                else:
                    try:
                        task, code = described[id(handle)]
                    except KeyError:
                        task, code = described[id(handle)] = describe(callback)
                if type(handle) is not Handle or arrivals:
                    more_is_known(handle)
                elif wrapper is None and type(callback) in STEP_WRAPPERS:
                    wrapper = type(callback)
            index += 1
            return handle  # type: ignore[no-any-return]

        def clear(self) -> None:
            finish()
            deque.clear(self)
            waiting.clear()

    # The callback that runs already, if any, has begun before anybody looked.
    if loop.is_running():
        index, running_in = 0, Context()
        ready = run = _now()
        code = "(running when the recording began)"
        now_running = asyncio.current_task(loop)
        if now_running is not None:
            task = now_running.get_name()
            code = code_of_coroutine(now_running.get_coro())

    queue = Queue()
    join, leave = super(Queue, queue).append, super(Queue, queue).popleft
    moved = stand_in(loop, queue)
    waiting.extendleft([(_now(), BEFORE)] * moved)

    stock_at = loop.call_at

    def call_at(
        when: float, callback: Any, *args: Any, context: Any = None
    ) -> TimerHandle:
        timer: TimerHandle
        if args:
            timer = stock_at(when, callback, *args, context=context)
        else:  # most often; to pass on no argument takes as long as all the rest
            timer = stock_at(when, callback, context=context)
        timers[id(timer)] = (-1 if running_in is None else index, _now())
        return timer

    loop.call_at = call_at
    stock_executor = loop.run_in_executor

    def run_in_executor(executor: Any, func: Any, *args: Any) -> Any:
        if executor is not None and not isinstance(executor, ThreadPoolExecutor):
            return stock_executor(executor, func, *args)
        tag = CURRENT.get()
        maker = -1 if running_in is None else index
        job = [0 if tag is None else tag.number, maker, _now(), 0, 0, func]

        def work(*words: Any) -> Any:
            job[3] = _now()
            try:
                return func(*words)
            finally:
                job[4] = _now()

        recorder.jobs.append(job)
        return stock_executor(executor, work, *args)

    loop.run_in_executor = run_in_executor

    # -- the loop looks for I/O ------------------------------------------------------

    polled = before = 0  # when it last found something, and the time before
    wanted = False  # the arrival of data
    # Who began to watch, as it is noted, by the identity of the reader.
    watched: dict[int, int] = {}
    slow_until = recorder.slow_until
    usual = {} if arrival is None else arrival.usual
    selector = loop._selector
    stock_select = selector.select
    stock_add = getattr(loop, "_add_reader", None)
    stock_add_writer = getattr(loop, "_add_writer", None)
    # What brings what was found to the ready queue; select() does it in their place.
    sees_data = (
        stock_add is not None
        and stock_add_writer is not None
        and all(
            getattr(getattr(loop, hand.__name__, None), "__func__", None) is hand
            for hand in _HANDS_OVER
        )
    )

    def data_came(key: Any, reader: Handle) -> tuple[int, int]:
        reader_id = id(reader)
        arrived, accepted = None, True
        if arrival is not None:
            arrived, accepted = arrival(key, polled, before, wanted)
        if arrived is not None or not accepted:
            arrivals[reader_id] = polled if arrived is None else arrived, accepted
        return polled, watched.pop(reader_id, DATA)

    def select(timeout: float | None = None) -> Any:
        nonlocal looked, used, running_in
        if running_in is not None:
            # The lines of finish().
            looked, before_it, used = _now(), used, _cpu()
            tag = running_in.get(CURRENT)
            if touched:
                tag = tag or touched[0]
                touched.clear()
            number = 0 if tag is None else tag.number
            note((ready, by, run, looked, used - before_it, task, code, number))
            running_in = None
        events = stock_select(timeout)
        return took(events) if events and sees_data else events

    def took(events: Any) -> Any:
        """Note that data came, and do with them what the loop would."""
        nonlocal polled, before, wanted
        # A look that finds nothing does not count.  A new connection takes several
        # rounds until somebody watches it, and its data waits through all of them.
        before, polled = polled, _now()
        if looked - before > SLOW_NS:
            slow_until[0] = polled + _AFTER_NS
        wanted = polled < slow_until[0]
        # What the loop would do with them, without its calls.
        for key, mask in events:
            reader, writer = key[3]  # to read a name of it takes longer
            if mask & EVENT_READ and reader is not None:
                if reader._cancelled:
                    loop._remove_reader(key.fileobj)
                else:
                    reader_id = id(reader)
                    if wanted or usual.get(key[1]) != reader_id:
                        join_waiting(data_came(key, reader))
                    else:
                        by_whom = watched.pop(reader_id, DATA) if watched else DATA
                        join_waiting((polled, by_whom))
                    join(reader)
            if mask & EVENT_WRITE and writer is not None:
                if writer._cancelled:
                    loop._remove_writer(key.fileobj)
                else:
                    join_waiting((polled, DATA))
                    arrivals[id(writer)] = polled, False
                    join(writer)
        return ()

    def add_reader(fd: Any, callback: Any, *args: Any) -> Any:
        reader = stock_add(fd, callback, *args)  # type: ignore[misc]
        is_new(reader)
        if running_in is not None and reader is not None:
            watched[id(reader)] = WATCHED - index
        return reader

    def add_writer(fd: Any, callback: Any, *args: Any) -> Any:
        writer = stock_add_writer(fd, callback, *args)  # type: ignore[misc]
        is_new(writer)
        return writer

    def is_new(handle: Handle | None) -> None:
        """What had the identity of a new reader or writer is gone."""
        described.pop(id(handle), None)
        if len(described) > _DESCRIBED:
            described.clear()

    selector.select = select
    if sees_data:
        loop._add_reader, loop._add_writer = add_reader, add_writer

    def detach() -> None:
        nonlocal join, leave
        if loop.__dict__.get("call_at") is call_at:
            del loop.call_at
        if loop.__dict__.get("run_in_executor") is run_in_executor:
            del loop.run_in_executor
        if selector.__dict__.get("select") is select:
            del selector.select
        if loop.__dict__.get("_add_reader") is add_reader:
            del loop._add_reader
        if loop.__dict__.get("_add_writer") is add_writer:
            del loop._add_writer
        finish()
        if loop._ready is not queue:
            return  # somebody put a queue of theirs on top: leave it
        # A slow thread, or the rest of this iteration, may still use the queue.
        join = own.append
        step_aside(loop, queue, own)
        leave = leave_late
        # There may be another recorder by the time that the slow thread goes on.
        join = lambda handle: loop._ready.append(handle)  # noqa: E731

    def leave_late() -> Handle:
        join_waiting((_now(), BEFORE))
        return own.popleft()

    def look() -> tuple[int, int]:
        return -1 if running_in is None else index, run

    def resume() -> None:
        nonlocal used
        used = _cpu()  # of this thread, and without what it did beside the loop

    return look, finish, resume, detach
