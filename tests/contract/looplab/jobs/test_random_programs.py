"""Random programs: every job is accounted for, on both loops alike."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.clock import run
from looplab.jobs import (
    JobQueue,
)


@settings(max_examples=50)
@given(
    yields=st.lists(st.integers(0, 6), max_size=12),
    fails_at=st.none() | st.integers(0, 11),
    workers=st.integers(1, 4),
    maxsize=st.integers(1, 3),
    fail_fast=st.booleans(),
)
def test_same_order_of_events_on_both_loops(
    yields: list[int],
    fails_at: int | None,
    workers: int,
    maxsize: int,
    fail_fast: bool,
) -> None:
    """Jobs that only yield never depend on the clock: both loops must agree exactly."""

    async def main() -> list[tuple[str, int]]:
        log: list[tuple[str, int]] = []

        async def work(number: int, turns: int) -> None:
            log.append(("start", number))
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
                if number == fails_at:
                    raise ValueError
            finally:
                log.append(("end", number))

        jobs = JobQueue(workers, maxsize, fail_fast=fail_fast)
        try:
            async with jobs:
                for number, turns in enumerate(yields):
                    await jobs.put(work, number, turns)
                    log.append(("put", number))
        except ExceptionGroup:
            log.append(("failed", 0))
        log.extend((ticket.state, ticket.number) for ticket in jobs.tickets)
        return log

    assert run(main()) == asyncio.run(main())
