"""Debug mode, exceptions, memory, and the rest of the stock loop's face."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import sys
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, burn, run
from tests.fast.looplab.clock.helpers import nothing


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
    async def main() -> None:
        loop = asyncio.get_running_loop()
        tracked: list[Any] = [
            loop.create_task(nothing()),
            loop.call_soon(int),
            loop.call_later(1, int),
            loop.call_at(1, int),
            loop.call_soon_threadsafe(int),
        ]
        for made in tracked:
            place = made._source_traceback[-1]
            assert (Path(place.filename).name, place.name) == ("test_loop.py", "main")
        await tracked[0]

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


def test_reprs_are_the_stock_ones() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(nothing())
        await asyncio.sleep(1.25)
        made = (task, loop.create_future(), loop.call_soon(int), loop)
        return list(map(repr, made))

    task, future, handle, own = run(main())
    assert own == "<VirtualTimeLoop running at 1.25 s>"
    assert task.startswith("<Task finished name='Task-2' coro=<nothing()")
    assert future == "<Future pending>"
    assert handle == "<Handle int()>"


async def name() -> str:
    task = asyncio.current_task()
    assert task is not None
    assert hash(task) < 100  # a number, not an address
    return task.get_name()


def test_task_names_count_per_loop() -> None:
    async def main() -> list[str]:
        mine = asyncio.create_task(name(), name="mine")
        return await asyncio.gather(name(), mine, name())

    async def eager() -> list[str]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined,unused-ignore]
        return await main()

    for _ in range(2):
        assert run(main()) == ["Task-3", "mine", "Task-4"]
    if sys.version_info >= (3, 12):
        assert run(eager()) == ["Task-3", "mine", "Task-4"]


def test_context_variables() -> None:
    variable = contextvars.ContextVar("variable", default="none")

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []

        def look() -> None:
            seen.append(variable.get())

        variable.set("main's")
        other = contextvars.Context()
        for context in (None, other):
            loop.call_soon(look, context=context)
            loop.call_later(1, look, context=context)
            loop.call_at(2, look, context=context)
            loop.call_soon_threadsafe(look, context=context)
        variable.set("later")
        await asyncio.sleep(3)
        return seen

    assert sorted(run(main())) == ["main's"] * 4 + ["none"] * 4


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


def test_nothing_keeps_a_finished_task_or_a_closed_loop() -> None:
    class Payload:
        pass

    payload, loop = Payload(), VirtualTimeLoop()
    left = [weakref.ref(payload), weakref.ref(loop)]

    async def main(payload: Payload) -> None:
        await asyncio.sleep(1)

    loop.run_until_complete(main(payload))
    del payload
    gc.collect()
    assert left[0]() is None
    loop.close()
    del loop
    gc.collect()
    assert left[1]() is None
