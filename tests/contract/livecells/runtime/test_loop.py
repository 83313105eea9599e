"""The loop of a page: CPython's, run in pieces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from livecells.runtime.loop import Driver


@pytest.fixture
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.loop.close()


def test_work_runs_to_its_end_in_one_piece(driver: Driver) -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return "ok"

    driver.begin(work())
    assert driver.result is None
    driver.step()
    assert driver.result == "ok"


def test_a_long_wait_gives_the_thread_back(driver: Driver) -> None:
    over = asyncio.Event()

    async def work() -> str:
        late = driver.loop.call_later(300, over.set)
        await over.wait()
        late.cancel()
        return "ok"

    driver.begin(work())
    assert 150 < driver.step() <= 300 and driver.result is None
    driver.loop.call_later(0.3, over.set)
    while driver.result is None:
        time.sleep(max(0.0, driver.step()))
    assert driver.result == "ok"


def test_what_is_left_behind_goes_on(driver: Driver) -> None:
    seen = []

    async def later() -> None:
        await asyncio.sleep(0.05)
        seen.append("ran")

    async def work() -> str:
        driver.kept = asyncio.ensure_future(later())  # type: ignore[attr-defined]
        return "ok"

    driver.begin(work())
    driver.step()
    assert driver.result == "ok" and not seen
    while not seen:
        time.sleep(min(0.05, driver.step()))


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
