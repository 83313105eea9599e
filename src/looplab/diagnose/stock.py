"""The recorder of asyncio's own loops.

It puts a queue of its own in the place of the loop's ready queue, and looks over its
shoulder where timers are set and where the selector reports data.
"""

from __future__ import annotations

import asyncio
import time
from _thread import get_ident
from asyncio import Handle, TimerHandle
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from selectors import EVENT_READ, EVENT_WRITE
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS
from looplab.trace.stock import NotingQueue, real_clock, stand_in, step_aside

from .described import code_of_coroutine, describe
from .recorder import BEFORE, DATA, THREAD, TIMER, WATCHED, Recorder
from .tags import CURRENT

if TYPE_CHECKING:
    from .arrival import Asker

SLOW_NS = 5_000_000  # an iteration that takes longer makes data late
_AFTER_NS = 100_000_000  # how long after one the arrival of data is asked for

# Timers are set by the clock of the loop, which Windows lets tick every 16 ms.  Python
# makes a small float of CPU time in less time than a large int; a browser has no such
# clock, and imports this module all the same.
(_now, _ahead), _cpu = real_clock(), getattr(time, "thread_time", lambda: 0.0)


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
        hooks = _attach(self, arrival)
        self.running, self._finish, self._resume, self._detach = hooks
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
    attributes.
    """
    loop = recorder.loop
    note = recorder.notes.extend
    thread, touched = recorder.thread, recorder.touched
    waiting: deque[tuple[int, int]] = deque()  # (ready, by)
    join_waiting, leave_waiting = waiting.append, waiting.popleft
    timers: dict[int, tuple[int, int]] = {}
    # By the identity of a reader or writer: (ready, by), and (arrived, accepted).
    handed: dict[int, Any] = {}
    arrivals: dict[int, tuple[int, bool]] = {}
    own: deque[Handle] = loop._ready

    index = -1  # of the callback that was begun last
    # What is known of it:
    ready = run = 0
    by = BEFORE
    task: str | None = None
    code: Any = ""
    running_in: Any = None  # its context; None: it has ended
    # The clock of CPU time is asked once a callback, when it ends: what the loop uses
    # between two is little, and whoever reads this knows that none computed for longer
    # than it ran.
    used = _cpu()

    def finish() -> int:
        """The callback that runs has ended; return the time."""
        nonlocal running_in, used
        at, before_it, used = _now(), used, _cpu()
        tag = recorder.tag_in(running_in) if touched else running_in.get(CURRENT)
        number = 0 if tag is None else tag.number
        note((ready, by, run, at, used - before_it, task, code, number))
        running_in = None
        return at

    def end() -> None:
        if running_in is not None:
            finish()

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: Handle, /) -> None:
            if get_ident() != thread[0]:
                join_waiting((_now(), THREAD))
            elif running_in is not None:
                join_waiting((_now(), index))
            else:  # a timer, or data; else nobody asked for it just now
                join_waiting(handed.pop(id(handle), None) or (_now(), BEFORE))
            join(handle)

        def popleft(self) -> Handle:
            nonlocal index, ready, by, run, task, code, running_in
            handle: Any = leave()
            run = _now() if running_in is None else finish()
            ready, by = leave_waiting()
            came = arrivals.pop(id(handle), None) if arrivals else None
            if handle._cancelled:
                return handle  # type: ignore[no-any-return]
            running_in = handle._context
            task, code = describe(handle._callback)
            index += 1
            if type(handle) is not Handle and isinstance(handle, TimerHandle):
                setter, was_set = timers.pop(id(handle), (-1, None))
                due = round(handle._when * NS) + _ahead  # type: ignore[attr-defined]
                recorder.due.append((index, setter, due, was_set))
                by = TIMER
            elif came is not None:
                recorder.came.append((index, *came))
            return handle  # type: ignore[no-any-return]

        def clear(self) -> None:
            end()
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

    def call_at(when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        timer = stock_at(when, callback, *args, context=context)
        timers[id(timer)] = (-1 if running_in is None else index, _now())
        return timer

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

    looked = 0  # when the loop had run all that was ready
    polled = 0  # when it last found something
    # Who began to watch, as it is noted, by the identity of the reader.
    watched: dict[int, int] = {}
    slow_until = recorder.slow_until
    accepted = {} if arrival is None else arrival.accepted
    stock_select = loop._selector.select
    stock_add = getattr(loop, "_add_reader", None)  # a loop of Windows has none

    def select(timeout: float | None = None) -> Any:
        nonlocal looked
        if running_in is not None:
            looked = finish()
        events = stock_select(timeout)
        if events and stock_add is not None:
            found(events)
        return events

    def found(events: Any) -> None:
        """Note that data came."""
        nonlocal polled
        # A look that finds nothing does not count.  A new connection takes several
        # rounds until somebody watches it, and its data waits through all of them.
        before, polled = polled, _now()
        if looked - before > SLOW_NS:
            slow_until[0] = polled + _AFTER_NS
        wanted = polled < slow_until[0]
        handed.clear()
        for key, mask in events:
            reader, writer = key[3]  # to read a name of it takes longer
            if mask & EVENT_READ and reader is not None:
                name = id(reader)
                handed[name] = polled, watched.pop(name, DATA)
                if arrival is not None and (wanted or accepted.get(key[1]) != name):
                    arrived, inward = arrival(key, polled, before, wanted)
                    if arrived is not None or not inward:
                        arrivals[name] = arrived or polled, inward
            if mask & EVENT_WRITE and writer is not None:
                handed[id(writer)] = polled, DATA
                arrivals[id(writer)] = polled, False

    def add_reader(fd: Any, callback: Any, *args: Any) -> Any:
        reader = stock_add(fd, callback, *args)  # type: ignore[misc]
        if running_in is not None and reader is not None:
            watched[id(reader)] = WATCHED - index
        return reader

    hooks = [(loop, call_at), (loop, run_in_executor), (loop._selector, select)]
    if stock_add is not None:
        add_reader.__name__ = "_add_reader"
        hooks.append((loop, add_reader))
    for owner, function in hooks:
        setattr(owner, function.__name__, function)

    def detach() -> None:
        nonlocal join, leave
        for owner, function in hooks:
            if vars(owner).get(function.__name__) is function:
                delattr(owner, function.__name__)
        end()
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

    return look, end, resume, detach
