"""Times of the virtual clock: whole nanoseconds, made from seconds."""

from __future__ import annotations

import math

from looplab._numbers import NS
from looplab.clock.errors import TimeValueError

__all__ = ["nanoseconds"]

_INF = math.inf


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
    if seconds == _INF:
        fix = "to wait for ever, wait for an asyncio.Event that nobody sets"
    else:
        fix = "give a finite number of seconds, 0 or more"
    raise TimeValueError(f"{what} is {seconds} s: {fix}")
