"""What a priority loop serves first."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from looplab._numbers import seconds_of
from looplab.clock.loop import VirtualTimeLoop
from looplab.priority.keyed import KeyedQueue, ageing, deadline_of
from looplab.priority.queue import ReadyQueue

__all__ = ["ByDeadline", "ByPriority", "Policy", "check_policy"]


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

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        if self.ageing is None:
            return plain(loop)
        now_ns = time.monotonic_ns
        if isinstance(loop, VirtualTimeLoop):
            now_ns = loop.time_ns
        return KeyedQueue(loop, ageing(now_ns, self.ageing))


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

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        return KeyedQueue(loop, deadline_of)


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
