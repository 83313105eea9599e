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
from hypothesis.strategies import SearchStrategy

from looplab.clock import VirtualTimeLoop
from tests.fast.looplab.clock.random_programs import (
    IO_PROGRAMS,
    PROGRAMS,
    Model,
    Program,
    StockLoop,
    trace_of,
    whole_ns,
)

# Broken models


class DueTimersInFront(Model):
    """Due timers go before the callbacks that are ready already."""

    def iteration(self) -> None:
        self.jump()
        self.ready = self.take_due() + self.ready
        self.run_batch()


class WhileReady(Model):
    """An iteration goes on with what its callbacks make ready."""

    def run_batch(self) -> None:
        while self.ready:
            self.run_one(self.ready.pop(0))


class TimersAfterEveryCallback(Model):
    """Timers are looked at between any two callbacks of an iteration."""

    def run_batch(self) -> None:
        batch, self.ready = self.ready, []
        while batch:
            self.run_one(batch.pop(0))
            batch += self.take_due()


class LastInFirstOut(Model):
    """The callback that became ready last runs first."""

    def run_batch(self) -> None:
        self.ready.reverse()
        super().run_batch()


class OneCallbackAnIteration(Model):
    """Timers are looked at after each callback, behind what is ready already."""

    def run_batch(self) -> None:
        if self.ready:
            self.run_one(self.ready.pop(0))


class CancelledTimerRuns(Model):
    """A timer that is due runs although it was cancelled."""

    def set_timer(self, due_ns: int, callback: Any, args: Any, context: Any) -> Any:
        timer = super().set_timer(due_ns, callback, args, context)
        own = self.timers.pop()
        self.timers.append((*own[:2], asyncio.TimerHandle(0, callback, args, self)))
        return timer


class TimeOfTheIteration(Model):
    """A timer counts from the beginning of its iteration, before the CPU work."""

    began_ns = 0

    def run_batch(self) -> None:
        self.began_ns = self.now_ns
        super().run_batch()

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        return self.set_timer(self.began_ns + whole_ns(delay), callback, args, context)


class TimersAnIterationLate(Model):
    """Due timers are found, but wait for the iteration after the next."""

    def iteration(self) -> None:
        self.jump()
        if self.ready:
            batch, self.ready = self.ready, self.take_due()
            for handle in batch:
                self.run_one(handle)
        else:
            self.ready = self.take_due()


class NoDelayIsSoon(Model):
    """A timer without a delay joins the ready queue at once."""

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        if not delay:
            return self.call_soon(callback, *args, context=context)
        return super().call_later(delay, callback, *args, context=context)


# Broken models that take input from outside


class TimersBeforeInput(Model):
    """Timers are looked at before the selector."""

    def iteration(self) -> None:
        self.jump()
        self.ready += self.take_due()
        self.ready += self.take_input()
        self.run_batch()


class InputOnlyWhenIdle(Model):
    """The selector is asked only when nothing else is left to run."""

    def take_input(self) -> list[asyncio.Handle]:
        return [] if self.ready else super().take_input()


class InputInFront(Model):
    """What has come from outside goes before the callbacks that are ready already."""

    def iteration(self) -> None:
        self.jump()
        self.ready = self.take_input() + self.ready + self.take_due()
        self.run_batch()


class InputAfterEveryCallback(Model):
    """The selector is asked between any two callbacks of an iteration."""

    def run_batch(self) -> None:
        batch, self.ready = self.ready, []
        while batch:
            self.run_one(batch.pop(0))
            batch += self.take_input()


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
        DueTimersInFront,
        WhileReady,
        TimersAfterEveryCallback,
        LastInFirstOut,
        OneCallbackAnIteration,
        CancelledTimerRuns,
        TimeOfTheIteration,
        TimersAnIterationLate,
        NoDelayIsSoon,
        EqualTimersBackwards,
        TimersBeforeReady,
        NewestTaskFirst,
        BurnsNothing,
        JumpsWhileReady,
        TimersInAnyIteration,
    ],
)
@pytest.mark.parametrize("reference", [Model, StockLoop])
def test_a_broken_loop_is_caught(
    broken: Callable[[], Any], reference: Callable[[], Any]
) -> None:
    find_difference(broken, reference, PROGRAMS)


@pytest.mark.parametrize(
    "broken",
    [TimersBeforeInput, InputOnlyWhenIdle, InputInFront, InputAfterEveryCallback],
)
@pytest.mark.parametrize("reference", [Model, StockLoop])
def test_a_loop_that_is_broken_in_its_input_is_caught(
    broken: Callable[[], Any], reference: Callable[[], Any]
) -> None:
    find_difference(broken, reference, IO_PROGRAMS)


def find_difference(
    broken: Callable[[], Any],
    reference: Callable[[], Any],
    programs: SearchStrategy[Program],
) -> None:
    """``find()`` raises if no program tells the broken loop from the reference."""
    unit = 1 / 512
    find(
        programs,
        lambda program: (
            trace_of(broken, program, unit) != trace_of(reference, program, unit)
        ),
        settings=settings(
            max_examples=2_000,
            derandomize=True,
            database=None,
            phases=[Phase.generate],  # one program is enough: no need of the shortest
            suppress_health_check=list(HealthCheck),
        ),
    )
