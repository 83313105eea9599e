"""Failures of jobs and of the body: none is lost silently."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import (
    JobNotDoneError,
    JobQueue,
    JobQueueClosedError,
    Outcomes,
)
from tests.fast.looplab.jobs.shared import Main, fail, fail_when, give


def test_failure_that_the_body_never_waits_for() -> None:
    """The body is cancelled by a failing job but ends without another await: the
    cancellation must not strike after the block."""

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(ExceptionGroup):
            async with JobQueue(1) as jobs:
                await jobs.put(fail, ValueError())
                while not task.cancelling():
                    try:
                        await asyncio.sleep(0)
                    except asyncio.CancelledError:
                        break
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    run(main())


def test_job_that_fails_while_it_is_cancelled_is_reported() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise OSError("on the way out")

    async def main() -> JobQueue:
        jobs = JobQueue(2)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(stubborn)
                await jobs.put(fail, ValueError("first"), 1)
        assert [type(e) for e in caught.value.exceptions] == [ValueError, OSError]
        return jobs

    assert run(main()).outcomes.failed == 2


def test_first_failure_cancels_the_rest_and_is_raised_as_a_group(
    both: Callable[[Main], Any],
) -> None:
    error = ValueError("broken")

    async def main() -> JobQueue:
        jobs = JobQueue(workers=2, maxsize=1)

        def full() -> bool:
            return jobs.outcomes == Outcomes(2, 2, 1, 0, 0, 0)

        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(give, "quick")
                await jobs.put(fail_when, full, error)
                await jobs.put(give, "long", 60)
                await jobs.put(give, "waits", 60)
                await jobs.put(give, "still in put()", 60)
        assert caught.value.exceptions == (error,)
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        await asyncio.sleep(0)  # no cancellation is left over
        return jobs

    jobs = both(main())
    assert [ticket.state for ticket in jobs.tickets] == [
        "done",
        "failed",
        "cancelled",
        "never started",
        "never started",
    ]
    assert jobs.outcomes == Outcomes(0, 0, 1, 1, 1, 2)
    assert repr(jobs.outcomes) == (
        "5 jobs: 1 done, 1 failed, 1 cancelled, 2 never started"
    )
    with pytest.raises(ValueError, match="broken"):
        _ = jobs.results
    with pytest.raises(JobNotDoneError, match=r"job 2 \(give\) was cancelled"):
        jobs.tickets[2].result()
    with pytest.raises(JobNotDoneError, match="was never started"):
        jobs.tickets[3].result()


def test_body_swallows_the_cancellation(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        with pytest.raises(ExceptionGroup):
            async with JobQueue() as jobs:
                await jobs.put(fail, ValueError())
                with pytest.raises(asyncio.CancelledError):
                    await asyncio.sleep(60)
                with pytest.raises(JobQueueClosedError, match="takes no more jobs"):
                    await jobs.put(give, 1)
        await asyncio.sleep(0)

    both(main())


def test_fail_slow_runs_everything(both: Callable[[Main], Any]) -> None:
    errors = [ValueError("a"), KeyError("b")]

    async def main() -> JobQueue:
        jobs = JobQueue(workers=2, fail_fast=False)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(fail_when, lambda: jobs.outcomes.failed == 1, errors[0])
                await jobs.put(fail, errors[1])
                for i in range(5):
                    await jobs.put(give, i, 0.001)
        assert list(caught.value.exceptions) == [errors[1], errors[0]]
        return jobs

    jobs = both(main())
    assert jobs.outcomes == Outcomes(0, 0, 5, 2, 0, 0)
    assert [t.result() for t in jobs.tickets if t.state == "done"] == list(range(5))


@pytest.mark.parametrize("fail_fast", [True, False])
def test_body_that_raises(both: Callable[[Main], Any], fail_fast: bool) -> None:
    error = KeyError("body")

    async def main() -> JobQueue:
        jobs = JobQueue(workers=1, maxsize=1, fail_fast=fail_fast)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(give, 0, 60)
                await jobs.put(give, 1, 60)
                raise error
        assert caught.value.exceptions == (error,)
        return jobs

    states = [ticket.state for ticket in both(main()).tickets]
    assert states == ["cancelled", "never started"]


def test_job_that_raises_cancelled_error_is_not_a_failure(
    both: Callable[[Main], Any],
) -> None:
    async def main() -> JobQueue:
        async with JobQueue() as jobs:
            await jobs.put(fail, asyncio.CancelledError())
            await jobs.put(give, 1)
        return jobs

    assert both(main()).outcomes == Outcomes(0, 0, 1, 0, 1, 0)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_exit_errors_are_raised_bare(
    both: Callable[[Main], Any], error: type[BaseException]
) -> None:
    states: list[str] = []

    async def main() -> None:
        jobs = JobQueue(workers=2, fail_fast=False)
        try:
            async with jobs:
                await jobs.put(give, 1, 60)
                await jobs.put(fail, error())
                await jobs.put(give, 2, 60)
                await jobs.put(give, 3, 60)
        finally:
            states.extend(ticket.state for ticket in jobs.tickets)

    with pytest.raises(error):
        both(main())
    assert states[:2] == ["cancelled", "failed"]
    assert set(states[2:]) <= {"never started"}


def test_exit_error_in_the_body(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        async with JobQueue() as jobs:
            await jobs.put(give, 1, 60)
            raise SystemExit(3)

    with pytest.raises(SystemExit):
        both(main())
