"""Random programs leave the same trace on the virtual-time loop as on three references.

Two are in :mod:`tests.fast.looplab.clock.random_programs`; the third is the stock loop
itself, in real time, for programs whose timers are far apart.

``ON_TIME_FULL=1`` in the environment tries many more programs, and new ones each time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from looplab.clock import VirtualTimeLoop

FULL = bool(os.environ.get("ON_TIME_FULL"))


# In real time

GAP = 0.02  # seconds between any two timers


@st.composite
def spaced_programs(draw: st.DrawFn) -> list[list[tuple[int, str]]]:
    """For each task the times at which it wakes, in GAPs, and what it does then."""
    wakes = draw(st.permutations(range(1, 13)))
    tasks: list[list[tuple[int, str]]] = [[] for _ in range(4)]
    for wake in sorted(wakes[: draw(st.integers(4, 12))]):
        task = draw(st.integers(0, 3))
        deed = draw(st.sampled_from(["note", "put", "get", "set", "wait", "cancel"]))
        tasks[task].append((wake, deed))
    return tasks


def order_of(
    new_loop: Callable[[], Any], program: list[list[tuple[int, str]]]
) -> tuple[list[str], float]:
    """Return the labels in order, and how late the latest timer was."""
    order: list[str] = []
    worst = 0.0

    async def main() -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        queue: asyncio.Queue[str] = asyncio.Queue()
        event = asyncio.Event()

        async def work(name: str, wakes: list[tuple[int, str]]) -> None:
            nonlocal worst
            for wake, deed in wakes:
                due = start + wake * GAP
                await asyncio.sleep(max(0.0, due - loop.time()))
                worst = max(worst, loop.time() - due)
                label = f"{name} {wake} {deed}"
                order.append(f"{label} begins")
                if deed == "put":
                    queue.put_nowait(label)
                elif deed == "get":
                    order.append(f"{label}: {await queue.get()}")
                elif deed == "set":
                    event.set()
                elif deed == "wait":
                    await event.wait()
                elif deed == "cancel":
                    tasks[0].cancel()
                order.append(f"{label} ends")

        tasks = [
            asyncio.create_task(work(f"task {i}", wakes))
            for i, wakes in enumerate(program)
        ]
        await asyncio.sleep(14 * GAP)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())
    return order, worst


def test_same_order_as_the_stock_loop_in_real_time() -> None:
    compared = 0

    @settings(
        max_examples=60 if FULL else 8,
        derandomize=not FULL,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(spaced_programs())
    def compare(program: list[list[tuple[int, str]]]) -> None:
        nonlocal compared
        virtual, _ = order_of(VirtualTimeLoop, program)
        for _ in range(5):
            real, worst = order_of(asyncio.SelectorEventLoop, program)
            if worst < GAP / 2:  # else the machine mixed up the timers, not the loop
                assert real == virtual
                compared += 1
                return

    compare()
    if not compared:
        pytest.skip(f"this machine delays every run by more than {GAP / 2} s")
