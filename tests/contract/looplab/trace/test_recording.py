"""record(), and a limit of records."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, run
from looplab.trace import LoopTracer, Trace, record
from tests.fast.looplab.trace.helpers import (
    both_clocks,
    rows,
    small_program,
    story,
)


@both_clocks
@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError])
def test_an_error_in_main_propagates(clock: Any, error: Any) -> None:
    async def main() -> None:
        await asyncio.sleep(0)
        raise error

    with pytest.raises(error):
        record(main(), clock=clock)


@both_clocks
def test_it_works_where_a_loop_runs_already(clock: Any) -> None:
    async def cell() -> Trace:
        return record(small_program(), clock=clock)

    assert story(asyncio.run(cell())) == story(record(small_program()))


@both_clocks
def test_a_limit_keeps_the_newest_and_counts_the_others(clock: Any) -> None:
    async def main() -> None:
        for _ in range(3000):
            await asyncio.sleep(0)
        await small_program()

    trace = record(main(), clock=clock, limit=20)
    whole = record(main(), clock=clock)
    assert (len(trace), len(trace) + trace.dropped) == (20, len(whole))
    assert story(trace) == story(whole[-20:])
    if clock == "virtual":
        assert rows(trace) == rows(whole[-20:])
    assert "dropped: 2" in repr(trace).replace(",", "")
    assert whole.dropped == 0
    assert "dropped" not in repr(whole)


def notes_of(method: Any) -> list[Any]:
    """The list to which a tracer's *method* appends."""
    held = [cell.cell_contents for cell in method.__func__.__closure__]
    held += [getattr(one, "__self__", None) for one in held]
    return next(one for one in held if isinstance(one, list))


def test_a_limit_bounds_the_memory() -> None:
    async def main() -> int:
        with LoopTracer(limit=10):
            loop: Any = asyncio.get_running_loop()
            virtual = isinstance(loop, VirtualTimeLoop)
            method = loop._tell_iteration if virtual else loop._ready.__bool__
            notes = notes_of(method)
            worst = 0
            for _ in range(5000):
                await asyncio.sleep(0)
                worst = max(worst, len(notes))
        return worst

    assert run(main()) < 2000
    assert asyncio.run(main()) < 2000
