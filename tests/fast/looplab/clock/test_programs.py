"""Random programs leave the same trace on the virtual-time loop as on asyncio's own."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from looplab.clock import VirtualTimeLoop
from tests.fast.looplab.clock.random_programs import (
    PROGRAMS,
    Program,
    StockLoop,
    trace_of,
)

THOROUGH = settings(
    max_examples=250,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@THOROUGH
@given(PROGRAMS)
def test_same_trace_as_the_stock_run_once(program: Program) -> None:
    unit = 1 / 512  # whole in nanoseconds and exact in the stock loop's floats
    assert trace_of(VirtualTimeLoop, program, unit) == trace_of(
        StockLoop, program, unit
    )


@THOROUGH
@given(PROGRAMS)
def test_same_trace_with_debug_mode(program: Program) -> None:
    def debugging() -> VirtualTimeLoop:
        loop = VirtualTimeLoop()
        loop.set_debug(True)
        loop.slow_callback_duration = 1e9
        return loop

    assert trace_of(debugging, program) == trace_of(VirtualTimeLoop, program)
