"""Helpers of the tests of the tracer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, burn
from looplab.trace import LoopTracer, Trace
from tests.fast.looplab.clock.random_programs import StockLoop

MS = 1_000_000
TIMER = "_set_result_unless_cancelled"

both_loops = pytest.mark.parametrize(
    "new_loop", [VirtualTimeLoop, StockLoop], ids=["virtual", "stock"]
)


def nothing(*_: object) -> None: ...


def bare(label: str) -> str:
    return label.rpartition("<locals>.")[2]


def rows(trace: Trace) -> list[tuple[int, int | None, int, int, str | None, str]]:
    return [
        (r.ready_ns, r.due_ns, r.run_ns, r.ended_ns, r.task, bare(r.label))
        for r in trace
    ]


async def small_program() -> None:
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[int] = asyncio.Queue(1)

    async def producer() -> None:
        for i in range(3):
            await queue.put(i)
            await asyncio.sleep(0)

    async def consumer() -> None:
        for _ in range(3):
            await queue.get()
            burn(0.002)

    loop.call_soon(partial(nothing, 1))
    loop.call_soon(nothing).cancel()
    async with asyncio.TaskGroup() as group:
        group.create_task(producer(), name="producer")
        group.create_task(consumer(), name="consumer")
    # Set last and due in this order, so that a slow machine runs them in this order.
    loop.call_later(0.1, partial(partial(nothing, 1), 2))
    await asyncio.sleep(0.3)


async def small_storm() -> str:
    async def heartbeat() -> None:
        while True:
            await asyncio.sleep(1)

    async def job() -> None:
        burn(0.5)

    beat = asyncio.create_task(heartbeat(), name="heartbeat")
    await asyncio.sleep(0.75)
    for number in range(3):
        asyncio.create_task(job(), name=f"job-{number}")
    await asyncio.sleep(2)
    beat.cancel()
    return "done"


async def both() -> None:
    """A sleep of 25 ms beside a task that computes for 10 ms in each iteration."""

    async def sleeper() -> None:
        await asyncio.sleep(0.025)

    async def busy() -> None:
        for _ in range(6):
            burn(0.010)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(sleeper(), name="sleeper")
        tasks.create_task(busy(), name="busy")


async def closed_as_it_is_noticed() -> None:
    """A timeout is due as what it guards ends: both are noticed at one look."""

    async def guarded(event: asyncio.Event) -> None:
        async with asyncio.timeout(0.025):
            await event.wait()

    event = asyncio.Event()
    task = asyncio.create_task(guarded(event), name="guarded")
    await asyncio.sleep(0)
    event.set()
    burn(0.030)
    await task


def traced(new_loop: Any, main: Any) -> Trace:
    """What a loop runs from the first line of ``main()`` to the last."""

    async def program() -> Trace:
        with LoopTracer() as tracer:
            await main()
        return tracer.trace

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(program())
