"""What a job queue knows of itself, and what a reader may ask it."""

from __future__ import annotations

import asyncio
from collections import deque
from heapq import heapify
from typing import Any

from looplab._numbers import count_of
from looplab.jobs.outcomes import Outcomes, State
from looplab.jobs.ticket import Ticket

__all__ = ["QueueState"]


class QueueState:
    """The state of a :class:`looplab.jobs.JobQueue`, which explains the settings."""

    def __init__(
        self,
        workers: int = 4,
        maxsize: int = 1,
        *,
        fail_fast: bool = True,
        keep: bool = True,
        name: str = "worker",
    ) -> None:
        self._workers = count_of(workers, "workers")
        self._maxsize = count_of(
            maxsize,
            "maxsize",
            why="a queue without a bound takes jobs faster than they are done and "
            "nobody notices until memory is gone",
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
            f"<{type(self).__name__} workers={self._workers} maxsize={self._maxsize} "
            f"{state}, {self.outcomes!r}>"
        )
