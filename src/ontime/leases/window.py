"""The thread of a desktop window, and the timers of the system below it.

The published experiments ran there.  Three things differ from asyncio:

* a timer *posts* what waits for it to the window's queue at the moment when it is due,
  also while the thread computes: one stage, where asyncio has three.  Asyncio's other
  two can be put in, each by itself: the loop *looks* at its timers between two
  iterations, and a timer resolves a *future*, which wakes the task;
* the system's clock ticks every 1/64 s, and no wait and no sleep ends between two
  ticks;
* a wait is counted in whole milliseconds of that clock, so one of 1,000 ms lasts 64
  ticks or 65, as it happens to begin.

A wait is timed by one thread for all: it sleeps until the first of them is due, counts
how many whole milliseconds the clock has moved, and fires those that have had theirs.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Generator
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from looplab._numbers import NS
from looplab.clock import burn, elapsed

__all__ = ["TickingTimers", "Window"]

_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Window:
    """A model of the thread of a desktop window.

    Args:
        turns: whom a task asks for its turn after each wait: an object with an async
            method ``turn(priority)``, or a class of such objects; ``None`` for nobody.
        tick: seconds between two ticks of the system's clock; ``None`` for a clock that
            is exact.
        whole_ms: whether waits are counted in whole milliseconds of that clock; if not,
            each ends at the next tick.
        look: whether a timer that is due waits until the loop looks at its timers,
            between two iterations, as on asyncio; if not, it posts at once.
        future: whether a timer resolves a future that wakes the task, as on asyncio; if
            not, it wakes the task itself.
        opening: whether receiving begins with a yield, as published.

    Introduced in the chapter *Put the lease first*.
    """

    turns: Any = None
    tick: float | None = 1 / 64
    whole_ms: bool = True
    look: bool = False
    future: bool = False
    opening: bool = True

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "a window" if self.turns is None else "a window with priorities"


class _Wait:
    """What a task waits for whose timer calls the wake-up of the task itself.

    A future calls it an iteration after it was resolved.  A task takes for a future
    whatever says that it blocks, as this does.

    Args:
        begin: called with the wait when the task has said how to wake it.
    """

    _asyncio_future_blocking = False
    wake_up: Callable[[_Wait], object]
    context: Context

    def __init__(self, begin: Callable[[_Wait], None]) -> None:
        self._begin = begin

    def __await__(self) -> Generator[_Wait, None, None]:
        self._asyncio_future_blocking = True
        yield self

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def add_done_callback(
        self, wake_up: Callable[[_Wait], object], *, context: Context
    ) -> None:
        self.wake_up, self.context = wake_up, context
        self._begin(self)

    def cancel(self, msg: object = None) -> bool:
        return False  # the task raises CancelledError when it is woken

    def result(self) -> None:
        return None

    def wake(self, post: Callable[..., object] | None = None) -> None:
        """Post the task's wake-up: to the window's queue, unless *post* is given."""
        post = post or asyncio.get_running_loop().call_soon
        post(self.wake_up, self, context=self.context)

    def resolve(self, post: Callable[..., object] | None = None) -> None:
        """Post what a future does when it is resolved: it posts the wake-up."""
        (post or asyncio.get_running_loop().call_soon)(self.wake)


class TickingTimers:
    """The waits of a system whose clock ticks; on the virtual clock only.

    Its timers are events of another thread, which happen at their moment also while
    this one computes: before whatever the running callback does after it.

    Args:
        window: whose timers they are.
        late: seconds; what waits for a timer is posted late by a random time from 0 to
            this.
        seed: of the lateness, and of where in a tick the run begins.
    """

    def __init__(self, window: Window, late: float = 0.0, seed: int = 0) -> None:
        self._tick = round((window.tick or 0) * NS)
        self._whole_ms = window.whole_ms and bool(self._tick)
        self._look, self._future = window.look, window.future
        self._random = random.Random(seed)
        self._late_ns = round(late * NS)
        # Whole milliseconds come round again with every eighth tick of 1/64 s.
        self._offset = self._random.randrange(8 * self._tick) if self._tick else 0
        # When, a number that keeps equal times in order, and what happens then.
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = count()
        self._waiting: list[tuple[int, int, _Wait]] = []
        self._wakes_at_ms: int | None = None
        self._wake_number = 0

    def _now(self) -> int:
        return _now_ns() + self._offset

    def _ms(self, at: int) -> int:
        """What the system's clock shows: the whole milliseconds of its last tick."""
        return at // self._tick * self._tick // _MS

    def _tick_after(self, at: int) -> int:
        return (at // self._tick + 1) * self._tick

    def _at(self, at_ns: int, act: Callable[..., None], *args: Any) -> None:
        """Let *act* be called at *at_ns* on the loop's clock."""
        heappush(self._events, (at_ns, next(self._numbers), lambda: act(*args)))
        # Moves the clock to it when nothing is ready.
        asyncio.get_running_loop().call_at(at_ns / NS, self._act_up_to, at_ns)

    def _act_up_to(self, now_ns: int) -> None:
        while self._events and self._events[0][0] <= now_ns:
            heappop(self._events)[-1]()

    # -- blocking --------------------------------------------------------------------

    def _asleep_until(self, seconds: float) -> int:
        """When a thread wakes that falls asleep now, in ns on the loop's clock.

        It takes a moment to fall asleep, so one that begins at a tick misses it.
        """
        end = self._now() + round(seconds * NS)
        if self._tick:
            end = self._tick_after(end)
        return end - self._offset

    def block(self, seconds: float) -> None:
        """Hold this thread asleep for *seconds*."""
        end_ns = self._asleep_until(seconds)
        while self._events and self._events[0][0] <= end_ns:
            _compute_to(self._events[0][0])
            self._act_up_to(_now_ns())
        _compute_to(end_ns)

    async def asleep(self, seconds: float) -> None:
        """Wait for a thread of its own that sleeps for *seconds*."""
        end_ns = self._asleep_until(seconds)
        await _Wait(partial(self._at, end_ns, _Wait.wake))

    # -- waiting ---------------------------------------------------------------------

    async def wait(self, seconds: float) -> None:
        """Wait for *seconds* without the thread."""
        await _Wait(partial(self._begin, seconds))

    def _begin(self, seconds: float, wait: _Wait) -> None:
        if self._whole_ms:
            self._count(round(seconds * 1000), wait)
            return
        due = self._now() + round(seconds * NS)
        if self._tick:
            due = self._tick_after(due - 1)
        self._post_at(due, wait)

    def _post_at(self, at: int, wait: _Wait) -> None:
        late = self._random.randrange(self._late_ns + 1) if self._late_ns else 0
        at_ns = max(0, at + late - self._offset)
        post = wait.resolve if self._future else wait.wake
        if self._look:
            post(partial(asyncio.get_running_loop().call_at, at_ns / NS))
        else:
            self._at(at_ns, post)

    # The thread that counts milliseconds.

    def _count(self, wait_ms: int, wait: _Wait) -> None:
        now = self._now()
        began_ms = self._ms(now)
        self._waiting.append((began_ms, wait_ms, wait))
        due_ms = began_ms + wait_ms
        if self._wakes_at_ms is None or due_ms < self._wakes_at_ms:
            self._sleep(due_ms, now)

    def _sleep(self, until_ms: int, now: int) -> None:
        self._wakes_at_ms = until_ms
        self._wake_number += 1
        wake = self._tick_after(now + (until_ms - self._ms(now)) * _MS)
        self._at(wake - self._offset, self._wake, self._wake_number, wake)

    def _wake(self, number: int, now: int) -> None:
        if number != self._wake_number:  # it sleeps until another moment meanwhile
            return
        now_ms = self._ms(now)
        assert self._wakes_at_ms is not None
        if now_ms < self._wakes_at_ms:
            self._sleep(self._wakes_at_ms, now)
            return
        waiting, self._waiting, self._wakes_at_ms = self._waiting, [], None
        for began_ms, wait_ms, wait in waiting:
            if now_ms - began_ms >= wait_ms:
                self._post_at(now, wait)
            else:
                self._waiting.append((began_ms, wait_ms, wait))
        if self._waiting:
            self._sleep(min(began + wait for began, wait, _ in self._waiting), now)


def _now_ns() -> int:
    return round(elapsed() * NS)


def _compute_to(at_ns: int) -> None:
    burn(max(0, at_ns - _now_ns()) / NS)
