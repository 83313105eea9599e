"""The queue: how jobs come in, start, end and fail."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast, overload

from looplab.jobs.deadlock import stuck, would_deadlock
from looplab.jobs.outcomes import JobQueueClosedError, State
from looplab.jobs.state import QueueState
from looplab.jobs.ticket import Ticket, label_of

__all__ = ["JobQueue"]

T = TypeVar("T")
P = ParamSpec("P")

# Iterations left free between the first steps of two jobs.  A timer that becomes due
# while a job computes becomes ready after it, resolves a future in the next iteration
# and wakes its task in the one after: with two free iterations that task runs before
# the next job, with one behind one more job, with none behind two.
_FREE_ITERATIONS = 2


class JobQueue(QueueState):
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

    Introduced in the chapter *Keep the heartbeat on time*.
    """

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
            label = label_of(job, args, kwargs)
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
            raise RuntimeError(
                "this ticket belongs to another event loop: await it on that one"
            )
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
            if mine in stuck(self._running.values(), bool(self._free)):
                raise would_deadlock(mine, other, self._workers)
            await future
        finally:
            mine._blocked = None

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
