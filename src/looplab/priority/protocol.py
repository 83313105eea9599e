"""The published protocol: a task that wants to go on bids for its turn and yields."""

from __future__ import annotations

import asyncio
import math

from looplab._numbers import count_of
from looplab.priority.context import check_priority, current_priority

__all__ = ["PriorityProtocol"]


class PriorityProtocol:
    """Tasks agree on who is next by a shared bid, and yield until they win.

    The bid is a priority and the *cookie* of the task that made it.  After each of its
    waits a task calls :meth:`turn`.  There it raises the bid if the bid is lower than
    its own priority, and yields to the loop; when it comes back and the bid is still
    its own, it takes the bid off and goes on.

    As it stands (``settle=0``) the protocol is the published one.  On asyncio a timer
    that becomes due while a task computes needs three iterations of the loop until its
    own task can bid: it becomes ready after the iteration, sets a future at the end of
    the next one and wakes the task at the end of the one after.  In each of the two a
    less urgent task can win.  So an urgent task waits for up to three computations: the
    one that ran and two more.  With the published settings a lease bears just that, if
    the loop's own callbacks take no time at all; a microsecond for each of them, and
    timers that jitter, lose messages.

    With *settle* the winner has to be the highest bidder for that many more iterations
    before it goes on.  With 1 an urgent task waits for up to two computations, with 2
    for one, which is the least that an order without interruption can do.

    Every waiter yields in every iteration, so a turn costs as many yields as there are
    waiters: :attr:`yields` counts them.

    Args:
        settle: how many more times the winner yields before it goes on.

    Raises:
        TypeError: *settle* is not a whole number.
        ValueError: *settle* is negative.

    Introduced in the chapter *Put the lease first*.
    """

    def __init__(self, settle: int = 0) -> None:
        self._settle = check_settle(settle)
        self._bid: float = -math.inf
        self._cookie: object = None
        self._yields = 0

    @property
    def name(self) -> str:
        """What it is, in words."""
        if not self._settle:
            return "the protocol as it stands"
        return f"the protocol, settling {self._settle}"

    @property
    def yields(self) -> int:
        """How often a task has yielded in :meth:`turn`."""
        return self._yields

    def __repr__(self) -> str:
        return f"<{type(self).__name__} settle={self._settle}, {self._yields} yields>"

    async def turn(self, priority: int | None = None) -> None:
        """Wait until no task with a higher bid wants to go on.

        Always yields to the loop.  A task that is cancelled here takes back its bid.

        Args:
            priority: the greater the more urgent; :func:`current_priority` if not
                given.

        Raises:
            TypeError: *priority* is not a whole number.
        """
        mine = current_priority() if priority is None else check_priority(priority)
        cookie = object()
        held = 0
        try:
            while True:
                if self._cookie is cookie and self._bid == mine:
                    if held == self._settle:
                        break
                    held += 1
                elif self._bid < mine:
                    self._bid, self._cookie = mine, cookie
                    held = 0
                self._yields += 1
                # To yield until it wins is the technique itself, and what it costs.
                await asyncio.sleep(0)  # noqa: LAG201
        finally:
            if self._cookie is cookie:
                self._bid, self._cookie = -math.inf, None


def check_settle(value: object) -> int:
    """Return *value* if it is a number of iterations."""
    return count_of(value, "settle", least=0, kind="number of iterations")
