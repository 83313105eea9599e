"""Results in the order of submission, whatever a job is."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from looplab.jobs import JobQueue
from tests.fast.looplab.jobs.shared import Main, give


@pytest.mark.virtual_time
async def test_tasks_are_named_after_workers() -> None:
    async def name() -> str:
        await asyncio.sleep(1)
        task = asyncio.current_task()
        assert task is not None
        return task.get_name()

    async with JobQueue(2) as jobs:
        for _ in range(4):
            await jobs.put(name)
    assert jobs.results == ["worker-1", "worker-2", "worker-1", "worker-2"]


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
