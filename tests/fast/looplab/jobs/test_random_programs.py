"""Random programs: every job is accounted for, on both loops alike."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.clock import burn, run
from looplab.jobs import JobQueue, JobQueueClosedError, Outcomes
from tests.fast.looplab.jobs.shared import on_stock_loop


@dataclass(frozen=True)
class Plan:
    """One random job: waits and computes, then returns, fails or cancels itself."""

    gap: int
    steps: tuple[tuple[int, int], ...]
    end: str
    as_coroutine: bool


plans = st.builds(
    Plan,
    gap=st.integers(0, 3),
    steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=3).map(
        tuple
    ),
    end=st.sampled_from(["return"] * 8 + ["raise", "cancel", "stubborn"]),
    as_coroutine=st.booleans(),
)


@settings(max_examples=200)
@given(
    jobs_planned=st.lists(plans, max_size=14),
    workers=st.integers(1, 5),
    maxsize=st.integers(1, 4),
    fail_fast=st.booleans(),
    cancel_at=st.none() | st.integers(0, 40),
    ticket_cancels=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 13))),
    body_raises=st.booleans(),
    twin_putters=st.booleans(),
)
def test_every_job_is_accounted_for_exactly_once(
    jobs_planned: list[Plan],
    workers: int,
    maxsize: int,
    fail_fast: bool,
    cancel_at: int | None,
    ticket_cancels: list[tuple[int, int]],
    body_raises: bool,
    twin_putters: bool,
) -> None:
    ms = 0.001
    started: list[int] = []
    ended: Counter[tuple[int, str]] = Counter()
    calls: list[int] = []
    running = 0
    jobs = JobQueue(workers, maxsize, fail_fast=fail_fast)

    def look() -> None:
        assert jobs.waiting <= maxsize
        assert running <= jobs.running <= workers
        assert jobs.outcomes.total == len(jobs.tickets) == len(calls)

    async def work(number: int, plan: Plan) -> int:
        nonlocal running
        started.append(number)
        running += 1
        look()
        how = "cancelled"
        try:
            for sleep, cpu in plan.steps:
                try:
                    await asyncio.sleep(sleep * ms)
                except asyncio.CancelledError:
                    if plan.end != "stubborn":
                        raise
                burn(cpu * ms)
                look()
            if plan.end == "raise":
                how = "failed"
                raise ValueError(number)
            if plan.end == "cancel":
                raise asyncio.CancelledError
            how = "done"
            return number
        finally:
            running -= 1
            ended[number, how] += 1

    async def put_all(offset: int, step: int) -> None:
        for index in range(offset, len(jobs_planned), step):
            plan = jobs_planned[index]
            await asyncio.sleep(plan.gap * ms)
            number = len(calls)
            calls.append(number)
            put = (
                jobs.put(work(number, plan))
                if plan.as_coroutine
                else jobs.put(work, number, plan)
            )
            try:
                ticket = await put
            except JobQueueClosedError:
                if len(jobs.tickets) < len(calls):
                    calls.pop()  # refused at the door: not a job of this queue
                raise
            assert ticket.number == number
            look()

    async def body() -> None:
        async with jobs:
            if twin_putters:
                await asyncio.gather(put_all(0, 2), put_all(1, 2))
            else:
                await put_all(0, 1)
            if body_raises:
                raise KeyError("body")

    def cancel_ticket(index: int) -> None:
        if index < len(jobs.tickets):
            jobs.tickets[index].cancel()

    async def main() -> BaseException | None:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(body())
        if cancel_at is not None:
            loop.call_later(cancel_at * ms, task.cancel)
        for at, index in ticket_cancels:
            loop.call_later(at * ms, cancel_ticket, index)
        await asyncio.wait([task])
        # A sibling putter may still be on its way out.
        await asyncio.sleep(1)
        look()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        if task.cancelled():
            return asyncio.CancelledError()
        return task.exception()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = run(main())
        gc.collect(0)

    states = [ticket.state for ticket in jobs.tickets]
    counts = Counter(states)
    outcomes = jobs.outcomes
    ends = ("done", "failed", "cancelled", "never started")
    assert outcomes == Outcomes(0, 0, *(counts[end] for end in ends))
    assert outcomes.total == len(calls) == sum(counts.values())
    # First in, first out, and each at most once.
    assert started == sorted(set(started))
    # What the ticket says is what happened.
    for number, state in enumerate(states):
        if state == "never started":
            assert number not in started
        else:
            assert ended[number, state] == 1
    assert sum(ended.values()) == len(started)
    # Every failure is raised, exactly once.
    failed = {n for n, state in enumerate(states) if state == "failed"}
    raised = []
    if isinstance(error, BaseExceptionGroup):
        raised = [e for e in error.exceptions if isinstance(e, ValueError)]
    assert {e.args[0] for e in raised} == failed
    assert len(raised) == len(failed)
    # With nothing going wrong everything is done.
    if error is None and not ticket_cancels:
        assert set(states) <= {"done", "cancelled"}
        planned = [plan.end for plan in jobs_planned]
        assert "raise" not in planned
        assert counts["cancelled"] == planned.count("cancel")


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

    assert run(main()) == on_stock_loop(main())
