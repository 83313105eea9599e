"""What becomes of a job, and the errors that say that it has no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["JobNotDoneError", "JobQueueClosedError", "Outcomes", "State"]

#: ``waiting`` and ``running`` are on the way; each job ends in one of the other four.
State = Literal["waiting", "running", "done", "failed", "cancelled", "never started"]


class JobQueueClosedError(RuntimeError):
    """A job was put into a queue that takes none: not entered, aborting or over."""


class JobNotDoneError(RuntimeError):
    """A result was asked of a job that has none: cancelled, not started, not ended."""


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
