"""Two ways to ask for a turn on any loop: the published protocol, and a gate."""

from __future__ import annotations

import asyncio
import math
from heapq import heappop, heappush

from looplab._numbers import count_of
from looplab.priority.context import check_priority, current_priority

__all__ = ["PriorityGate", "PriorityProtocol"]


def _iterations(value: object) -> int:
    return count_of(value, "settle", least=0, kind="number of iterations")


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
        self._settle = _iterations(settle)
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


class PriorityGate:
    """Tasks park at the gate, and it lets through one at a time.

    After each of its waits a task calls :meth:`turn` and is parked on a future.  The
    gate keeps the futures in a heap and opens for the most urgent, first in first out
    among equals.  Between two openings it lets *settle* iterations of the loop pass, so
    that whoever became due meanwhile can reach the gate too.

    A turn costs O(log n) for n waiters and *settle* + 1 callbacks of the loop, however
    many wait.

    Args:
        settle: how many iterations pass between two openings.  With 3 a timer that
            became due while the last task computed has brought its own task to the
            gate.

    Raises:
        TypeError: *settle* is not a whole number.
        ValueError: *settle* is negative.

    Introduced in the chapter *Put the lease first*.
    """

    def __init__(self, settle: int = 3) -> None:
        self._settle = _iterations(settle)
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._rest = 0
        self._loop: asyncio.AbstractEventLoop | None = None  # where a pump is scheduled
        self._yields = 0

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "the gate" if self._settle == 3 else f"the gate, {self._settle}"

    @property
    def yields(self) -> int:
        """How many callbacks of the loop the gate has used."""
        return self._yields

    @property
    def waiting(self) -> int:
        """How many tasks are parked."""
        return sum(not parked.done() for _, _, parked in self._waiting)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} settle={self._settle}, {self.waiting} waiting>"

    async def turn(self, priority: int | None = None) -> None:
        """Wait until the gate opens for this task.

        Always yields to the loop.  A task that is cancelled here gives up its place.

        Args:
            priority: the greater the more urgent; :func:`current_priority` if not
                given.

        Raises:
            TypeError: *priority* is not a whole number.
            RuntimeError: tasks of another event loop are parked here.
        """
        mine = current_priority() if priority is None else check_priority(priority)
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and not self._loop.is_closed():
                raise RuntimeError(
                    "tasks of another event loop wait at this gate: make a gate for "
                    "each loop"
                )
            # A loop that was closed has taken its tasks with it.
            self._waiting.clear()
            self._loop = loop
            self._rest = self._settle
            loop.call_soon(self._pump)
        parked = loop.create_future()
        self._arrivals += 1
        heappush(self._waiting, (-mine, self._arrivals, parked))
        await parked

    def _pump(self) -> None:
        assert self._loop is not None
        self._yields += 1
        if self._rest:
            self._rest -= 1
        else:
            while self._waiting:
                parked = heappop(self._waiting)[2]
                if not parked.done():  # it is done if its task was cancelled
                    parked.set_result(None)
                    # The task's step comes before the next call of this one.
                    self._rest = self._settle
                    break
            else:
                self._loop = None
                return
        self._loop.call_soon(self._pump)
