"""The errors that the virtual clock raises."""

from __future__ import annotations

__all__ = [
    "ClockError",
    "DeadlockError",
    "LivelockError",
    "OutsideCallError",
    "StepLimitError",
    "TimeValueError",
]


class ClockError(RuntimeError):
    """Base of the errors that the virtual clock raises."""


class DeadlockError(ClockError):
    """Nothing is ready and no timer is set: the loop would wait for ever."""


class LivelockError(ClockError):
    """The loop ran ``max_stalled`` iterations and its clock did not move."""


class StepLimitError(ClockError):
    """The loop ran ``max_steps`` callbacks and there is more to run."""


class OutsideCallError(ClockError, NotImplementedError):
    """A call would leave the clock: to a thread, a process, a socket or a signal."""


class TimeValueError(ClockError, ValueError):
    """A time is not a number, or a cost or a jitter is negative or infinite."""
