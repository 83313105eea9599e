"""Times of the virtual clock: whole nanoseconds, made from seconds."""

from __future__ import annotations

import math

from looplab._numbers import NS
from looplab.clock.errors import TimeValueError

__all__ = ["NEVER", "from_now", "nanoseconds"]

_INF = math.inf
#: The time of a timer that never fires.  It compares with whole nanoseconds.
NEVER: int = _INF  # type: ignore[assignment]
_LONG_AGO: int = -_INF  # type: ignore[assignment]


def nanoseconds(seconds: float, what: str) -> int:
    """Return *seconds* as whole nanoseconds, rounded to the nearest."""
    try:
        if 0 <= seconds < _INF:
            return int(seconds * NS + 0.5)
    except TypeError:
        kind = type(seconds).__name__
        raise TypeError(f"{what} must be a number of seconds, not {kind}") from None
    except OverflowError:  # finite, but not as nanoseconds in a float
        return int(seconds) * NS
    fix = "give a finite number of seconds, 0 or more"
    raise TimeValueError(f"{what} is {seconds} s: {fix}")


def from_now(seconds: float, what: str) -> int:
    """Return a delay, or a time on the clock, as whole nanoseconds.

    As on the stock loop a time may have passed, and infinity is :data:`NEVER`.

    Raises:
        TimeValueError: if *seconds* is not a number.
    """
    try:
        if 0 <= seconds < _INF:
            return int(seconds * NS + 0.5)  # as in nanoseconds(); this is a hot path
        if seconds == _INF:
            return NEVER
        if seconds < 0:
            if seconds == -_INF:
                return _LONG_AGO
            return -nanoseconds(-seconds, what)
    except OverflowError:
        return nanoseconds(seconds, what)
    except TypeError:
        pass
    if isinstance(seconds, float):
        raise TimeValueError(f"{what} is {seconds} s: give a number of seconds")
    return nanoseconds(seconds, what)  # which says what is wrong with it
