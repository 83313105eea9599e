"""Threads, debug mode, exceptions, memory, and the rest of the stock loop's face."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from looplab.clock import (
    VirtualTimeLoop,
    burn,
    run,
)
from tests.fast.looplab.clock.helpers import nothing

# Threads


# Debug mode


def test_debug_mode_logs_slow_callbacks_by_the_virtual_clock(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        await asyncio.sleep(50)  # no work
        burn(0.75)
        await asyncio.sleep(0)

    run(main(), debug=True)
    slow = [record.getMessage() for record in caplog.records]
    assert len(slow) == 1
    assert slow[0].startswith("Executing <Task pending name='Task-1'")
    assert slow[0].endswith("took 0.750 seconds")


def test_debug_mode_tracks_origins() -> None:
    def here(stack: Any) -> tuple[str, str]:
        return Path(stack[-1].filename).name, stack[-1].name

    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(nothing())
        handles: list[Any] = [
            loop.call_soon(int),
            loop.call_later(1, int),
            loop.call_at(1, int),
        ]
        for tracked in (task, *handles):
            place = here(tracked._source_traceback)  # type: ignore[union-attr]
            assert place == ("test_loop.py", "main")
        coroutine = nothing()
        assert coroutine.cr_origin is not None
        await coroutine
        await task

    run(main(), debug=True)


@pytest.mark.parametrize("debug", [False, True])
def test_failed_task_that_nobody_keeps_is_reported_when_it_ends(debug: bool) -> None:
    """Nothing in the loop keeps the task of the callback that ran last."""
    reports: list[dict[str, Any]] = []

    async def fails() -> None:
        raise LookupError("lost")

    async def main() -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: reports.append(context))
        loop.create_task(fails())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return len(reports)

    assert run(main(), debug=debug) == 1


# Exceptions out of callbacks


def test_exception_in_a_callback_is_reported(loop: VirtualTimeLoop) -> None:
    reports: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda loop, context: reports.append(context))
    handle = loop.call_soon(divmod, 1, 0)
    loop.call_soon(loop.stop)
    loop.run_forever()
    (report,) = reports
    assert isinstance(report["exception"], ZeroDivisionError)
    assert report["handle"] is handle
    assert report["message"].startswith("Exception in callback divmod(")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("debug", [False, True])
def test_exit_out_of_a_callback(
    loop: VirtualTimeLoop, error: type[BaseException], debug: bool
) -> None:
    seen: list[str] = []

    def leave() -> None:
        raise error

    loop.set_debug(debug)
    loop.call_soon(seen.append, "before")
    loop.call_soon(leave)
    loop.call_soon(seen.append, "after")
    with pytest.raises(error):
        loop.run_forever()
    assert seen == ["before"]
    assert not loop.is_running()
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert seen == ["before", "after"]


# The rest of the stock loop's face


def test_stop_ends_the_iteration(loop: VirtualTimeLoop) -> None:
    seen: list[str] = []
    loop.call_soon(loop.stop)
    loop.call_soon(seen.append, "same iteration")
    loop.call_soon(lambda: loop.call_soon(seen.append, "next iteration"))
    loop.run_forever()
    assert seen == ["same iteration"]
    loop.stop()
    loop.run_forever()
    assert seen == ["same iteration", "next iteration"]


def test_repr(loop: VirtualTimeLoop) -> None:
    async def main() -> str:
        await asyncio.sleep(1.25)
        return repr(asyncio.get_running_loop())

    assert repr(loop) == "<VirtualTimeLoop idle at 0 s>"
    assert run(main()) == "<VirtualTimeLoop running at 1.25 s>"


def test_reprs_are_the_stock_ones() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(nothing())
        texts = [repr(task), repr(loop.create_future()), repr(loop.call_soon(int))]
        await task
        return texts

    task, future, handle = run(main())
    assert task.startswith("<Task pending name='Task-2' coro=<nothing()")
    assert future == "<Future pending>"
    assert handle == "<Handle int()>"


def test_task_names_count_per_loop() -> None:
    async def main() -> list[str]:
        async def name() -> str:
            task = asyncio.current_task()
            assert task is not None
            return task.get_name()

        return await asyncio.gather(
            name(), name(), asyncio.create_task(name(), name="mine"), name()
        )

    for _ in range(2):
        assert run(main()) == ["Task-3", "Task-4", "mine", "Task-5"]


def test_context_variables() -> None:
    variable = contextvars.ContextVar("variable", default="none")

    async def child() -> str:
        await asyncio.sleep(1)
        before = variable.get()
        variable.set("child's")
        return before

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        variable.set("main's")
        task = asyncio.create_task(child())
        other = contextvars.Context()
        loop.call_soon(lambda: seen.append(variable.get()), context=other)
        loop.call_later(1, lambda: seen.append(variable.get()), context=other)
        loop.call_at(2, lambda: seen.append(variable.get()))
        variable.set("main's later")
        seen.append(await task)
        await asyncio.sleep(3)
        return [*seen, variable.get()]

    assert run(main()) == ["none", "none", "main's", "main's", "main's later"]


def test_async_generators_are_closed_in_order() -> None:
    closed: list[int] = []

    async def numbers(number: int) -> AsyncIterator[int]:
        try:
            yield number
        finally:
            await asyncio.sleep(1)
            closed.append(number)

    kept = [numbers(number) for number in range(100)]

    async def main() -> None:
        for generator in kept:
            await anext(generator)

    run(main())
    assert closed == list(range(100))


def test_a_task_factory_that_knows_no_names(loop: VirtualTimeLoop) -> None:
    def factory(loop: Any, coro: Any) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=loop)

    async def main() -> list[str]:
        loop.set_task_factory(factory)
        tasks = [loop.create_task(nothing()) for _ in range(2)]
        await asyncio.gather(*tasks)
        return [task.get_name() for task in tasks]

    assert loop.run_until_complete(main()) == ["Task-2", "Task-3"]


# Memory


def test_nothing_keeps_a_finished_task(loop: VirtualTimeLoop) -> None:
    class Payload:
        pass

    payload = Payload()
    gone = weakref.ref(payload)

    async def main(payload: Payload) -> None:
        await asyncio.sleep(1)

    loop.run_until_complete(main(payload))
    del payload
    gc.collect()
    assert gone() is None


def test_a_closed_loop_is_freed() -> None:
    loop = VirtualTimeLoop()
    loop.run_until_complete(asyncio.sleep(1))
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None
