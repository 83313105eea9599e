"""A loop that knows what was called from another thread, and how."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from looplab.clock import VirtualTimeLoop
from ontime.check.tools import simulate
from ontime.check.verdict import NotYet

__all__ = ["STEPS", "WatchedLoop", "simulate_watched", "watched_loop"]

T = TypeVar("T")

_COST = 0.000_010  # seconds of CPU of a callback

STEPS = 400_000

_PATIENCE = 0.5  # seconds of real time for another thread
_THREADS = sys.platform != "emscripten"  # a browser has one, and it would wait for ever


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
        asyncio._set_running_loop(None)  # no loop runs in that thread
        try:
            yield
        finally:
            asyncio._set_running_loop(self)
            self.outside = False


def simulate_watched(main: Coroutine[Any, Any, T], cost: float = _COST) -> T:
    """Run one scenario; callbacks cost CPU, so that a poll moves the clock."""

    async def never_blocked() -> T:
        with _refuse_to_block():
            return await main

    try:
        return simulate(
            never_blocked(), callback_cost=cost, max_steps=STEPS, new_loop=WatchedLoop
        )
    finally:
        main.close()


@contextmanager
def _refuse_to_block() -> Iterator[None]:
    """Say so if this thread, in which all others are simulated, waits for one.

    ``queue.Queue``, ``threading.Event`` and the futures of ``concurrent.futures`` all
    wait in a ``Condition``, and nobody would ever wake this thread.
    """
    thread, wait = threading.get_ident(), threading.Condition.wait

    def refuse(self: threading.Condition, timeout: float | None = None) -> bool:
        if threading.get_ident() != thread:
            return wait(self, timeout)
        # A thread that has just been started wakes whoever started it.
        patience = _PATIENCE if timeout is None else min(timeout, _PATIENCE)
        if _THREADS and wait(self, patience):
            return True
        loop = asyncio._get_running_loop()
        raise NotYet(
            "it blocks the thread of the loop: nothing else runs there meanwhile."
            if loop
            else "it holds up the thread that called it until the loop has answered.",
            "a loop waits with await only"
            if loop
            else "hand over what is to be done, and return at once",
        )

    threading.Condition.wait = refuse  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Condition.wait = wait  # type: ignore[method-assign]


def watched_loop() -> WatchedLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, WatchedLoop)
    return loop
