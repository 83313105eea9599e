"""What decides who has the thread next: the loop, a protocol, a window, a pool."""

from __future__ import annotations

import asyncio
import math
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Awaitable, Callable
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

__all__ = ["Machine", "ThreadPool", "resolve"]


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
        size = "any number of" if self.threads is None else self.threads
        more = f" and one more every {self.grow_every} s" if self.grow_every else ""
        return f"a pool of {size} threads{more}"


# -- what a consumer does with the thread --------------------------------------------


@dataclass
class Machine:
    """The tasks share the thread of the loop; *turns*, if any, says who is next.

    Attributes:
        turns: an object with an async method ``turn(priority)``, or ``None``.
        opening: whether receiving begins with a yield.
        wait: waits so many seconds without the thread.
        block: keeps the thread for so many seconds.
        threads: the most threads that were busy at once, where that is counted.
    """

    turns: Any = None
    opening: bool = True
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    block: Callable[[float], None] = burn
    threads: int | None = None

    async def enter(self, priority: int) -> None:
        """Wait for the thread."""
        if self.turns is not None:
            await self.turns.turn(priority)

    async def compute(self, seconds: float) -> None:
        """Keep the thread for *seconds*."""
        self.block(seconds)

    def leave(self) -> None:
        """Give the thread back: the next thing is a wait."""


def _in_window(window: Window, late: float, seed: int) -> Machine:
    """The tasks share the thread of a window, which is modelled."""
    turns, timers = window.turns, TickingTimers(window, late, seed)
    turns = turns() if isinstance(turns, type) else turns
    return Machine(turns, window.opening, timers.wait, timers.block)


class _PoolMachine(Machine):
    """The tasks share a pool of threads that are modelled."""

    threads: int

    def __init__(self, pool: ThreadPool, late: float, seed: int) -> None:
        timers = TickingTimers(Window(tick=pool.tick), late, seed)
        super().__init__(wait=timers.wait, threads=0)
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


def resolve(
    scheduler: Any,
    clock: Clock,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
) -> tuple[str, Machine, Callable[[], AbstractEventLoop] | None]:
    """What a run needs of *scheduler*.  A model needs the virtual clock.

    Returns:
        Its name in words; what the tasks ask for the thread; and what makes the loop,
        ``None`` for asyncio's own.
    """
    if isinstance(scheduler, type):
        scheduler = scheduler()
    name = getattr(scheduler, "name", type(scheduler).__name__)
    if scheduler is None:
        name = "first come first served"
    if isinstance(scheduler, (ThreadPool, Window)):
        # Its own timers have the jitter.
        model = _in_window if isinstance(scheduler, Window) else _PoolMachine
        loop = partial(VirtualTimeLoop, callback_cost=callback_cost)
        return name, model(scheduler, jitter, seed), loop  # type: ignore[arg-type]
    policy = scheduler if isinstance(scheduler, (ByPriority, ByDeadline)) else None
    machine = Machine(None if policy else scheduler)
    if clock == "real":
        real = partial(PriorityEventLoop, policy=policy) if policy else None
        return name, machine, real
    kind = partial(VirtualPriorityLoop, policy) if policy else VirtualTimeLoop
    options: Any = {"jitter": jitter, "seed": seed, "callback_cost": callback_cost}
    return name, machine, partial(kind, **options)
