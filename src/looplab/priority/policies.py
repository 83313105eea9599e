"""What a priority loop serves first."""

from __future__ import annotations

import math
import time
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from looplab._numbers import seconds_of
from looplab.priority.context import DEADLINE, PRIORITY, Urgency
from looplab.priority.ready import KeyOf

__all__ = ["ByDeadline", "ByPriority", "Policy", "check_policy"]


def _deadline_of(context: Context, level: int) -> float:
    """The key by which the earliest deadline goes first."""
    own = context.get(DEADLINE, math.inf)
    value = context.get(PRIORITY)
    return min(own, value.deadline) if isinstance(value, Urgency) else own


@dataclass(frozen=True, slots=True)
class ByPriority:
    """Serve the highest priority first, first in first out among equals.

    Args:
        ageing: seconds after which a callback that waits counts as one priority higher;
            ``None`` for never.  With it the lowest priority is served in the end even
            if higher ones never stop.  Too short a time takes the meaning out of
            priorities.

    Raises:
        TypeError: *ageing* is not a number.
        ValueError: *ageing* is not above 0 or not finite.

    Introduced in the chapter *Put the lease first*.
    """

    ageing: float | None = None

    def __post_init__(self) -> None:
        if self.ageing is not None:
            seconds_of(self.ageing, "ageing", above=True, none="never")

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.ageing is None:
            return "the priority loop"
        return f"the priority loop, ageing {self.ageing:g} s"

    def _key_of(self, loop: Any) -> KeyOf | None:
        """How the loop's queue orders.

        A callback gains a level in so many seconds of waiting: of two that wait, the
        one that was ready first loses its lead by one level in that time.  So the order
        of the two never changes while they wait, and a key that stands still does.  It
        is in whole nanoseconds, which have no rounding.
        """
        if self.ageing is None:
            return None
        now_ns = getattr(loop, "time_ns", time.monotonic_ns)
        level_ns = round(self.ageing * 1e9)
        return lambda context, level: now_ns() - level * level_ns


@dataclass(frozen=True, slots=True)
class ByDeadline:
    """Serve the earliest deadline first, see :func:`looplab.priority.deadline`.

    Code without a deadline comes last.  Priorities are not looked at.

    Introduced in the chapter *Put the lease first*.
    """

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "the loop, earliest deadline first"

    def _key_of(self, loop: Any) -> KeyOf | None:
        return _deadline_of


Policy = ByPriority | ByDeadline


def check_policy(policy: object) -> Policy:
    if policy is None:
        return ByPriority()
    if isinstance(policy, (ByPriority, ByDeadline)):
        return policy
    raise TypeError(
        f"policy is {policy!r:.60}: give ByPriority(), ByPriority(ageing=10) or "
        "ByDeadline()"
    )
