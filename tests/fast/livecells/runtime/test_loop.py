"""The loop of a page: CPython's, run in pieces."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from livecells.runtime import loop as loops
from livecells.runtime.loop import CellLoop, Driver


class Clock:
    """A clock that moves when somebody sleeps, as those sleeps say."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(loops, "time", SimpleNamespace(sleep=clock.sleep))
    monkeypatch.setattr(CellLoop, "time", lambda loop: clock.now)
    return clock


@pytest.fixture
def driver(clock: Clock) -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.loop.close()


def test_short_waits_are_slept_in_one_piece(driver: Driver, clock: Clock) -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0.02)
        return "ok"

    driver.begin(work())
    assert driver.result is None
    assert driver.step() == 0
    assert (driver.result, clock.now) == ("ok", 0.02)


def test_a_long_wait_gives_the_thread_back(driver: Driver, clock: Clock) -> None:
    over = asyncio.Event()

    async def work() -> str:
        late = driver.loop.call_later(300, over.set)
        await over.wait()
        late.cancel()
        return "ok"

    driver.begin(work())
    assert (driver.step(), driver.result, clock.now) == (300, None, 0)
    driver.loop.call_later(0.25, over.set)
    assert driver.step() == 0.25 and clock.now == 0
    clock.now = 0.24
    assert driver.step() == 0 and driver.result == "ok"
    assert clock.now == 0.25, "what is left was short"


def test_what_is_left_behind_goes_on(driver: Driver, clock: Clock) -> None:
    seen = []

    async def later() -> None:
        await asyncio.sleep(0.05)
        seen.append(clock.now)

    async def work() -> str:
        driver.kept = asyncio.ensure_future(later())  # type: ignore[attr-defined]
        return "ok"

    driver.begin(work())
    assert driver.step() == 0 and driver.result == "ok"
    assert driver.step() == 0.05 and not seen
    clock.now = 0.05
    assert driver.step() == math.inf and seen == [0.05]


def test_a_loop_that_nobody_drives_sleeps_itself(clock: Clock) -> None:
    loop = CellLoop()
    loop.run_until_complete(asyncio.sleep(7))
    loop.close()
    assert clock.now == 7


def test_a_task_that_leaves_does_not_end_the_loop(driver: Driver) -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def work() -> str:
        task = asyncio.ensure_future(leave())
        await asyncio.wait([task])
        # Asked for, or else its end is logged when the task is collected, in the middle
        # of another test; Python 3.11 cannot parse a traceback while it parses a cell.
        assert isinstance(task.exception(), SystemExit)
        return "ok"

    driver.begin(work())
    for _ in range(5):
        driver.step()
    assert driver.result == "ok"
