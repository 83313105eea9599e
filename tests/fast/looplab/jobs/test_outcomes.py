"""What becomes of jobs that fail or are cancelled, and what the block raises then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import JobNotDoneError, JobQueue, JobQueueClosedError, Outcomes
from tests.fast.looplab.jobs.shared import (
    Main,
    fail,
    fail_when,
    give,
    now,
    turns,
)


async def first_fails(jobs: JobQueue) -> None:
    def full() -> bool:
        return jobs.outcomes == Outcomes(2, 2, 1, 0, 0, 0)

    await jobs.put(give, "quick")
    await jobs.put(fail_when, full, ValueError())
    for what in ("long", "waits", "still in put()"):
        await jobs.put(give, what, 60)


async def several_fail(jobs: JobQueue) -> None:
    await jobs.put(fail_when, lambda: jobs.outcomes.failed == 1, ValueError())
    await jobs.put(fail, KeyError())
    for i in range(3):
        await jobs.put(give, i, 0.001)


async def fails_on_the_way_out(jobs: JobQueue) -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise OSError

    await jobs.put(stubborn)
    await jobs.put(fail_when, lambda: jobs.running == 2, ValueError())


async def body_raises(jobs: JobQueue) -> None:
    await jobs.put(give, 0, 60)
    await jobs.put(give, 1, 60)
    raise KeyError


async def body_swallows_the_cancellation(jobs: JobQueue) -> None:
    await jobs.put(fail, ValueError())
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(60)
    with pytest.raises(JobQueueClosedError, match="takes no more jobs"):
        await jobs.put(give, 1)


async def body_ends_without_another_wait(jobs: JobQueue) -> None:
    """The cancellation must not strike after the block."""
    await jobs.put(fail, ValueError())
    while not asyncio.current_task().cancelling():  # type: ignore[union-attr]
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            break


async def job_is_cancelled(jobs: JobQueue) -> None:
    await jobs.put(fail, asyncio.CancelledError())
    await jobs.put(give, 1)


async def tickets_are_cancelled(jobs: JobQueue) -> None:
    first = await jobs.put(give, 0, 60)
    second = await jobs.put(give, 1, 60)
    third = await jobs.put(give, 2)
    await turns(50)
    assert second.cancel()
    assert second.state == "never started"
    assert jobs.waiting == 1
    assert first.cancel()
    with pytest.raises(JobNotDoneError, match="was cancelled"):
        await first
    assert await third == 2
    assert not third.cancel()


async def cancelled_before_its_first_line(jobs: JobQueue) -> None:
    ticket = await jobs.put(give(1))
    for _ in range(2):
        asyncio.get_running_loop().call_soon(ticket.cancel)


NEVER = "never started"


@pytest.mark.parametrize(
    ("body", "workers", "options", "raised", "states"),
    [
        (
            first_fails, 2, {},
            [ValueError], ["done", "failed", "cancelled", NEVER, NEVER],
        ),
        (
            several_fail, 2, {"fail_fast": False},
            [KeyError, ValueError], ["failed", "failed", "done", "done", "done"],
        ),
        (fails_on_the_way_out, 2, {}, [ValueError, OSError], ["failed", "failed"]),
        (body_raises, 1, {}, [KeyError], ["cancelled", NEVER]),
        (body_raises, 1, {"fail_fast": False}, [KeyError], ["cancelled", NEVER]),
        (body_swallows_the_cancellation, 4, {}, [ValueError], ["failed"]),
        (body_ends_without_another_wait, 1, {}, [ValueError], ["failed"]),
        (job_is_cancelled, 4, {}, [], ["cancelled", "done"]),
        (tickets_are_cancelled, 1, {"maxsize": 2}, [], ["cancelled", NEVER, "done"]),
        (cancelled_before_its_first_line, 4, {}, [], [NEVER]),
    ],
)  # fmt: skip
def test_what_becomes_of_jobs(
    both: Callable[[Main], Any],
    body: Any,
    workers: int,
    options: Any,
    raised: list[type[Exception]],
    states: list[str],
) -> None:
    errors: list[type[BaseException]] = []

    async def main() -> JobQueue:
        jobs = JobQueue(workers, **options)
        try:
            async with jobs:
                await body(jobs)
        except ExceptionGroup as group:
            errors.extend(map(type, group.exceptions))
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        await asyncio.sleep(0)  # no cancellation is left over
        return jobs

    jobs = both(main())
    assert errors == raised
    assert [ticket.state for ticket in jobs.tickets] == states
    ends = ("done", "failed", "cancelled", NEVER)
    assert jobs.outcomes == Outcomes(0, 0, *map(states.count, ends))
    for number, ticket in enumerate(jobs.tickets):
        if ticket.state in ("cancelled", NEVER):
            words = rf"job {number} \(.*\) was {ticket.state}"
            with pytest.raises(JobNotDoneError, match=words):
                ticket.result()
    if raised and body is not body_raises:
        with pytest.raises(tuple(raised)):
            _ = jobs.results


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("in_the_body", [False, True])
def test_exit_errors_are_raised_bare(
    both: Callable[[Main], Any], error: type[BaseException], in_the_body: bool
) -> None:
    states: list[str] = []

    async def main() -> None:
        jobs = JobQueue(workers=2, fail_fast=False)
        try:
            async with jobs:
                await jobs.put(give, 1, 60)
                if in_the_body:
                    raise error
                await jobs.put(fail, error())
                await jobs.put(give, 2, 60)
                await jobs.put(give, 3, 60)
        finally:
            states.extend(ticket.state for ticket in jobs.tickets)

    with pytest.raises(error):
        both(main())
    if not in_the_body:
        assert states[:2] == ["cancelled", "failed"]
        assert set(states[2:]) <= {NEVER}


@pytest.mark.virtual_time
async def test_cancelled_and_failed_at_once_keeps_both() -> None:
    async def body() -> None:
        async with JobQueue(2) as jobs:
            await jobs.put(fail, ValueError("job"), 1)
            await asyncio.sleep(60)

    async def wrapper() -> None:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(ExceptionGroup):
            await body()
        assert task.cancelling() == 1
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(1)

    task = asyncio.create_task(wrapper())
    await asyncio.sleep(1)
    # In this order the job fails, and before the body is told, we cancel too.
    await asyncio.sleep(0)
    task.cancel()
    await task


def test_put_that_is_cancelled_starts_nothing() -> None:
    """At whichever moment: while waiting for room, and between accepted and back."""
    ran: list[int] = []

    async def job(i: int) -> None:
        ran.append(i)
        await asyncio.sleep(1)

    async def main(iterations: int) -> None:
        ran.clear()
        async with JobQueue(workers=1, maxsize=1) as jobs:
            putter = asyncio.create_task(jobs.put(job, 7))
            await turns(iterations)
            was_done = putter.done()
            putter.cancel()
            await asyncio.gather(putter, return_exceptions=True)
            await asyncio.sleep(5)
        assert bool(ran) == was_done
        assert jobs.outcomes.never_started == (0 if was_done else iterations > 0)

    for iterations in range(8):
        run(main(iterations))


def test_cancelling_a_waiter_leaves_the_job_alone() -> None:
    async def main() -> Any:
        async with JobQueue() as jobs:
            ticket = await jobs.put(give, "kept", 2)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await ticket
            return await ticket

    assert run(main()) == "kept"


@pytest.mark.parametrize(
    ("workers", "maxsize", "count", "before", "after"),
    [
        # Two ran, one was in the queue, one in put(); the other six were never put.
        (2, 1, 10, Outcomes(2, 2, 0, 0, 0, 0), Outcomes(0, 0, 0, 0, 2, 2)),
        # The block was ending.
        (1, 2, 3, Outcomes(2, 1, 0, 0, 0, 0), Outcomes(0, 0, 0, 0, 1, 2)),
    ],
)
def test_cancelled_from_outside(
    both: Callable[[Main], Any],
    workers: int,
    maxsize: int,
    count: int,
    before: Outcomes,
    after: Outcomes,
) -> None:
    jobs = JobQueue(workers, maxsize)

    async def body() -> None:
        async with jobs:
            for i in range(count):
                await jobs.put(give, i, 60)

    async def expire(limit: asyncio.Timeout) -> None:
        await turns(50)
        assert jobs.outcomes == before
        limit.reschedule(now())

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as limit:
                expiring = asyncio.create_task(expire(limit))
                await body()
        await expiring

    both(main())
    assert jobs.outcomes == after


def test_a_failure_after_the_task_of_the_block_is_reported_to_the_loop() -> None:
    """Somebody entered the block by hand, and never left it."""

    async def main() -> list[dict[str, Any]]:
        reported: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: reported.append(context)
        )
        jobs = JobQueue()

        async def enter() -> None:
            await jobs.__aenter__()
            await jobs.put(fail, ValueError("lost"), 0.01)

        await asyncio.create_task(enter())
        await asyncio.sleep(1)
        return reported

    (report,) = run(main())
    assert str(report["exception"]) == "lost"
    assert "after its queue's task had ended" in report["message"]
