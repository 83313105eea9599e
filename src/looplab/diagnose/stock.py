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
from collections.abc import Callable
from contextvars import Context
from selectors import EVENT_READ, EVENT_WRITE
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS

from . import tags
from .described import STEP_WRAPPERS, code_of_coroutine, describe
from .recorder import BEFORE, CALL, IO, THREAD, TIMER, Recorder, cpu_clock

if TYPE_CHECKING:
    from .arrival import Asker

__all__ = ["LoopRecorder", "NotingQueue"]

_Stock: Any = selector_events.BaseSelectorEventLoop
# What brings what was found to the ready queue; select() below does it in their place.
_HANDS_OVER = (_Stock._process_events, _Stock._add_callback)
SLOW_NS = 5_000_000  # an iteration that takes longer makes data late
_AFTER_NS = 100_000_000  # how long after one the arrival of data is asked for


class NotingQueue(deque[Handle]):
    """Marks the queues that stand in for a loop's own."""

    __slots__ = ()


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
        look, self._detach = _attach(self, arrival)
        self.running = look  # type: ignore[method-assign]
        self.enter()


def _attach(
    recorder: Recorder, arrival: Asker | None
) -> tuple[Callable[[], tuple[int, int]], Callable[[], None]]:
    """Put a queue that keeps notes into the loop.

    Returns:
        What tells which callback runs, and since when; and what undoes it all.

    What is defined here runs once for each callback, or each look for I/O, so it does
    as little as can be.  Names of an enclosing function are found faster than
    attributes, and a call takes as long as a few lines.
    """
    loop, now = recorder.loop, recorder.now
    cpu: Callable[[], int] = cpu_clock()
    note = recorder.notes.append
    thread, touched = recorder.thread, recorder._touched
    spans = recorder.spans
    in_force = tags.CURRENT
    waiting: deque[tuple[Any, ...]] = deque()
    join_waiting, leave_waiting = waiting.append, waiting.popleft
    timers: dict[int, tuple[int, int]] = {}
    arrivals: dict[int, tuple[Any, ...]] = {}  # by the identity of the reader
    # Timers are set by the monotonic clock.
    ahead = now() - time.monotonic_ns() if now is time.perf_counter_ns else 0
    own: deque[Handle] = loop._ready

    index = -1  # of the callback that was begun last
    current = -1  # of the one that runs, if any
    # What is known of it:
    why: tuple[Any, ...] = ()
    run = run_cpu = 0
    task: str | None = None
    code: Any = ""
    nobody = Context()
    context = nobody
    looked = 0  # when the loop had run all that was ready
    wrapper: Any = None  # of the steps of this loop's tasks

    def finish() -> None:
        """The callback that runs, if any, has ended."""
        nonlocal context, looked, current
        if current < 0:
            return
        looked, used = now(), cpu()
        tag = context.get(in_force)
        if tag is None and spans:
            tag = spans[0](context)
        if touched:
            tag = tag or touched[0]
            touched.clear()
        number = 0 if tag is None else tag.number
        note((why, run, looked, used - run_cpu, task, code, number))
        current, context = -1, nobody

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: Handle, /) -> None:
            if get_ident() != thread[0]:
                join_waiting((now(), THREAD, -1))
            elif current >= 0:
                join_waiting((now(), CALL, current))
            else:
                # Of a timer popleft() knows more.
                join_waiting(arrivals.pop(id(handle), ()) or (now(), BEFORE, -1))
            join(handle)

        def popleft(self) -> Handle:
            nonlocal index, current, why, run, run_cpu, task, code, context, wrapper
            handle: Any = leave()
            at, used = now(), cpu()
            if current >= 0:
                # The lines of finish().
                tag = context.get(in_force)
                if tag is None and spans:
                    tag = spans[0](context)
                if touched:
                    tag = tag or touched[0]
                    touched.clear()
                number = 0 if tag is None else tag.number
                note((why, run, at, used - run_cpu, task, code, number))
            why = leave_waiting()
            if handle._cancelled:
                current, context = -1, nobody
                return handle  # type: ignore[no-any-return]
            context = handle._context
            callback = handle._callback
            if type(callback) is wrapper:
                # The lines of describe() for what runs most often.
                owner = callback.__self__
                task, code = owner.get_name(), owner.get_coro()
                if type(code) is CoroutineType:
                    code = code.cr_code
                else:
                    task, code = describe(callback)
            else:
                task, code = describe(callback)
                if type(callback) in STEP_WRAPPERS:
                    wrapper = type(callback)
                elif type(handle) is not Handle and isinstance(handle, TimerHandle):
                    by, was_set = timers.pop(id(handle), (-1, None))
                    when: float = handle._when  # type: ignore[attr-defined]
                    why = (why[0], TIMER, by, round(when * NS) + ahead, was_set)
            run, run_cpu = at, used
            current = index = index + 1
            return handle  # type: ignore[no-any-return]

        def clear(self) -> None:
            finish()
            deque.clear(self)
            waiting.clear()

    # The callback that runs already, if any, has begun before anybody looked.
    if loop.is_running():
        current = index = 0
        run, run_cpu = now(), cpu()
        why, code = (run, BEFORE, -1), "(running when the recording began)"
        now_running = asyncio.current_task(loop)
        if now_running is not None:
            task = now_running.get_name()
            code = code_of_coroutine(now_running.get_coro())

    queue = Queue()
    join, leave = super(Queue, queue).append, super(Queue, queue).popleft
    # Another thread may add a callback at any moment.  So the queues are exchanged
    # first and emptied afterwards, and what was there before goes before what arrives.
    loop._ready = queue
    moved = [own.popleft() for _ in range(len(own))]
    origin = now()
    waiting.extendleft([(origin, BEFORE, -1)] * len(moved))
    queue.extendleft(reversed(moved))

    stock_at = loop.call_at

    def call_at(
        when: float, callback: Any, *args: Any, context: Any = None
    ) -> TimerHandle:
        timer: TimerHandle
        if args:
            timer = stock_at(when, callback, *args, context=context)
        else:  # most often; to pass on no argument takes as long as all the rest
            timer = stock_at(when, callback, context=context)
        timers[id(timer)] = (current, now())
        return timer

    loop.call_at = call_at

    # -- the loop looks for I/O ------------------------------------------------------

    polled = before = 0  # when it last found something, and the time before
    wanted = False  # the arrival of data
    watched: dict[int, int] = {}  # who began to watch, by the identity of the reader
    slow_until = recorder.slow_until
    known = {} if arrival is None else arrival.known
    selector = loop._selector
    stock_select = selector.select
    stock_add = getattr(loop, "_add_reader", None)
    is_stock = all(
        getattr(getattr(loop, one.__name__, None), "__func__", None) is one
        for one in _HANDS_OVER
    )

    def data_came(key: Any, reader: Handle) -> tuple[Any, ...]:
        here = id(reader)
        arrived, accepted = None, True
        if arrival is not None:
            found = known.get(key.fd)
            if wanted or found is None or found[0] != here:
                arrived, accepted = arrival(key, polled, before, wanted)
            else:  # what it would answer
                accepted = found[1]
        return polled, IO, watched.pop(here, -1), arrived, accepted

    def select(timeout: float | None = None) -> Any:
        nonlocal polled, before, wanted, looked, current, context
        if current >= 0:
            # The lines of finish().
            looked, used = now(), cpu()
            tag = context.get(in_force)
            if tag is None and spans:
                tag = spans[0](context)
            if touched:
                tag = tag or touched[0]
                touched.clear()
            number = 0 if tag is None else tag.number
            note((why, run, looked, used - run_cpu, task, code, number))
            current, context = -1, nobody
        events = stock_select(timeout)
        if not events or stock_add is None:
            return events
        # A look that finds nothing does not count.  A new connection takes several
        # rounds until somebody watches it, and its data waits through all of them.
        before, polled = polled, now()
        if looked - before > SLOW_NS:
            slow_until[0] = polled + _AFTER_NS
        wanted = polled < slow_until[0]
        if not is_stock:
            arrivals.clear()
            for key, mask in events:
                reader, writer = key.data
                if mask & EVENT_READ and reader is not None:
                    arrivals[id(reader)] = data_came(key, reader)
                if mask & EVENT_WRITE and writer is not None:
                    arrivals[id(writer)] = (polled, IO, -1, None, False)
            return events
        # What the loop would do with them, without its calls.
        for key, mask in events:
            _, fd, _, (reader, writer) = key
            if mask & EVENT_READ and reader is not None:
                if reader._cancelled:
                    loop._remove_reader(key.fileobj)
                else:
                    found = known.get(fd)
                    if wanted or found is None or found[0] != id(reader):
                        join_waiting(data_came(key, reader))
                    else:
                        by = watched.pop(id(reader), -1) if watched else -1
                        join_waiting((polled, IO, by, None, found[1]))
                    join(reader)
            if mask & EVENT_WRITE and writer is not None:
                if writer._cancelled:
                    loop._remove_writer(key.fileobj)
                else:
                    join_waiting((polled, IO, -1, None, False))
                    join(writer)
        return ()

    def add_reader(fd: Any, callback: Any, *args: Any) -> Any:
        reader = stock_add(fd, callback, *args)  # type: ignore[misc]
        if current >= 0 and reader is not None:
            watched[id(reader)] = current
        return reader

    selector.select = select
    if stock_add is not None:
        loop._add_reader = add_reader

    def detach() -> None:
        nonlocal join, leave
        if loop.__dict__.get("call_at") is call_at:
            del loop.call_at
        if selector.__dict__.get("select") is select:
            del selector.select
        if loop.__dict__.get("_add_reader") is add_reader:
            del loop._add_reader
        finish()
        if loop._ready is not queue:
            return  # somebody put a queue of theirs on top: leave it
        # A slow thread, or the rest of this iteration, may still use the queue.
        join = own.append
        remaining = deque(queue)
        deque.clear(queue)
        own.extendleft(reversed(remaining))
        loop._ready = own
        leave = leave_late

    def leave_late() -> Handle:
        join_waiting((now(), BEFORE, -1))
        return own.popleft()

    return lambda: (current, run), detach
