"""The heartbeat: what it measures, what it refuses, how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import burn, run
from looplab.heartbeat import Heartbeat


def on_stock_loop(main: Any) -> Any:
    return asyncio.run(main)


BOTH: list[Callable[[Any], Any]] = [run, on_stock_loop]


# What it measures


def test_real_loop_measures_real_work() -> None:
    """A lower bound only: a loaded machine makes everything later, never earlier."""

    async def main() -> tuple[float, int]:
        async with Heartbeat(0.02) as heartbeat:
            await asyncio.sleep(0.05)
            burn(0.2)
            async with asyncio.timeout(300):
                while heartbeat.count < 2:
                    await asyncio.sleep(0.01)
        return heartbeat.worst, heartbeat.count

    worst, count = asyncio.run(main())
    assert worst >= 0.15
    assert count >= 2


def test_uvloop_is_read_through_a_fresh_clock() -> None:
    """uvloop's time() stands still within an iteration; the probe must not."""
    uvloop = pytest.importorskip("uvloop")

    async def main() -> float:
        async def job() -> None:
            burn(0.01)

        async with Heartbeat(0.05) as heartbeat:
            await asyncio.sleep(0.02)
            await asyncio.gather(*(job() for _ in range(20)))
            await asyncio.sleep(0.05)
        return heartbeat.worst

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main()) >= 0.1


def test_works_in_debug_mode() -> None:
    async def main() -> int:
        async with Heartbeat(0.01) as heartbeat:
            await asyncio.sleep(0.05)
        return heartbeat.count

    assert asyncio.run(main(), debug=True) >= 1


# Figures


# A monitor


# How it starts and ends


@pytest.mark.parametrize("runner", BOTH)
def test_probe_is_a_task_with_the_name_and_ends_with_the_block(
    runner: Callable[[Any], Any],
) -> None:
    async def main() -> None:
        async with Heartbeat(0.01, name="pulse") as heartbeat:
            await asyncio.sleep(0)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            assert [task.get_name() for task in others] == ["pulse"]
            assert heartbeat.running
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not heartbeat.running

    runner(main())


@pytest.mark.parametrize("runner", BOTH)
def test_probe_ends_when_the_body_raises(runner: Callable[[Any], Any]) -> None:
    async def main() -> None:
        with pytest.raises(KeyError):
            async with Heartbeat(0.01):
                await asyncio.sleep(0.02)
                raise KeyError("mine")
        assert asyncio.all_tasks() == {asyncio.current_task()}

    runner(main())


@pytest.mark.parametrize("runner", BOTH)
def test_probe_ends_when_the_body_is_cancelled(runner: Callable[[Any], Any]) -> None:
    async def body() -> None:
        async with Heartbeat(0.01):
            await asyncio.sleep(60)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(body(), 0.03)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    runner(main())


def test_probe_cancelled_by_the_end_of_the_loop() -> None:
    heartbeat = Heartbeat(0.01)

    async def main() -> None:
        heartbeat.start()

    asyncio.run(main())
    assert not heartbeat.running


# Beside a program that waits for ever
