"""Loops of other threads without a thread: they turn while the guard sleeps."""

from __future__ import annotations

import asyncio
from asyncio import events
from collections.abc import Coroutine
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.fast.looplab.clock.random_programs import StockLoop

__all__ = ["Elsewhere", "Machine"]

TURN = 0.001  # seconds that a turn takes


class Elsewhere(StockLoop):
    """A loop that runs, as far as others can see; a turn takes a millisecond."""

    _thread_id = 1
    running = True

    def __init__(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        super().__init__()
        self.task = self.create_task(work, name=name)

    def is_running(self) -> bool:
        return self.running

    def select(self, timeout: float | None) -> list[asyncio.Handle]:
        self.now += TURN
        return super().select(max(0.0, timeout - TURN) if timeout else timeout)

    def go_on(self, until: float) -> None:
        """Turn until that time, or sleep until then if there is nothing to do."""
        self.call_at(until, lambda: None)
        while self.now < until and self.running:
            events._set_running_loop(self)
            try:
                self._run_once()  # type: ignore[attr-defined]
            finally:
                events._set_running_loop(None)

    def end(self) -> None:
        if self.is_closed():
            return
        self.running = False
        events._set_running_loop(self)
        self.call_soon(lambda: None)
        self._run_once()  # type: ignore[attr-defined]  # the task may be new
        self.task.cancel()
        self.call_soon(lambda: None)
        self._run_once()  # type: ignore[attr-defined]
        events._set_running_loop(None)
        self._thread_id = None  # type: ignore[assignment]
        self.close()


class Machine:
    """A clock for modules that sleep, on which loops elsewhere turn meanwhile.

    Attributes:
        stands_still: how many seconds each of the next sleeps lasts too long, in which
            no loop turns either.
    """

    def __init__(self, patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        self.now = 0.0
        self.loops: list[Elsewhere] = []
        self.others: list[Any] = []  # loops that do not turn by this clock
        self.stands_still: list[float] = []
        clock = SimpleNamespace(sleep=self.sleep, perf_counter=lambda: self.now)
        for module in modules:
            patch.setattr(module, "time", clock)

    def loop(self, work: Coroutine[Any, Any, None], name: str = "work") -> Elsewhere:
        self.loops.append(Elsewhere(name, work))
        return self.loops[-1]

    def all_loops(self) -> list[Any]:
        return [*self.loops, *self.others]

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if seconds and self.stands_still and (still := self.stands_still.pop(0)):
            self.now += still
            for loop in self.loops:
                loop.now = self.now
            return
        for loop in self.loops:
            loop.go_on(self.now)

    def close(self) -> None:
        for loop in self.loops:
            loop.end()
