"""What decides who has the thread next: the loop, a protocol, a window, a pool."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from looplab.clock import VirtualTimeLoop, burn
from looplab.clock.running import Clock
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    VirtualPriorityLoop,
)
from ontime.leases.window import TickingTimers, Window

__all__ = ["Machine", "Scheduling", "ThreadPool", "resolve"]

NewLoop = Callable[[], asyncio.AbstractEventLoop]


@dataclass(frozen=True, slots=True)
class ThreadPool:
    """A model of a thread pool in which "computing" is a thread that sleeps.

    Such threads never compete for a core, so a pool of a hundred computes a hundred
    times as fast as one thread.  Whatever goes on after a wait needs a thread, first
    come first served, and keeps it until its next wait.

    Args:
        threads: how many threads there are at the start; ``None`` for any number.
        grow_every: seconds after which one more thread is made, if work waits for one;
            ``None`` for never.
        tick: seconds between two ticks of the system's clock, see
            :class:`ontime.leases.Window`; ``None`` for a clock that is exact.

    Introduced in the chapter *Put the lease first*.
    """

    threads: int | None = None
    grow_every: float | None = None
    tick: float | None = None

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.threads is None:
            return "a pool of any number of threads"
        threads = "1 thread" if self.threads == 1 else f"{self.threads:,} threads"
        if self.grow_every is None:
            return f"a pool of {threads}"
        return f"a pool of {threads} and one more every {self.grow_every:g} s"


# -- what a consumer does with the thread --------------------------------------------


class Machine:
    """The tasks share the thread of the loop; *turns*, if any, says who is next.

    Attributes:
        turns: an object with an async method ``turn(priority)``, or ``None``.
        threads: the most threads that were busy at once, where that is counted.
        opening: whether receiving begins with a yield.
    """

    threads: int | None = None
    opening = True

    def __init__(self, turns: Any = None) -> None:
        self.turns = turns

    @property
    def yields(self) -> int | None:
        """How often its tasks have yielded so far, if that is counted."""
        return getattr(self.turns, "yields", None)

    async def wait(self, seconds: float) -> None:
        """Wait without the thread."""
        await asyncio.sleep(seconds)

    async def enter(self, priority: int) -> None:
        """Wait for the thread."""
        if self.turns is not None:
            await self.turns.turn(priority)

    async def compute(self, seconds: float) -> None:
        """Keep the thread for *seconds*."""
        burn(seconds)

    def leave(self) -> None:
        """Give the thread back: the next thing is a wait."""


class WindowMachine(Machine):
    """The tasks share the thread of a window, which is modelled."""

    def __init__(self, window: Window, late: float, seed: int) -> None:
        turns = window.turns
        super().__init__(turns() if isinstance(turns, type) else turns)
        self.opening = window.opening
        timers = TickingTimers(
            window.tick,
            whole_ms=window.whole_ms,
            late=late,
            seed=seed,
            look=window.look,
            future=window.future,
        )
        self._block = timers.block
        self.wait = timers.wait  # type: ignore[method-assign]

    async def compute(self, seconds: float) -> None:
        self._block(seconds)


class PoolMachine(Machine):
    """The tasks share a pool of threads that are modelled."""

    def __init__(self, pool: ThreadPool, late: float, seed: int) -> None:
        super().__init__()
        self.threads: int = 0
        timers = TickingTimers(pool.tick, late=late, seed=seed)
        self.wait = timers.wait  # type: ignore[method-assign]
        self.compute = timers.asleep  # type: ignore[method-assign]
        self._size = math.inf if pool.threads is None else pool.threads
        self._grow_every = pool.grow_every
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._growing = False

    async def enter(self, priority: int) -> None:
        thread = asyncio.get_running_loop().create_future()
        self._waiting.append(thread)
        self._hand_over()
        if not thread.done():
            self._grow_later()
            await thread

    def leave(self) -> None:
        self._busy -= 1
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting and self._busy < self._size:
            self._busy += 1
            self.threads = max(self.threads, self._busy)
            self._waiting.popleft().set_result(None)

    def _grow_later(self) -> None:
        if self._waiting and not self._growing and self._grow_every is not None:
            self._growing = True
            asyncio.get_running_loop().call_later(self._grow_every, self._grow)

    def _grow(self) -> None:
        self._growing = False
        if self._waiting:
            self._size += 1
            self._hand_over()
            self._grow_later()


# -- from what a caller gives to what a run needs ------------------------------------


@dataclass(frozen=True, slots=True)
class Scheduling:
    """What a run needs of a scheduler.

    Attributes:
        name: the scheduler's, in words.
        machine: what the tasks ask for the thread.
        new_loop: makes the loop; ``None`` for asyncio's own.
    """

    name: str
    machine: Machine
    new_loop: NewLoop | None


def resolve(
    scheduler: Any,
    clock: Clock,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
) -> Scheduling:
    """Return what a run needs of *scheduler*.

    Raises:
        TypeError: it is no scheduler.
        ValueError: it is a model, and the clock is real.
    """
    if scheduler is PriorityEventLoop or scheduler is VirtualPriorityLoop:
        scheduler = ByPriority()
    elif isinstance(scheduler, type):
        scheduler = scheduler()
    virtual = clock == "virtual"
    options: dict[str, Any] = {
        "jitter": jitter,
        "seed": seed,
        "callback_cost": callback_cost,
    }
    name = getattr(scheduler, "name", type(scheduler).__name__)
    machine = Machine()
    loop: NewLoop | None = partial(VirtualTimeLoop, **options) if virtual else None
    if isinstance(scheduler, (ThreadPool, Window)):
        if not virtual:
            raise ValueError(
                f"a {type(scheduler).__name__} is a model for the virtual clock: leave "
                "clock out"
            )
        if isinstance(scheduler, Window):
            machine = WindowMachine(scheduler, jitter, seed)
        else:
            machine = PoolMachine(scheduler, jitter, seed)
        # Its own timers have the jitter.
        loop = partial(VirtualTimeLoop, callback_cost=callback_cost)
    elif isinstance(scheduler, (ByPriority, ByDeadline)):
        loop = partial(PriorityEventLoop, policy=scheduler)
        if virtual:
            loop = partial(VirtualPriorityLoop, scheduler, **options)
    elif callable(getattr(scheduler, "turn", None)):
        machine = Machine(scheduler)
    elif scheduler is None:
        name = "first come first served"
    else:
        raise TypeError(
            f"{scheduler!r:.60} is no scheduler: give None, a Window, a ThreadPool, or "
            "an object of looplab.priority"
        )
    return Scheduling(name, machine, loop)
