"""What exercise 08-judge says of a loop is what a loop does."""

from __future__ import annotations

import asyncio

import pytest

from looplab import Heartbeat, burn, elapsed, run
from ontime.check.your_program.judge import PROGRAMS, Program, tool_for

SECONDS = 1.0


async def on_a_loop(program: Program) -> tuple[float, float]:
    """The worst lateness beside its requests, and when the last one was answered."""

    async def request() -> None:
        burn(program.cpu)
        if program.driver:
            await asyncio.sleep(program.waits)
        else:
            burn(program.waits)

    async with Heartbeat(0.0137) as heart, asyncio.TaskGroup() as tasks:
        for number in range(round(program.rate * SECONDS)):
            await asyncio.sleep(max(0.0, number / program.rate - elapsed()))
            tasks.create_task(request())
    return heart.worst, elapsed()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_holds_what_it_is_chosen_for(name: str) -> None:
    program = PROGRAMS[name]
    late, ended = run(on_a_loop(program))
    kept_up = ended <= SECONDS + program.cpu + program.waits
    # One request at a time: a beat waits for no more than that.
    holds = kept_up and late <= program.bound + 1e-9
    assert holds == (tool_for(program) == "asyncio")
