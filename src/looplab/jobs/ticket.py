"""One job: what was put into the queue, and a handle on what becomes of it."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Generic, Protocol, TypeVar, cast

from looplab.jobs.outcomes import JobNotDoneError, State

__all__ = ["Ticket", "label_of"]

T = TypeVar("T")


class Queue(Protocol):
    """What a ticket asks of its queue."""

    def _drop(self, ticket: Ticket[Any]) -> None: ...
    async def _wait_for(self, ticket: Ticket[Any]) -> None: ...


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
        queue: Queue,
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


def label_of(job: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the label of a job that can be put.

    Raises:
        TypeError: it cannot be put.
    """
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
