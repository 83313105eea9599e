"""Exact records on the virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from looplab.clock import VirtualTimeLoop, burn
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer, Trace, record
from tests.fast.looplab.clock.random_programs import (
    PROGRAMS,
    Program,
    StockLoop,
    trace_of,
)
from tests.fast.looplab.trace.helpers import (
    MS,
    TIMER,
    bare,
    nothing,
    rows,
    small_program,
    small_storm,
)

UNIT = 1 / 512  # whole in nanoseconds and exact in the stock loop's floats


def test_the_storm_is_exact() -> None:
    trace = record(small_storm())
    ms = [
        (ready // MS, None if due is None else due // MS, run_at // MS, end // MS, *who)
        for ready, due, run_at, end, *who in rows(trace)
    ]
    assert ms == [
        (0, None, 0, 0, "Task-1", "small_storm"),
        (0, None, 0, 0, "heartbeat", "heartbeat"),
        (750, 750, 750, 750, None, TIMER),
        (750, 750, 750, 750, "Task-1", "small_storm"),
        (750, None, 750, 1250, "job-0", "job"),
        (750, None, 1250, 1750, "job-1", "job"),
        (750, None, 1750, 2250, "job-2", "job"),
        (2250, 1000, 2250, 2250, None, TIMER),
        (2250, 1000, 2250, 2250, "heartbeat", "heartbeat"),
        (2750, 2750, 2750, 2750, None, TIMER),
        (2750, 2750, 2750, 2750, "Task-1", "small_storm"),
    ]
    assert trace.result == "done"
    assert trace.worst_lateness == 1.25
    assert (trace.busy, trace.idle, trace.duration) == (1.5, 1.25, 2.75)


def test_a_callback_cost_is_part_of_each_callback() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(nothing)
        loop.call_soon(nothing)
        await asyncio.sleep(0)

    trace = record(main(), callback_cost=0.001)
    assert [(r.ready_ns, r.run_ns, r.ended_ns) for r in trace] == [
        (0, 0, 1 * MS),
        (0, 1 * MS, 2 * MS),
        (0, 2 * MS, 3 * MS),
        (0, 3 * MS, 3 * MS),  # main ends the trace from inside
    ]


def test_jitter_is_lateness_not_a_later_due_time() -> None:
    async def main() -> None:
        for _ in range(20):
            await asyncio.sleep(1)

    trace = record(main(), jitter=0.001, seed=3).filter(label=TIMER)
    late = [r.lateness for r in trace]
    assert all(x is not None and 0 <= x <= 0.001 for x in late)
    assert len(set(late)) > 10
    assert all(r.queueing_delay == 0 for r in trace)


def test_the_due_time_is_carried_one_hop() -> None:
    async def main() -> None:
        flag = asyncio.Event()

        async def sleeper() -> None:
            await asyncio.sleep(1)
            flag.set()

        async def waiter() -> None:
            await flag.wait()

        await asyncio.gather(sleeper(), waiter())

    due = [(bare(r.label), r.due_at) for r in record(main())]
    assert due == [
        ("main", None),
        ("sleeper", None),
        ("waiter", None),
        (TIMER, 1.0),
        ("sleeper", 1.0),
        ("waiter", None),
        ("_done_callback", None),
        ("_done_callback", None),
        ("main", None),
    ]


def test_a_priority_loop_is_recorded_like_any_other() -> None:
    async def work(seconds: float) -> None:
        burn(seconds)
        await asyncio.sleep(1)
        burn(seconds)

    async def main() -> str:
        async with asyncio.TaskGroup() as tasks:
            with priority(1):
                tasks.create_task(work(0.5), name="low")
            with priority(3):
                tasks.create_task(work(0.25), name="high")
        return "done"

    trace = record(main(), loop_factory=VirtualPriorityLoop)
    assert trace.result == "done"
    assert [
        (r.task, r.ready_at, r.due_at, r.run_at, r.ended_at)
        for r in trace
        if r.task in ("low", "high")
    ] == [
        # Both were ready at once; the second to join overtook the first.
        ("high", 0, None, 0, 0.25),
        ("low", 0, None, 0.25, 0.75),
        ("high", 1.25, 1.25, 1.25, 1.5),
        ("low", 1.75, 1.75, 1.75, 2.25),
    ]
    # Without priorities and timers that meet, its order is that of any other loop.
    urgent = record(small_program(), loop_factory=VirtualPriorityLoop)
    assert rows(urgent) == rows(record(small_program()))
    assert len(urgent) > 5


def recorded(new_loop: Callable[[], Any], program: Program) -> Trace:
    """The trace of *program*, which closes its loop when it has ended."""
    tracers: list[LoopTracer] = []

    def make() -> Any:
        loop = new_loop()
        tracers.append(LoopTracer(loop).__enter__())
        close = loop.close

        def detach_and_close() -> None:
            tracers[0].__exit__(None, None, None)
            close()

        loop.close = detach_and_close
        return loop

    trace_of(make, program, UNIT)
    return tracers[0].trace


@settings(
    max_examples=80,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(PROGRAMS)
def test_the_stock_loop_leaves_the_same_trace(program: Program) -> None:
    """Two tracers that share no line, on random programs."""
    virtual, stock = recorded(VirtualTimeLoop, program), recorded(StockLoop, program)
    # But for the names of tasks, which the stock loop counts per process.
    unnamed = (
        [(*row[:4], row[5]) for row in rows(trace)] for trace in (virtual, stock)
    )
    assert next(unnamed) == next(unnamed)
    assert virtual.end_ns == stock.end_ns
