"""Helpers of the tests of the tracer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, burn
from looplab.trace import LoopTracer, Trace

MS = 1_000_000
TIMER = "_set_result_unless_cancelled"

both_clocks = pytest.mark.parametrize("clock", ["virtual", "real"])
both_loops = pytest.mark.parametrize(
    "new_loop", [VirtualTimeLoop, asyncio.SelectorEventLoop], ids=["virtual", "stock"]
)


def nothing(*_: object) -> None: ...


def bare(label: str) -> str:
    return label.rpartition("<locals>.")[2]


def rows(trace: Trace) -> list[tuple[int, int | None, int, int, str | None, str]]:
    return [
        (r.ready_ns, r.due_ns, r.run_ns, r.ended_ns, r.task, bare(r.label))
        for r in trace
    ]


def story(trace: Trace) -> list[tuple[bool, bool, str]]:
    """What ran, in order: has a task, was timed, label.

    Default task names count per process on the stock loop, so they are left out.
    """
    return [(r.task is not None, r.due_ns is not None, bare(r.label)) for r in trace]


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


def attach_amid_an_iteration(new_loop: Any) -> None:
    """Trace a part of a program, and see that it runs as it does untraced."""

    async def program(traced: bool) -> list[Any]:
        loop = asyncio.get_running_loop()
        seen: list[Any] = []

        async def tracing() -> None:
            seen.append("tracing")
            if traced:
                with LoopTracer():
                    await asyncio.sleep(0)
                    seen.append("inside")
            else:
                await asyncio.sleep(0)
                seen.append("inside")
            loop.call_soon(seen.append, "after")

        def add(name: str) -> None:
            seen.append(name)
            loop.call_soon(seen.append, f"{name}'s")

        loop.call_soon(add, "a")
        loop.call_soon(add, "b").cancel()
        task = asyncio.create_task(tracing())
        loop.call_soon(add, "c")
        loop.call_later(0, seen.append, "timer")
        loop.call_soon(add, "d")
        await task
        await asyncio.sleep(0.01)
        return seen

    with asyncio.Runner(loop_factory=new_loop) as runner:
        untraced = runner.run(program(False))
        assert runner.run(program(True)) == untraced
        assert len(untraced) == 10
