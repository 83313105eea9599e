"""Measured records on the stock loop, and what callbacks are called."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import Any

import pytest

from looplab.clock import burn
from looplab.trace import record
from tests.fast.looplab.trace.helpers import (
    bare,
    both_clocks,
    nothing,
    small_program,
    story,
)


def test_both_clocks_tell_the_same_story() -> None:
    virtual, real = record(small_program()), record(small_program(), clock="real")
    assert story(virtual) == story(real)
    assert len(virtual) > 10
    assert [r.task for r in virtual if r.task == "consumer"] == [
        r.task for r in real if r.task == "consumer"
    ]
    assert (virtual.clock, real.clock) == ("virtual", "real")
    assert all(0 <= r.ready_ns <= r.run_ns <= r.ended_ns for r in real)
    assert real.busy + real.idle == pytest.approx(real.duration)


def test_python_tasks_have_names_too() -> None:
    async def main() -> None:
        async def inner() -> None:
            await asyncio.sleep(0.001)

        loop = asyncio.get_running_loop()
        loop.set_task_factory(
            lambda loop, coro, **options: asyncio.tasks._PyTask(  # type: ignore[attr-defined]
                coro, loop=loop, **options
            )
        )
        task = loop.create_task(inner())
        task.set_name("slow-but-readable")
        await task

    trace = record(main(), clock="real").filter(task="slow-but-readable")
    assert [bare(r.label) for r in trace] == ["inner", "inner"]


class Caller:
    def __call__(self) -> None: ...
    def method(self) -> None: ...


@both_clocks
def test_labels(clock: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        for callback in (
            Caller(),
            Caller().method,
            partial(partial(Caller().method)),
            [].clear,
            task.cancelled,  # bound to a task but no step of it
            lambda: None,
        ):
            loop.call_soon(callback)
        await asyncio.sleep(0)

    labels = [bare(r.label) for r in record(main(), clock=clock) if r.task is None]
    assert [label.replace("_Numbered", "") for label in labels] == [
        "Caller",
        "Caller.method",
        "Caller.method",
        "list.clear",
        "Task.cancelled",
        "<lambda>",
    ]


@both_clocks
def test_cancelled_handles_do_not_count(clock: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(nothing).cancel()
        loop.call_later(0.001, nothing).cancel()
        loop.call_soon(nothing)
        await asyncio.sleep(0.01)

    assert len(record(main(), clock=clock).filter(label="nothing")) == 1


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
@both_clocks
def test_the_first_step_of_an_eager_task_belongs_to_its_maker(clock: Any) -> None:
    async def main() -> None:
        async def inner() -> None:
            burn(0.01)
            await asyncio.sleep(0)

        factory = asyncio.eager_task_factory  # type: ignore[attr-defined]
        asyncio.get_running_loop().set_task_factory(factory)
        await asyncio.create_task(inner(), name="eager")

    trace = record(main(), clock=clock)
    assert len(trace.filter(task="eager")) == 1
    assert trace[0].duration >= 0.01
