"""A bounded job queue: what to use instead of creating a task for every job.

A thousand tasks created at once are a thousand callbacks in the same iteration of the
loop; whatever else is due waits behind all of them (chapter 4).  A :class:`JobQueue`
runs a bounded number of jobs at once, holds a bounded number back, makes whoever puts
jobs wait when both are full (*backpressure*), and leaves room between the starts of two
jobs for **whatever became due meanwhile**::

    async with JobQueue(workers=4, maxsize=1) as jobs:
        for url in urls:
            await jobs.put(fetch, url)
    print(jobs.results)

It follows :class:`asyncio.TaskGroup`: the block ends when all jobs have ended, the
first failure cancels the rest, and failures are raised together as one exception group.
No job is lost silently: each ends in exactly one state, and :attr:`JobQueue.outcomes`
counts them.

The module uses the standard library only and behaves the same on the virtual clock and
on the stock loop.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from types import TracebackType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast, overload

__all__ = [
    "JobNotDoneError",
    "JobQueue",
    "JobQueueClosedError",
    "Outcomes",
    "Ticket",
    "WouldDeadlockError",
]

T = TypeVar("T")
P = ParamSpec("P")

# Iterations left free between the first steps of two jobs.  A timer that becomes due
# while a job computes becomes ready after it, resolves a future in the next iteration
# and wakes its task in the one after: with two free iterations that task runs before
# the next job, with one behind one more job, with none behind two.
_FREE_ITERATIONS = 2

#: ``waiting`` and ``running`` are on the way; each job ends in one of the other four.
State = Literal["waiting", "running", "done", "failed", "cancelled", "never started"]


class JobQueueClosedError(RuntimeError):
    """A job was put into a queue that takes none: not entered, aborting or over."""


class JobNotDoneError(RuntimeError):
    """A result was asked of a job that has none: cancelled, not started, not ended."""


class WouldDeadlockError(RuntimeError):
    """A job was about to wait for something only its own queue could ever give it."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many jobs are in which state.  The six counts add up to ``total``.

    * ``waiting``: put, not yet started (including those whose ``put()`` still waits);
    * ``running``: holding one of the workers;
    * ``done``: returned a result;
    * ``failed``: raised an exception;
    * ``cancelled``: cancelled while running, or raised ``CancelledError`` itself;
    * ``never_started``: dropped before its first line ran.
    """

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int
    never_started: int

    @property
    def total(self) -> int:
        """All jobs that ``put()`` was called with."""
        return (
            self.waiting
            + self.running
            + self.done
            + self.failed
            + self.cancelled
            + self.never_started
        )

    def __repr__(self) -> str:
        counts = {
            "waiting": self.waiting,
            "running": self.running,
            "done": self.done,
            "failed": self.failed,
            "cancelled": self.cancelled,
            "never started": self.never_started,
        }
        parts = [f"{count} {state}" for state, count in counts.items() if count]
        jobs = "1 job" if self.total == 1 else f"{self.total} jobs"
        return f"{jobs}: {', '.join(parts)}" if parts else jobs


class Ticket(Generic[T]):
    """A handle on one job.  ``await ticket`` waits for the job and gives its result.

    Awaiting a ticket raises what the job raised, or :class:`JobNotDoneError` if the job
    was cancelled or never started (not ``CancelledError``, which would look as if the
    *waiter* had been cancelled).  Cancelling the waiter leaves the job alone.
    """

    __slots__ = (
        "__weakref__",
        "_args",
        "_blocked",
        "_context",
        "_coroutine",
        "_entered",
        "_exception",
        "_function",
        "_kwargs",
        "_queue",
        "_result",
        "_slot",
        "_state",
        "_task",
        "_waiters",
        "label",
        "number",
    )

    def __init__(
        self,
        queue: JobQueue,
        number: int,
        label: str,
        function: Callable[..., object] | None,
        coroutine: Coroutine[Any, Any, T] | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        #: Position in the order in which jobs were put, from 0.
        self.number = number
        #: Qualified name of the function or coroutine.
        self.label = label
        self._queue = queue
        self._function = function
        self._coroutine = coroutine
        self._args = args
        self._kwargs = kwargs
        self._context = contextvars.copy_context()
        self._state: State = "waiting"
        self._entered = False
        self._slot = 0
        self._task: asyncio.Task[T] | None = None
        self._result: T | None = None
        self._exception: BaseException | None = None
        self._waiters: list[asyncio.Future[None]] = []
        # What this job itself waits for, while it waits: a future, and the other
        # job's ticket, or None when it waits for room in the queue.
        self._blocked: tuple[asyncio.Future[Any], Ticket[Any] | None] | None = None

    @property
    def state(self) -> State:
        """``waiting``, ``running``, ``done``, ``failed``, ``cancelled`` or
        ``never started``."""
        return self._state

    def ended(self) -> bool:
        """Whether the job is in one of its four last states."""
        return self._state not in ("waiting", "running")

    def result(self) -> T:
        """The job's result.

        Raises:
            JobNotDoneError: it has none; the message says why.
            BaseException: what the job raised, if it failed.
        """
        if self._state == "done":
            return cast(T, self._result)
        if self._exception is not None:
            raise self._exception
        hint = {
            "waiting": "has not started yet: await its ticket",
            "running": "is still running: await its ticket",
            "cancelled": "was cancelled",
            "never started": "was never started",
        }[self._state]
        raise JobNotDoneError(f"job {self.number} ({self.label}) {hint}")

    def exception(self) -> BaseException | None:
        """What the job raised, or None if it did not fail (or has not ended yet)."""
        return self._exception

    def cancel(self) -> bool:
        """Cancel this job alone; the others go on.

        A job that has not started never will, and its place in the queue is free at
        once.  A running job gets ``CancelledError`` at its next ``await``.  Returns
        False if the job had ended already.
        """
        if self._state == "waiting":
            self._queue._drop(self)
            return True
        if self._task is not None and self._state == "running":
            return self._task.cancel()
        return False

    def __await__(self) -> Generator[Any, None, T]:
        if not self.ended():
            yield from self._queue._wait_for(self).__await__()
        return self.result()

    def __repr__(self) -> str:
        return f"<Ticket {self.number} {self.label}: {self._state}>"

    async def _call(self) -> T:
        self._entered = True
        if self._coroutine is not None:
            return await self._coroutine
        assert self._function is not None
        value = self._function(*self._args, **self._kwargs)
        if inspect.isawaitable(value):
            return cast(T, await value)
        return cast(T, value)


class JobQueue:
    """Run jobs, at most *workers* at once, with at most *maxsize* waiting.

    Args:
        workers: how many jobs may run at once, 1 or more.
        maxsize: how many may wait for a worker, 1 or more.  When as many wait,
            :meth:`put` waits too.
        fail_fast: what the first job to fail does.  True, as in a task group: jobs
            that run are cancelled, those that wait are dropped, the body of the block
            is cancelled.  False: all other jobs are run first.
        keep: keep every ticket, for :attr:`tickets` and :attr:`results`.  With False a
            queue that serves for months forgets a job once it has ended; the counts of
            :attr:`outcomes` and the exceptions to raise are still kept.
        name: jobs run in tasks called ``name-1`` to ``name-<workers>``.

    Raises:
        TypeError: *workers* or *maxsize* is not a whole number.
        ValueError: *workers* or *maxsize* is below 1.  There is no "unbounded" value:
            a queue without a bound hides overload until memory is gone (chapter 5).

    **Order.**  Jobs start in the order in which they were put, with two iterations of
    the loop between one start and the next.  A sleeper that becomes due while a job
    computes therefore runs before the next job starts: jobs that never await make it
    late by at most the one job that is running, however many workers there are.  Jobs
    that wait and then compute can meet in one iteration, up to *workers* of them.

    **Failure.**  When the block ends it waits for all jobs, then raises what they
    raised as one ``ExceptionGroup``, in the order in which they failed, an exception of
    the body last.  ``KeyboardInterrupt`` and ``SystemExit`` are raised bare, as by a
    task group.  A body that raises aborts the queue whatever *fail_fast* says.

    **Cancellation.**  If the task that runs the block is cancelled, running jobs are
    cancelled and waited for, waiting ones are dropped, and ``CancelledError`` goes on
    (unless jobs failed meanwhile: then the group is raised and the task stays
    cancelled).  A job that is cancelled, or raises ``CancelledError`` itself, counts as
    cancelled and is not a failure.  :attr:`outcomes` tells what became of every job.

    **Jobs that put jobs** are welcome, also while the block is ending (a crawler).
    With the queue full they wait like everybody else.  If that could never end, because
    every running job waits for room or for a job that needs a worker, the call that
    closes the circle raises :class:`WouldDeadlockError` instead.  (Only waits of the
    job's own task are seen, not those of tasks it creates; and a timeout around the
    wait is not taken into account.)

    Each job runs in a task of its own, in a copy of the context of the ``put()`` call.

    Introduced in chapter 4.
    """

    def __init__(
        self,
        workers: int = 4,
        maxsize: int = 1,
        *,
        fail_fast: bool = True,
        keep: bool = True,
        name: str = "worker",
    ) -> None:
        self._workers = _count(workers, "workers", "nothing would run")
        self._maxsize = _count(
            maxsize,
            "maxsize",
            "there is no value for 'unbounded', because a queue without a bound takes "
            "jobs faster than they are done and nobody notices until memory is gone",
        )
        self._fail_fast = bool(fail_fast)
        self._keep = bool(keep)
        self._name = str(name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parent: asyncio.Task[Any] | None = None
        self._parent_cancel_requested = False
        self._exiting = False
        self._aborting = False
        self._over = False
        self._put_count = 0
        self._tickets: list[Ticket[Any]] = []
        # In order: calls of put() that wait for room, jobs that wait for a worker,
        # jobs that run.  Dictionaries and deques only: no order depends on a hash.
        self._putters: dict[Ticket[Any], asyncio.Future[bool]] = {}
        self._waiting: deque[Ticket[Any]] = deque()
        self._running: dict[asyncio.Task[Any], Ticket[Any]] = {}
        self._free = list(range(1, self._workers + 1))
        heapify(self._free)
        self._ended: dict[State, int] = dict.fromkeys(
            ("done", "failed", "cancelled", "never started"), 0
        )
        self._errors: list[BaseException] = []
        self._base_error: BaseException | None = None
        self._pump_scheduled = False
        self._rest = 0  # iterations to leave free before the next start
        self._drained: asyncio.Future[None] | None = None

    # What a reader asks

    @property
    def workers(self) -> int:
        """How many jobs may run at once."""
        return self._workers

    @property
    def maxsize(self) -> int:
        """How many jobs may wait for a worker."""
        return self._maxsize

    @property
    def running(self) -> int:
        """How many jobs hold a worker now."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """How many jobs are in the queue now, waiting for a worker."""
        return len(self._waiting)

    @property
    def tickets(self) -> tuple[Ticket[Any], ...]:
        """The ticket of every job, in the order in which they were put.

        Raises:
            RuntimeError: the queue was made with ``keep=False``.
        """
        if not self._keep:
            raise RuntimeError(
                "this queue was made with keep=False and keeps no tickets: "
                "keep those that put() returns, or leave keep=False out"
            )
        return tuple(self._tickets)

    @property
    def results(self) -> list[Any]:
        """The result of every job, in the order in which they were put.

        Complete or not at all, so that it lines up with what was put.  After a failure
        ask the tickets one by one.

        Raises:
            JobNotDoneError: some job was cancelled, never started, or has not ended.
            BaseException: what the first job (in that order) raised that failed.
            RuntimeError: the queue was made with ``keep=False``.
        """
        return [ticket.result() for ticket in self.tickets]

    @property
    def outcomes(self) -> Outcomes:
        """How many jobs are in which state, now or at the end."""
        return Outcomes(
            waiting=len(self._waiting) + len(self._putters),
            running=len(self._running),
            done=self._ended["done"],
            failed=self._ended["failed"],
            cancelled=self._ended["cancelled"],
            never_started=self._ended["never started"],
        )

    def __repr__(self) -> str:
        if self._loop is None:
            state = "not entered"
        elif self._over:
            state = "over"
        elif self._aborting:
            state = "aborting"
        elif self._exiting:
            state = "ending"
        else:
            state = "open"
        return (
            f"<JobQueue workers={self._workers} maxsize={self._maxsize} "
            f"{state}, {self.outcomes!r}>"
        )

    # Putting jobs

    @overload
    async def put(
        self,
        job: Callable[P, Coroutine[Any, Any, T]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Ticket[T]: ...
    @overload
    async def put(self, job: Coroutine[Any, Any, T], /) -> Ticket[T]: ...
    @overload
    async def put(
        self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Ticket[T]: ...
    async def put(self, job: Any, /, *args: Any, **kwargs: Any) -> Ticket[Any]:
        """Hand over a job and return its ticket; wait while the queue is full.

        *job* is an async function, called with the arguments when its turn comes.  A
        plain function is taken too: it runs on the loop's own thread and holds the loop
        while it does.  A coroutine object is taken as it is, and closed if it is never
        started.

        Always yields to the loop at least once.  If the call is cancelled its job is
        not started, and counts as never started.

        Raises:
            JobQueueClosedError: the queue has not been entered, is being aborted, or
                is over.
            WouldDeadlockError: called by a job, and the wait could never end.
            TypeError: *job* is neither a function nor a fresh coroutine.
            RuntimeError: called from another event loop.
        """
        coroutine = job if inspect.iscoroutine(job) else None
        try:
            self._check_open()
            label = _check_job(job, args, kwargs)
        except BaseException:
            if coroutine is not None:
                coroutine.close()
            raise
        assert self._loop is not None
        ticket: Ticket[Any] = Ticket(
            self,
            self._put_count,
            label,
            None if coroutine is not None else job,
            coroutine,
            args,
            kwargs,
        )
        self._put_count += 1
        if self._keep:
            self._tickets.append(ticket)
        accepted: asyncio.Future[bool] = self._loop.create_future()
        self._putters[ticket] = accepted
        self._schedule_pump()
        try:
            if len(self._waiting) + len(self._putters) > self._maxsize:
                await self._wait_as_job(accepted, None)
            else:
                await accepted
        except BaseException:
            # A put() that has not returned can take its job back, see _pump().
            if ticket._state == "waiting":
                self._drop(ticket)
            raise
        if not accepted.result():
            raise JobQueueClosedError(
                f"job {ticket.number} ({ticket.label}) was not started: "
                "the job queue stopped while put() waited for room"
            )
        return ticket

    def _check_open(self) -> None:
        if self._loop is None:
            raise JobQueueClosedError(
                "this job queue is not open yet: put jobs inside "
                "'async with JobQueue(...) as jobs:'"
            )
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError(
                "this job queue belongs to another event loop: "
                "use asyncio.run_coroutine_threadsafe() to reach it"
            )
        if self._over:
            raise JobQueueClosedError(
                "this job queue is over: its 'async with' block has ended"
            )
        if self._aborting:
            raise JobQueueClosedError(
                "this job queue takes no more jobs: it was cancelled or a job failed"
            )

    # Moving jobs on.  All of this is plain code without an await: nothing can come
    # between two lines of it.

    def _schedule_pump(self) -> None:
        if not self._pump_scheduled:
            assert self._loop is not None
            self._pump_scheduled = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        """Start one job if it is time, then let waiting put() calls in.

        In this order, so that whoever put a job runs once more before it can start: a
        put() that is cancelled takes its job back.
        """
        self._pump_scheduled = False
        if self._rest:
            self._rest -= 1
        elif self._waiting and self._free:
            self._rest = _FREE_ITERATIONS
            self._start(self._waiting.popleft())
        while self._putters and len(self._waiting) < self._maxsize:
            ticket = next(iter(self._putters))
            accepted = self._putters.pop(ticket)
            self._waiting.append(ticket)
            if not accepted.done():
                accepted.set_result(True)
        if self._rest or (self._waiting and self._free):
            # Count down even when there is nothing to start: iterations that pass
            # anyway are free, those that a waiting job has to sit out are not.
            self._schedule_pump()

    def _start(self, ticket: Ticket[Any]) -> None:
        assert self._loop is not None
        ticket._slot = heappop(self._free)
        ticket._state = "running"
        call = ticket._call()
        # So that a trace shows the job's own name rather than ours.
        cast(Any, call).__qualname__ = ticket.label
        try:
            task = self._loop.create_task(
                call, name=f"{self._name}-{ticket._slot}", context=ticket._context
            )
        except BaseException as exc:
            call.close()
            heappush(self._free, ticket._slot)
            self._end(ticket, "failed", exception=exc)
            self._on_failure(exc)
            return
        ticket._task = task
        self._running[task] = ticket
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[Any]) -> None:
        ticket = self._running.pop(task)
        heappush(self._free, ticket._slot)
        if task.cancelled():
            self._end(ticket, "cancelled" if ticket._entered else "never started")
        elif (exc := task.exception()) is not None:
            self._end(ticket, "failed", exception=exc)
            self._on_failure(exc)
        else:
            self._end(ticket, "done", result=task.result())

    def _drop(self, ticket: Ticket[Any]) -> None:
        """Take a job that has not started out of the queue."""
        accepted = self._putters.pop(ticket, None)
        if accepted is None:
            self._waiting.remove(ticket)
        self._end(ticket, "never started")
        if accepted is not None and not accepted.done():
            # put() itself was not cancelled: it still gets its ticket.
            accepted.set_result(True)

    def _end(
        self,
        ticket: Ticket[Any],
        state: State,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        ticket._state = state
        ticket._result = result
        ticket._exception = exception
        self._ended[state] += 1
        if ticket._coroutine is not None and not ticket._entered:
            ticket._coroutine.close()
        # Let go of what the job held, the ticket may live long.
        ticket._coroutine = ticket._function = ticket._task = ticket._blocked = None
        ticket._args, ticket._kwargs = (), {}
        for waiter in ticket._waiters:
            if not waiter.done():
                waiter.set_result(None)
        ticket._waiters.clear()
        if self._waiting or self._putters:
            self._schedule_pump()
        elif not self._running and self._drained and not self._drained.done():
            self._drained.set_result(None)

    def _on_failure(self, exc: BaseException) -> None:
        self._errors.append(exc)
        is_base = isinstance(exc, (SystemExit, KeyboardInterrupt))
        if is_base and self._base_error is None:
            self._base_error = exc
        assert self._parent is not None and self._loop is not None
        if self._parent.done():
            self._loop.call_exception_handler(
                {
                    "message": "a job failed after its queue's task had ended",
                    "exception": exc,
                }
            )
        elif (self._fail_fast or is_base) and not self._aborting:
            self._abort()
            if not self._exiting:
                self._parent_cancel_requested = True
                self._parent.cancel()

    def _abort(self) -> None:
        """Cancel the jobs that run, drop those that wait, refuse new ones."""
        self._aborting = True
        putters = list(self._putters.items())
        self._putters.clear()
        for ticket, accepted in putters:
            self._end(ticket, "never started")
            if not accepted.done():
                accepted.set_result(False)
        while self._waiting:
            self._end(self._waiting.popleft(), "never started")
        for task in list(self._running):
            task.cancel()

    # Jobs that wait for their own queue

    async def _wait_for(self, ticket: Ticket[Any]) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("this ticket belongs to another event loop")
        waiter: asyncio.Future[None] = self._loop.create_future()
        ticket._waiters.append(waiter)
        try:
            await self._wait_as_job(waiter, ticket)
        finally:
            if waiter in ticket._waiters:
                ticket._waiters.remove(waiter)

    async def _wait_as_job(
        self, future: asyncio.Future[Any], other: Ticket[Any] | None
    ) -> None:
        """Wait for *future*; if a job of this queue does, look for a circle first."""
        task = asyncio.current_task()
        mine = self._running.get(task) if task is not None else None
        if mine is None:
            await future
            return
        mine._blocked = (future, other)
        try:
            if mine in self._stuck():
                what = (
                    "room in its own queue"
                    if other is None
                    else "itself"
                    if other is mine
                    else f"job {other.number} ({other.label}) of its own queue"
                )
                raise WouldDeadlockError(
                    f"job {mine.number} ({mine.label}) would wait for ever for {what}: "
                    f"every one of the {self._workers} workers is taken by a job that "
                    "waits like this; use more workers, a greater maxsize, or put "
                    "follow-up jobs from outside the jobs"
                    if other is not mine
                    else f"job {mine.number} ({mine.label}) would wait for itself"
                )
            await future
        finally:
            mine._blocked = None

    def _stuck(self) -> set[Ticket[Any]]:
        """The running jobs that can never go on unless one of them is cancelled.

        Every job that waits for this queue is a suspect; a suspect is cleared as soon
        as what it waits for can happen without the help of another suspect.
        """
        needs: dict[Ticket[Any], Ticket[Any] | None] = {}
        for ticket in self._running.values():
            if ticket._blocked is not None and not ticket._blocked[0].done():
                needs[ticket] = ticket._blocked[1]
        while True:
            worker_to_come = bool(self._free) or len(needs) < len(self._running)
            cleared = [
                ticket
                for ticket, other in needs.items()
                if (
                    other not in needs
                    if other is not None and other._state == "running"
                    else worker_to_come
                )
            ]
            if not cleared:
                return set(needs)
            for ticket in cleared:
                del needs[ticket]

    # The block

    async def __aenter__(self) -> JobQueue:
        """Open the queue.  Does not yield to the loop.

        Raises:
            RuntimeError: the queue was entered before, or not inside a task.
        """
        if self._loop is not None:
            raise RuntimeError(
                "a job queue can be entered once: make a new JobQueue() for each block"
            )
        parent = asyncio.current_task()
        if parent is None:
            raise RuntimeError("a job queue must be entered inside a task")
        self._loop = asyncio.get_running_loop()
        self._parent = parent
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for all jobs, then raise what went wrong.  See the class."""
        assert self._parent is not None and self._loop is not None
        self._exiting = True
        cancelled = exc if isinstance(exc, asyncio.CancelledError) else None
        if isinstance(exc, (SystemExit, KeyboardInterrupt)):
            self._base_error = self._base_error or exc
        if exc is not None and not self._aborting:
            self._abort()
        while self._running or self._waiting or self._putters:
            self._drained = self._loop.create_future()
            try:
                await self._drained
            except asyncio.CancelledError as error:
                if not self._aborting:
                    cancelled = error
                    self._abort()
        self._over = True
        try:
            if self._base_error is not None:
                raise self._base_error
            if self._parent_cancel_requested and self._parent.uncancel() == 0:
                cancelled = None  # ours, not somebody else's
            if cancelled is not None and not self._errors:
                raise cancelled
            errors = list(self._errors)
            if exc is not None and not isinstance(exc, asyncio.CancelledError):
                errors.append(exc)
            if errors:
                if self._parent.cancelling():
                    # Cancelled from outside as well: the group goes first, the
                    # cancellation strikes at the next await.
                    self._parent.uncancel()
                    self._parent.cancel()
                raise BaseExceptionGroup("unhandled errors in a JobQueue", errors)
        finally:
            # Break reference cycles through the traceback.
            del exc, cancelled
            self._parent = self._base_error = None
            self._errors = []


def _count(value: int, what: str, reason: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"{what} must be a whole number, not {value!r} ({type(value).__name__})"
        )
    if value < 1:
        raise ValueError(f"{what} must be 1 or more, not {value}: {reason}")
    return value


def _check_job(job: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The label of a job that can be put, or TypeError."""
    if inspect.iscoroutine(job):
        if args or kwargs:
            raise TypeError(
                "a coroutine object takes no arguments: put(job, x) with the async "
                "function itself, or put(job(x))"
            )
        if inspect.getcoroutinestate(job) != inspect.CORO_CREATED:
            raise TypeError(
                f"{job.__qualname__} has been started already: put the async function "
                "or a fresh coroutine"
            )
        return job.__qualname__
    if isinstance(job, Awaitable):
        raise TypeError(
            f"a {type(job).__name__} cannot be put: it is under way already and a "
            "queue cannot hold it back; put the async function and its arguments"
        )
    if not callable(job):
        raise TypeError(
            f"a job must be an async function, not {job!r} ({type(job).__name__})"
        )
    function: object = job
    while isinstance(function, functools.partial):
        function = function.func
    label = getattr(function, "__qualname__", None)
    return label if isinstance(label, str) else type(function).__qualname__
