"""A gate whose waiters are parked: one turn at a time, the most urgent first."""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush

from looplab.priority.context import check_priority, current_priority
from looplab.priority.protocol import check_settle

__all__ = ["PriorityGate"]

_SETTLE = 3


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

    def __init__(self, settle: int = _SETTLE) -> None:
        self._settle = check_settle(settle)
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._rest = 0
        self._loop: asyncio.AbstractEventLoop | None = None  # where a pump is scheduled
        self._yields = 0

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "the gate" if self._settle == _SETTLE else f"the gate, {self._settle}"

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
