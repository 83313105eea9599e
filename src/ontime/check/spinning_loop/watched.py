"""A loop that knows what was called from another thread, and how."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from looplab.clock import VirtualTimeLoop
from ontime.check.tools import simulate

__all__ = ["STEPS", "WatchedLoop", "simulate_watched", "watched_loop"]

T = TypeVar("T")

_COST = 0.000_010  # seconds of CPU of a callback

STEPS = 400_000


class WatchedLoop(VirtualTimeLoop):
    """Knows what was handed over as from another thread, and what was not."""

    outside = False  # whether a caller in "another thread" runs
    handed_over = 0
    careless = ""

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        if self.outside:
            self.careless = "call_soon()"
        return super().call_soon(callback, *args, context=context)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        self.handed_over += 1
        outside, self.outside = self.outside, False
        try:
            return super().call_soon(callback, *args, context=context)
        finally:
            self.outside = outside

    @contextmanager
    def another_thread(self) -> Iterator[None]:
        self.outside = True
        try:
            yield
        finally:
            self.outside = False


def simulate_watched(main: Coroutine[Any, Any, T], cost: float = _COST) -> T:
    """Run one scenario; callbacks cost CPU, so that a poll moves the clock."""
    return simulate(main, callback_cost=cost, max_steps=STEPS, new_loop=WatchedLoop)


def watched_loop() -> WatchedLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, WatchedLoop)
    return loop
