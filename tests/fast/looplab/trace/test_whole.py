"""All of a run: the plain trace, and how each callback came about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from looplab import record
from looplab.clock import VirtualTimeLoop
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer, Origin, Record, Timer, Trace
from tests.fast.looplab.clock.random_programs import (
    PROGRAMS,
    Program,
    StockLoop,
    trace_of,
)
from tests.fast.looplab.trace.helpers import both, closed_as_it_is_noticed

MS = 1_000_000
UNIT = 1 / 512  # whole in nanoseconds and exact in the stock loop's floats
THOROUGH = settings(
    max_examples=40,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def recorded(
    new_loop: Callable[[], Any], program: Program, *whole: bool
) -> list[Trace]:
    """Run *program* on one loop that is recorded several times at once."""
    tracers: list[LoopTracer] = []

    def make() -> Any:
        loop = new_loop()
        tracers.extend(LoopTracer(loop, whole=each).__enter__() for each in whole)
        close = loop.close

        def detach_and_close() -> None:
            for tracer in reversed(tracers):
                tracer.__exit__(None, None, None)
            close()

        loop.close = detach_and_close
        return loop

    trace_of(make, program, UNIT)
    return [tracer.trace for tracer in tracers]


@THOROUGH
@given(PROGRAMS)
def test_the_records_are_those_of_the_plain_tracer(program: Program) -> None:
    plain, whole = recorded(VirtualTimeLoop, program, False, True)
    assert plain == whole
    assert plain.origins is None


@THOROUGH
@given(PROGRAMS)
def test_the_stock_loop_leaves_the_same_origins_and_timers(program: Program) -> None:
    (virtual,) = recorded(VirtualTimeLoop, program, True)
    (stock,) = recorded(StockLoop, program, True)
    assert [one.run_ns for one in virtual] == [one.run_ns for one in stock]
    assert virtual.origins == stock.origins
    assert virtual.timers == stock.timers


def test_one_sleep_touches_three_iterations() -> None:
    trace = record(both(), whole=True)
    assert trace.origins is not None
    (timer,) = trace.timers
    setter = 1  # the first step of the sleeper
    assert timer == Timer(0, setter, 25 * MS, None, None)
    noticed = next(i for i, o in enumerate(trace.origins) if o.timer == 0)
    woken = next(i for i, o in enumerate(trace.origins) if o.maker == noticed)
    due_in = next(
        origin.iteration
        for one, origin in zip(trace, trace.origins, strict=True)
        if one.run_ns <= timer.due_ns < one.ended_ns
    )
    assert trace.origins[noticed].iteration == due_in + 1
    assert trace.origins[woken].iteration == due_in + 2


def test_a_timer_that_is_cancelled_says_by_whom() -> None:
    async def main() -> None:
        async with asyncio.timeout(5):
            await asyncio.sleep(1)

    trace = record(main(), whole=True)
    by_due = {timer.due_ns: timer for timer in trace.timers}
    timeout = by_due[5_000 * MS]
    assert timeout.cancelled_ns == 1_000 * MS
    assert timeout.cancelled_by == len(trace) - 1
    assert by_due[1_000 * MS].cancelled_ns is None


def test_a_timer_that_is_cancelled_after_it_was_noticed_says_by_whom() -> None:
    trace = record(closed_as_it_is_noticed(), whole=True)
    (timer,) = trace.timers
    assert timer.due_ns == 25 * MS
    assert timer.cancelled_ns == 30 * MS
    assert timer.cancelled_by is not None
    assert trace[timer.cancelled_by].task == "guarded"


def test_a_priority_loop_notices_a_timer_between_two_callbacks() -> None:
    async def main() -> None:
        with priority(1):
            await asyncio.gather(both(), both())

    trace = record(main(), whole=True, loop_factory=VirtualPriorityLoop)
    assert record(main(), loop_factory=VirtualPriorityLoop) == trace
    assert trace.origins is not None
    noticed = next(i for i, o in enumerate(trace.origins) if o.timer is not None)
    maker = trace.origins[noticed].maker
    assert maker is not None, "it was noticed as a callback ended, amid an iteration"
    assert trace[maker].ended_ns == trace[noticed].ready_ns


def test_a_part_of_a_trace_has_no_origins() -> None:
    trace = record(both(), whole=True)
    assert trace[:3].origins is None
    assert trace.filter(task="sleeper").timers == ()


def test_the_loop_is_left_as_it_was() -> None:
    loop = VirtualTimeLoop()
    before = set(vars(loop))
    with LoopTracer(loop, whole=True):
        assert set(vars(loop)) != before
    assert set(vars(loop)) == before
    loop.close()


def test_origins_are_one_for_each_record() -> None:
    with pytest.raises(ValueError, match=r"2 origins for 1 .*give one for each"):
        Trace([Record(0, None, 0, 0, None, "f")], origins=[Origin(0, None, None)] * 2)


def test_a_limit_does_not_go_with_the_whole() -> None:
    with pytest.raises(ValueError, match=r"limit is 5.*one of the two"):
        record(both(), limit=5, whole=True)
