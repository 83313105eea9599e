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
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS

from . import tags
from .described import code_of_coroutine, describe
from .recorder import BEFORE, CALL, IO, THREAD, TIMER, Recorder, cpu_clock, watch_timers

if TYPE_CHECKING:
    from .arrival import Asker

__all__ = ["LoopRecorder", "NotingQueue"]

# Called with no event, it does nothing.
_STOCK = selector_events.BaseSelectorEventLoop._process_events  # type: ignore[attr-defined]
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
        self._detach = _attach(self, arrival)
        self.enter()


def _attach(recorder: Recorder, arrival: Asker | None) -> Callable[[], None]:
    """Put a queue that keeps notes into the loop; return what undoes it.

    Its methods run once for each callback, so they do as little as can be.  Names of
    an enclosing function are looked up faster than attributes.
    """
    loop, now = recorder.loop, recorder.now
    cpu: Callable[[], int] = cpu_clock()
    note = recorder.notes.append
    running, thread, touched = recorder.running, recorder.thread, recorder._touched
    spans = recorder.spans
    in_force = tags.CURRENT
    leave: Callable[[deque[Handle]], Handle] = deque.popleft
    waiting: deque[tuple[Any, ...]] = deque()
    join_waiting, leave_waiting = waiting.append, waiting.popleft
    timers: dict[int, tuple[int, int]] = {}
    arrivals: dict[int, tuple[int, int | None, bool]] = {}
    watched: dict[int, int] = {}  # who began to watch, by the identity of the reader
    # Timers are set by the monotonic clock.
    ahead = now() - time.monotonic_ns() if now is time.perf_counter_ns else 0
    own: deque[Handle] = loop._ready

    index = -1  # of the callback that was begun last
    polling = False  # the loop is told what the selector found
    # Of the callback that runs:
    begun: tuple[Any, ...] = ()
    nobody = Context()
    context = nobody
    run_cpu = 0
    looked = 0  # when the loop had run all that was ready

    def finish(at: int, used: int) -> None:
        nonlocal context
        tag = context.get(in_force)
        if tag is None and spans:
            tag = spans[0](context)
        context = nobody
        if touched:
            tag = tag or touched[0]
            touched.clear()
        number = 0 if tag is None else tag.number
        note(begun + (at, used - run_cpu, number))  # noqa: RUF005 - it takes less

    class Queue(NotingQueue):
        __slots__ = ()

        def append(self, handle: Handle, /) -> None:
            at = now()
            if get_ident() != thread[0]:
                join_waiting((at, THREAD, -1))
            elif (by := running[0]) >= 0:
                join_waiting((at, CALL, by))
            elif polling:
                by, arrived, accepted = arrivals.pop(id(handle), (-1, None, True))
                join_waiting((at, IO, by, arrived, accepted))
            else:
                join_waiting((at, TIMER, -1))
            join(handle)

        def popleft(self) -> Handle:
            nonlocal index, begun, context, run_cpu
            handle: Any = leave(self)
            why = leave_waiting()
            at, used = now(), cpu()
            if running[0] >= 0:
                # The lines of finish(): its call would take as long again.
                tag = context.get(in_force)
                if tag is None and spans:
                    tag = spans[0](context)
                if touched:
                    tag = tag or touched[0]
                    touched.clear()
                number = 0 if tag is None else tag.number
                note(begun + (at, used - run_cpu, number))  # noqa: RUF005 - it takes less
            if handle._cancelled:
                running[0], context = -1, nobody
                return handle  # type: ignore[no-any-return]
            context = handle._context
            task, code = describe(handle._callback)
            ready, cause = why[0], why[1]
            if cause == IO:
                _, _, by, arrived, accepted = why
                begun = (ready, IO, by, at, task, code, None, None, arrived, accepted)
            elif type(handle) is not Handle and isinstance(handle, TimerHandle):
                by, was_set = timers.pop(id(handle), (-1, None))
                when: float = handle._when  # type: ignore[attr-defined]
                due = round(when * NS) + ahead
                begun = (ready, TIMER, by, at, task, code, due, was_set, None, True)
            else:
                if cause == TIMER:  # made ready while no loop ran
                    cause = BEFORE
                begun = (ready, cause, why[2], at, task, code, None, None, None, True)
            index += 1
            run_cpu = used
            running[1] = at
            running[0] = index
            return handle  # type: ignore[no-any-return]

        def __bool__(self) -> bool:
            nonlocal looked
            if running[0] >= 0:
                looked = now()
                finish(looked, cpu())
                running[0] = -1
            return len(self) > 0

        def clear(self) -> None:
            if running[0] >= 0:
                finish(now(), cpu())
                running[0] = -1
            deque.clear(self)
            waiting.clear()

    # The callback that runs already, if any, has begun before anybody looked.
    if loop.is_running():
        index = 0
        run, run_cpu = now(), cpu()
        running[:] = [0, run]
        task = asyncio.current_task(loop)
        code: Any = "(running when the recording began)"
        name: str | None = None
        if task is not None:
            name, code = task.get_name(), code_of_coroutine(task.get_coro())
        begun = (run, BEFORE, -1, run, name, code, None, None, None, True)

    queue = Queue()
    join = super(Queue, queue).append
    # Another thread may add a callback at any moment.  So the queues are exchanged
    # first and emptied afterwards, and what was there before goes before what arrives.
    loop._ready = queue
    moved = [own.popleft() for _ in range(len(own))]
    origin = now()
    waiting.extendleft([(origin, BEFORE, -1)] * len(moved))
    queue.extendleft(reversed(moved))

    undo = watch_timers(loop, ["call_at"], running, timers, now)
    undo_io: Callable[[], None] | None = None
    if hasattr(loop, "_process_events") and hasattr(loop, "_add_reader"):
        stock_process = loop._process_events
        is_stock = getattr(stock_process, "__func__", None) is _STOCK
        polled = 0
        slow_until = recorder.slow_until
        known = {} if arrival is None else arrival.known

        def process_events(events: Any) -> None:
            nonlocal polling, polled
            if not events:
                if not is_stock:
                    stock_process(events)
                return
            at = now()
            if arrival is not None:
                if looked - polled > SLOW_NS:
                    slow_until[0] = at + _AFTER_NS
                wanted = at < slow_until[0]
                for key, _ in events:
                    reader, writer = key.data
                    if reader is not None:
                        here = id(reader)
                        found = known.get(key.fd)
                        if wanted or found is None or found[0] != here:
                            arrived, accepted = arrival(key, at, polled, wanted)
                        else:  # what it would answer
                            arrived, accepted = None, found[1]
                        arrivals[here] = (watched.pop(here, -1), arrived, accepted)
                    if writer is not None:
                        arrivals[id(writer)] = (-1, None, False)
            polling = True
            try:
                stock_process(events)
            finally:
                polling = False
                arrivals.clear()
            polled = at

        loop._process_events = process_events
        stock_add = loop._add_reader

        def add_reader(fd: Any, callback: Any, *args: Any) -> Any:
            reader = stock_add(fd, callback, *args)
            if running[0] >= 0 and reader is not None:
                watched[id(reader)] = running[0]
            return reader

        loop._add_reader = add_reader

        def undo_io() -> None:
            if loop.__dict__.get("_process_events") is process_events:
                del loop._process_events
            if loop.__dict__.get("_add_reader") is add_reader:
                del loop._add_reader

    def detach() -> None:
        nonlocal join, leave
        undo()
        if undo_io is not None:
            undo_io()
        if running[0] >= 0:
            finish(now(), cpu())
            running[0] = -1
        if loop._ready is not queue:
            return  # somebody put a queue of theirs on top: leave it
        # A slow thread, or the rest of this iteration, may still use the queue.
        join = own.append
        remaining = deque(queue)
        deque.clear(queue)
        own.extendleft(reversed(remaining))
        loop._ready = own
        leave = leave_late

    def leave_late(queue: deque[Handle]) -> Handle:
        join_waiting((now(), BEFORE, -1))
        return own.popleft()

    return detach
