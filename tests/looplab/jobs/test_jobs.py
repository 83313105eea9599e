"""The job queue: order, bounds, failures, cancellation; no job is lost silently."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.clock import burn, run
from looplab.heartbeat import Heartbeat
from looplab.jobs import (
    JobNotDoneError,
    JobQueue,
    JobQueueClosedError,
    Outcomes,
    Ticket,
    WouldDeadlockError,
)

Main = Coroutine[Any, Any, Any]


def on_stock_loop(main: Main) -> Any:
    return asyncio.run(main)


@pytest.fixture(params=[run, on_stock_loop], ids=["virtual", "stock"])
def both(request: pytest.FixtureRequest) -> Callable[[Main], Any]:
    """Run a coroutine on the virtual clock and on the stock loop."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def nothing_never_awaited() -> Iterator[None]:
    """A coroutine that was dropped without being closed fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect(1)


async def give(value: Any, after: float = 0.0) -> Any:
    await asyncio.sleep(after)
    return value


async def fail(error: BaseException, after: float = 0.0) -> NoReturn:
    await asyncio.sleep(after)
    raise error


def now() -> float:
    return asyncio.get_running_loop().time()


# Results


def test_results_in_the_order_of_submission(both: Callable[[Main], Any]) -> None:
    async def main() -> list[Any]:
        async with JobQueue(workers=3, maxsize=2) as jobs:
            for i in range(10):
                await jobs.put(give, i, after=(10 - i) / 1000)
        assert jobs.outcomes == Outcomes(0, 0, 10, 0, 0, 0)
        return jobs.results

    assert both(main()) == list(range(10))


def test_ticket_gives_its_own_result(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        async with JobQueue() as jobs:
            ticket = await jobs.put(give, "x", 0.01)
            assert repr(ticket) == "<Ticket 0 give: waiting>"
            assert await ticket == "x"
            assert await ticket == "x", "a second time"
        assert ticket.result() == "x"
        assert ticket.state == "done"
        assert ticket.exception() is None

    both(main())


def test_kinds_of_job(both: Callable[[Main], Any]) -> None:
    class CallableObject:
        async def __call__(self) -> str:
            return "object"

    async def main() -> None:
        async with JobQueue(1) as jobs:
            await jobs.put(give, "function")
            await jobs.put(give("coroutine"))
            await jobs.put(partial(give, "partial"))
            await jobs.put(CallableObject())
            await jobs.put(max, 1, 2)
            await jobs.put(lambda: give("returned"))
        expected = ["function", "coroutine", "partial", "object", 2, "returned"]
        assert jobs.results == expected
        assert [ticket.label for ticket in jobs.tickets][:3] == ["give"] * 3

    both(main())


def test_empty_block(both: Callable[[Main], Any]) -> None:
    async def main() -> list[Any]:
        async with JobQueue() as jobs:
            pass
        return jobs.results

    assert both(main()) == []


@pytest.mark.parametrize("workers", [1, 200])
def test_one_worker_and_two_hundred(both: Callable[[Main], Any], workers: int) -> None:
    async def main() -> list[Any]:
        async with JobQueue(workers) as jobs:
            for i in range(300):
                await jobs.put(give, i)
        return jobs.results

    assert both(main()) == list(range(300))


def test_job_runs_in_the_context_of_its_put(both: Callable[[Main], Any]) -> None:
    variable = contextvars.ContextVar("variable", default="none")

    async def look() -> str:
        seen = variable.get()
        variable.set("changed by the job")
        return seen

    async def main() -> list[Any]:
        async with JobQueue(1) as jobs:
            for value in "abc":
                variable.set(value)
                await jobs.put(look)
        assert variable.get() == "c"
        return jobs.results

    assert both(main()) == ["a", "b", "c"]


def test_tasks_are_named_after_workers() -> None:
    async def name() -> str:
        await asyncio.sleep(1)
        task = asyncio.current_task()
        assert task is not None
        return task.get_name()

    async def main() -> list[Any]:
        async with JobQueue(2) as jobs:
            for _ in range(4):
                await jobs.put(name)
        return jobs.results

    assert run(main()) == ["worker-1", "worker-2", "worker-1", "worker-2"]


# Bounds and backpressure


def test_put_waits_while_the_queue_is_full() -> None:
    """Two run, one waits, the fourth put() returns when the first job has ended."""

    async def main() -> list[float]:
        returned = []
        async with JobQueue(workers=2, maxsize=1) as jobs:
            for _ in range(5):
                await jobs.put(asyncio.sleep, 1.0)
                returned.append(now())
        assert now() == 3.0
        return returned

    assert run(main()) == [0.0, 0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("workers", [1, 4, 200])
@pytest.mark.parametrize("maxsize", [1, 50])
def test_jobs_that_never_await_leave_the_heartbeat_on_time(
    workers: int, maxsize: int
) -> None:
    """Only the job that runs stands before the heartbeat, whatever the phase: 0.010 s.
    The storm of the same jobs is the control."""

    async def job() -> None:
        burn(0.010)

    async def main(phase: float, storm: bool) -> tuple[float, float]:
        async with Heartbeat(1.0) as heartbeat:
            await asyncio.sleep(2 + phase)
            start = now()
            if storm:
                async with asyncio.TaskGroup() as group:
                    for _ in range(200):
                        group.create_task(job())
            else:
                async with JobQueue(workers, maxsize) as jobs:
                    for _ in range(200):
                        await jobs.put(job)
            took = now() - start
        return heartbeat.worst, took

    for phase in (0.0, 0.1, 0.3333, 0.5, 0.777, 0.995):
        worst, took = run(main(phase, storm=False))
        assert worst <= 0.010
        assert took == pytest.approx(2.0)
    assert run(main(0.5, storm=True))[0] == 1.5


def test_two_free_iterations_between_two_starts() -> None:
    """Between the starts of two jobs the loop runs everything else that is ready."""

    async def main() -> list[str]:
        log: list[str] = []

        async def other() -> None:
            while jobs.outcomes.done < 5:
                log.append("other")
                await asyncio.sleep(0)

        async with JobQueue(workers=5, maxsize=5) as jobs:
            task = asyncio.create_task(other())
            for _ in range(5):
                await jobs.put(log.append, "job")
            await task
        return log

    log = run(main())
    starts = [i for i, entry in enumerate(log) if entry == "job"]
    assert len(starts) == 5
    assert min(b - a for a, b in pairwise(starts)) > 2


@pytest.mark.parametrize("bad", [0, -1])
@pytest.mark.parametrize("what", ["workers", "maxsize"])
def test_bounds_below_one_are_refused(what: str, bad: int) -> None:
    with pytest.raises(ValueError, match=f"{what} is {bad}: give 1 or more"):
        JobQueue(**{"workers": 4, "maxsize": 1, what: bad})  # type: ignore[arg-type]


def test_unbounded_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match=r"maxsize is 0: give 1 .*because .*memory"):
        JobQueue(maxsize=0)


@pytest.mark.parametrize("bad", [1.0, "4", None, True, float("inf")])
def test_bounds_must_be_whole_numbers(bad: Any) -> None:
    with pytest.raises(TypeError, match="expected workers as a whole number, got"):
        JobQueue(workers=bad)


# Failures


def test_first_failure_cancels_the_rest_and_is_raised_as_a_group(
    both: Callable[[Main], Any],
) -> None:
    error = ValueError("broken")

    async def main() -> JobQueue:
        jobs = JobQueue(workers=2, maxsize=1)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                await jobs.put(give, "quick")
                await jobs.put(fail, error, 0.02)
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


def test_failure_while_the_block_is_ending(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        with pytest.raises(ExceptionGroup):
            async with JobQueue() as jobs:
                await jobs.put(fail, ValueError(), 0.01)
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]
        await asyncio.sleep(0)

    both(main())


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
                await jobs.put(fail, errors[0], 0.03)
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


# Cancellation


def test_cancelled_from_outside(both: Callable[[Main], Any]) -> None:
    jobs = JobQueue(workers=2, maxsize=1)

    async def body() -> None:
        async with jobs:
            for i in range(10):
                await jobs.put(give, i, 60)

    async def main() -> None:
        task = asyncio.create_task(body())
        await asyncio.sleep(0.02)
        assert jobs.outcomes == Outcomes(2, 2, 0, 0, 0, 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    both(main())
    # Two ran, one was in the queue, one in put(); the other six were never put.
    assert jobs.outcomes == Outcomes(0, 0, 0, 0, 2, 2)


def test_cancelled_from_outside_while_ending(both: Callable[[Main], Any]) -> None:
    jobs = JobQueue(workers=1, maxsize=2)

    async def body() -> None:
        async with jobs:
            for i in range(3):
                await jobs.put(give, i, 60)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await body()

    both(main())
    assert jobs.outcomes == Outcomes(0, 0, 0, 0, 1, 2)


def test_cancelled_and_failed_at_once_keeps_both() -> None:
    async def body() -> None:
        async with JobQueue(2) as jobs:
            await jobs.put(fail, ValueError("job"), 1)
            await asyncio.sleep(60)

    async def main() -> None:
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

    run(main())


def test_ticket_cancel(both: Callable[[Main], Any]) -> None:
    async def main() -> JobQueue:
        async with JobQueue(workers=1, maxsize=2) as jobs:
            first = await jobs.put(give, 0, 60)
            second = await jobs.put(give, 1, 60)
            third = await jobs.put(give, 2)
            await asyncio.sleep(0.01)
            assert second.cancel()
            assert second.state == "never started"
            assert jobs.waiting == 1
            assert first.cancel()
            with pytest.raises(JobNotDoneError, match="was cancelled"):
                await first
            assert await third == 2
            assert not third.cancel()
        return jobs

    assert both(main()).outcomes == Outcomes(0, 0, 1, 0, 1, 1)


def test_job_cancelled_before_its_first_line_was_never_started() -> None:
    ran = []

    async def job() -> None:
        ran.append(True)

    async def main() -> str:
        async with JobQueue() as jobs:
            ticket = await jobs.put(job())
            assert jobs.running == 0
            asyncio.get_running_loop().call_soon(ticket.cancel)
            asyncio.get_running_loop().call_soon(ticket.cancel)
        return ticket.state

    assert run(main()) == "never started"
    assert not ran


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
            for _ in range(iterations):
                await asyncio.sleep(0)
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


# Jobs that put jobs


def test_crawler(both: Callable[[Main], Any]) -> None:
    async def visit(jobs: JobQueue, depth: int) -> int:
        await asyncio.sleep(0)
        if depth:
            await jobs.put(visit, jobs, depth - 1)
        return depth

    async def main() -> list[Any]:
        async with JobQueue(workers=2) as jobs:
            await jobs.put(visit, jobs, 5)
        return jobs.results

    assert both(main()) == [5, 4, 3, 2, 1, 0]


def test_job_that_waits_for_room_while_others_run() -> None:
    """Legitimate: the other worker will make room."""

    async def parent(jobs: JobQueue) -> str:
        for i in range(4):
            await jobs.put(give, i, 1)
        return "parent"

    async def main() -> list[Any]:
        async with JobQueue(workers=2, maxsize=1) as jobs:
            await jobs.put(parent, jobs)
        return jobs.results

    assert run(main()) == ["parent", 0, 1, 2, 3]


@pytest.mark.parametrize("workers", [1, 3])
def test_all_workers_waiting_for_room_is_an_error(
    both: Callable[[Main], Any], workers: int
) -> None:
    async def parent(jobs: JobQueue) -> None:
        await asyncio.sleep(0.01)
        for _ in range(10):
            await jobs.put(parent, jobs)

    async def main() -> None:
        jobs = JobQueue(workers=workers, maxsize=1)
        with pytest.raises(ExceptionGroup) as caught:
            async with jobs:
                for _ in range(workers):
                    await jobs.put(parent, jobs)
        (error,) = caught.value.exceptions
        assert isinstance(error, WouldDeadlockError)
        assert f"every one of the {workers} workers" in str(error)
        assert "room in its own queue" in str(error)
        assert not jobs.outcomes.waiting and not jobs.outcomes.running

    both(main())


def test_waiting_for_a_job_that_needs_my_worker() -> None:
    async def parent(jobs: JobQueue) -> Any:
        ticket = await jobs.put(give, "child")
        return await ticket

    async def main(workers: int) -> list[Any]:
        async with JobQueue(workers=workers) as jobs:
            await jobs.put(parent, jobs)
        return jobs.results

    assert run(main(2)) == ["child", "child"]
    with pytest.raises(ExceptionGroup) as caught:
        run(main(1))
    assert "wait for ever for job 1 (give)" in str(caught.value.exceptions[0])


def test_waiting_for_myself() -> None:
    async def selfish(box: list[Ticket[Any]]) -> None:
        await asyncio.sleep(1)
        await box[0]

    async def main() -> None:
        box: list[Ticket[Any]] = []
        async with JobQueue(workers=2) as jobs:
            box.append(await jobs.put(selfish, box))

    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    assert "would wait for itself" in str(caught.value.exceptions[0])


def test_two_jobs_that_wait_for_each_other() -> None:
    async def partner(box: list[Ticket[Any]], other: int) -> None:
        await asyncio.sleep(1)
        await box[other]

    async def main() -> None:
        box: list[Ticket[Any]] = []
        async with JobQueue(workers=3) as jobs:
            box.append(await jobs.put(partner, box, 1))
            box.append(await jobs.put(partner, box, 0))

    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    assert isinstance(caught.value.exceptions[0], WouldDeadlockError)


# Refusals


def test_put_before_and_after_the_block(both: Callable[[Main], Any]) -> None:
    async def main() -> None:
        jobs = JobQueue()
        with pytest.raises(JobQueueClosedError, match="not open yet"):
            await jobs.put(give(1))
        async with jobs:
            pass
        with pytest.raises(JobQueueClosedError, match="is over"):
            await jobs.put(give(1))  # and the coroutine is closed
        assert jobs.outcomes.total == 0

    both(main())


def test_put_that_waits_when_the_queue_aborts() -> None:
    async def main() -> None:
        jobs = JobQueue(workers=1, maxsize=1)

        async def sibling() -> None:
            await asyncio.sleep(1)
            with pytest.raises(JobQueueClosedError, match="was not started"):
                await jobs.put(give(3))

        task = asyncio.create_task(sibling())
        with pytest.raises(ExceptionGroup):
            async with jobs:
                await jobs.put(fail, ValueError(), 2)
                await jobs.put(give(1))
                await asyncio.sleep(60)
        await task
        assert jobs.outcomes == Outcomes(0, 0, 0, 1, 0, 2)

    run(main())


def test_entered_twice() -> None:
    async def main() -> None:
        async with JobQueue() as jobs:
            with pytest.raises(RuntimeError, match="can be entered once"):
                await jobs.__aenter__()

    run(main())


def test_another_loop() -> None:
    async def put(jobs: JobQueue) -> None:
        with pytest.raises(RuntimeError, match="another event loop"):
            await jobs.put(give(1))

    async def main() -> None:
        async with JobQueue() as jobs:
            await asyncio.to_thread(asyncio.run, put(jobs))

    asyncio.run(main())


def test_things_that_are_not_jobs() -> None:
    async def main() -> None:
        async with JobQueue() as jobs:
            with pytest.raises(TypeError, match="must be an async function, not 3"):
                await jobs.put(3)  # type: ignore[call-overload]
            with pytest.raises(TypeError, match="takes no arguments"):
                await jobs.put(give(1), 2)  # type: ignore[call-overload]
            future = asyncio.get_running_loop().create_future()
            with pytest.raises(TypeError, match="under way already"):
                await jobs.put(future)  # type: ignore[call-overload]
            started = give(1, 1)
            started.send(None)
            with pytest.raises(TypeError, match="has been started already"):
                await jobs.put(started)
        assert jobs.outcomes.total == 0

    run(main())


def test_without_keep_nothing_is_remembered() -> None:
    async def main() -> None:
        async with JobQueue(keep=False) as jobs:
            ticket = await jobs.put(give, 5)
            assert await ticket == 5
            forgotten = weakref.ref(ticket)
            del ticket
            await jobs.put(give, 6)
            gc.collect()
            assert forgotten() is None
        assert jobs.outcomes.done == 2
        with pytest.raises(RuntimeError, match="keep=False"):
            _ = jobs.tickets
        with pytest.raises(RuntimeError, match="keep=False"):
            _ = jobs.results

    run(main())


def test_repr_says_the_state() -> None:
    async def main() -> None:
        jobs = JobQueue(2, 3)
        assert repr(jobs) == "<JobQueue workers=2 maxsize=3 not entered, 0 jobs>"
        async with jobs:
            await jobs.put(give, 1)
            assert repr(jobs).endswith("open, 1 job: 1 waiting>")
        assert repr(jobs).endswith("over, 1 job: 1 done>")

    run(main())


# Random programs


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


@settings(max_examples=200, deadline=None)
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
    assert outcomes == Outcomes(
        0,
        0,
        counts["done"],
        counts["failed"],
        counts["cancelled"],
        counts["never started"],
    )
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
        ends = [plan.end for plan in jobs_planned]
        assert "raise" not in ends and counts["cancelled"] == ends.count("cancel")


@settings(max_examples=50, deadline=None)
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
