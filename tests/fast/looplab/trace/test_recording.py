"""record(), and a limit of records."""

from __future__ import annotations

import asyncio
import gc

import pytest

from looplab.clock import VirtualTimeLoop, burn, run
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer, Trace, record
from tests.fast.looplab.trace.helpers import (
    rows,
    small_program,
)


@pytest.mark.filterwarnings("error")
def test_wrong_arguments() -> None:
    async def main() -> None: ...

    with pytest.raises(TypeError, match=r"call it: record\(main\(\)\)"):
        record(main)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"record\(\) takes a coroutine, not this int"):
        record(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"clock is 'atomic': give \"virtual\""):
        record(main(), clock="atomic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit is -1"):
        record(main(), limit=-1)
    gc.collect()  # a coroutine that was never awaited would warn here


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
        (one.task, one.ready_at, one.due_at, one.run_at, one.ended_at)
        for one in trace
        if one.task in ("low", "high")
    ] == [
        # Both were ready at once; the second to join overtook the first.
        ("high", 0, None, 0, 0.25),
        ("low", 0, None, 0.25, 0.75),
        ("high", 1.25, 1.25, 1.25, 1.5),
        ("low", 1.75, 1.75, 1.75, 2.25),
    ]
    timers = trace.filter(label="_set_result_unless_cancelled")
    assert [(one.ready_at, one.due_at, one.run_at) for one in timers] == [
        (1.25, 1.25, 1.25),
        (1.75, 1.75, 1.75),
    ]


@pytest.mark.parametrize("attached", [True, False])
def test_a_priority_loop_and_the_stock_order_give_one_trace(attached: bool) -> None:
    """Without priorities and timers that meet, the order of the two loops is one."""

    def trace_on(loop: VirtualTimeLoop) -> Trace:
        async def inside() -> Trace:
            await asyncio.sleep(0.5)
            with LoopTracer(limit=40) as tracer:
                await small_program()
            return tracer.trace

        if attached:
            trace = run(inside(), loop_factory=lambda: loop)
        else:
            trace = record(small_program(), limit=40, loop_factory=lambda: loop)
        return trace

    stock, urgent = trace_on(VirtualTimeLoop()), trace_on(VirtualPriorityLoop())
    assert rows(urgent) == rows(stock)
    assert len(stock) > 5
