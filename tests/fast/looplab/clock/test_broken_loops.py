"""Broken event loops do not leave the trace that random programs leave on right ones.

Each is broken in one way in which somebody might write a loop, or has.  A comparison
that none of them fails would prove nothing about the virtual loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings

from looplab.clock import VirtualTimeLoop
from tests.fast.looplab.clock.random_programs import (
    PROGRAMS,
    Model,
    trace_of,
)

# Broken virtual loops


class EqualTimersBackwards(VirtualTimeLoop):
    def _set_timer(self, *args: Any) -> asyncio.TimerHandle:
        timer = super()._set_timer(*args)
        for timers in self._timers.values():
            if timers[-1] is timer:
                timers.insert(0, timers.pop())
        return timer


class TimersBeforeReady(VirtualTimeLoop):
    class Queue(deque[Any]):
        def append(self, handle: Any) -> None:
            if isinstance(handle, asyncio.TimerHandle):
                self.appendleft(handle)
            else:
                super().append(handle)

    def __init__(self) -> None:
        super().__init__()
        self._ready = self.Queue()


class NewestTaskFirst(VirtualTimeLoop):
    def _next_number(self) -> int:
        return 1 << 20 - super()._next_number() % 20


class BurnsNothing(VirtualTimeLoop):
    def burn(self, seconds: float) -> None:
        pass


class JumpsWhileReady(VirtualTimeLoop):
    class Queue(deque[Any]):
        def __bool__(self) -> bool:
            return False

    def __init__(self) -> None:
        super().__init__()
        self._ready = self.Queue()

    def _jump(self) -> None:
        if self._due_heap or not len(self._ready):
            super()._jump()


class TimersInAnyIteration(VirtualTimeLoop):
    """Due timers run before the next callback, not before the next iteration."""

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_later(0, callback, *args, context=context)


@pytest.mark.parametrize(
    "broken",
    [
        EqualTimersBackwards,
        TimersBeforeReady,
        NewestTaskFirst,
        BurnsNothing,
        JumpsWhileReady,
        TimersInAnyIteration,
    ],
)
def test_a_broken_loop_is_caught(broken: Callable[[], Any]) -> None:
    """``find()`` raises if no program tells the broken loop from the model."""
    find(
        PROGRAMS,
        lambda program: trace_of(broken, program) != trace_of(Model, program),
        settings=settings(
            max_examples=2_000,
            derandomize=True,
            database=None,
            phases=[Phase.generate],  # one program is enough: no need of the shortest
            suppress_health_check=list(HealthCheck),
        ),
    )
