"""Threads, debug mode, exceptions, memory, and the rest of the stock loop's face."""

from __future__ import annotations

import asyncio
import contextlib
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
    elapsed,
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


def test_exception_without_a_handler_is_logged(
    loop: VirtualTimeLoop, caplog: pytest.LogCaptureFixture
) -> None:
    loop.call_soon(divmod, 1, 0)
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert "Exception in callback divmod(" in caplog.text


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


def test_stop_before_run_forever(loop: VirtualTimeLoop) -> None:
    seen: list[int] = []
    loop.call_soon(seen.append, 1)
    loop.call_later(1, seen.append, 2)
    loop.stop()
    loop.run_forever()
    assert seen == [1]
    assert loop.time() == 0.0
    assert not loop.is_running()


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


def test_run_until_complete_of_a_stopped_loop(loop: VirtualTimeLoop) -> None:
    loop.call_later(1, loop.stop)
    with pytest.raises(RuntimeError, match="stopped before Future completed"):
        loop.run_until_complete(loop.create_future())


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


def test_forgotten_async_generator_is_closed() -> None:
    closed: list[str] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            closed.append("closed")

    async def main() -> None:
        async for _ in numbers():
            break
        gc.collect()
        await asyncio.sleep(1)
        assert closed == ["closed"]

    run(main())


def test_custom_task_factory(loop: VirtualTimeLoop) -> None:
    made: list[str] = []

    def factory(loop: Any, coro: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(coro.__name__)
        return asyncio.Task(coro, loop=loop, **options)

    loop.set_task_factory(factory)
    loop.run_until_complete(nothing())
    assert made == ["nothing"]


def test_a_task_factory_that_knows_no_names(loop: VirtualTimeLoop) -> None:
    def factory(loop: Any, coro: Any) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=loop)

    async def main() -> list[str]:
        loop.set_task_factory(factory)
        tasks = [loop.create_task(nothing()) for _ in range(2)]
        await asyncio.gather(*tasks)
        return [task.get_name() for task in tasks]

    assert loop.run_until_complete(main()) == ["Task-2", "Task-3"]


def test_task_group_aborts_its_other_tasks() -> None:
    ended: list[str] = []

    async def child(number: int) -> None:
        try:
            await asyncio.sleep(number)
            if number == 2:
                raise LookupError("two")
        except asyncio.CancelledError:
            ended.append(f"{number} at {elapsed()}")
            raise

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(6):
                group.create_task(child(number))

    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    assert repr(caught.value.exceptions) == "(LookupError('two'),)"
    assert ended == ["3 at 2.0", "4 at 2.0", "5 at 2.0"]


def test_timeout() -> None:
    async def main() -> tuple[float, float]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.5):
                await asyncio.sleep(10)
        first = elapsed()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 2)
        return first, elapsed()

    assert run(main()) == (1.5, 3.5)


def test_synchronisation_primitives() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        lock, condition = asyncio.Lock(), asyncio.Condition()
        barrier, queue = asyncio.Barrier(3), asyncio.Queue[str](1)
        semaphore = asyncio.Semaphore(2)

        async def work(name: str) -> None:
            async with lock:
                await asyncio.sleep(1)
                seen.append(f"{name} locked {elapsed():g}")
            async with semaphore:
                await asyncio.sleep(1)
            await barrier.wait()
            seen.append(f"{name} passed {elapsed():g}")
            await queue.put(name)
            async with condition:
                await condition.wait_for(lambda: elapsed() >= 10)
            seen.append(f"{name} notified {elapsed():g}")

        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(work(name))
            for _ in range(3):
                seen.append(f"{await queue.get()} came")
            await asyncio.sleep(10 - elapsed())
            async with condition:
                condition.notify_all()
        return seen

    assert run(main()) == [
        "a locked 1",
        "b locked 2",
        "c locked 3",
        "c passed 4",
        "a passed 4",
        "b passed 4",
        "c came",
        "a came",
        "b came",
        "c notified 10",
        "a notified 10",
        "b notified 10",
    ]


def test_wait_and_as_completed() -> None:
    async def sleep(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    async def main() -> list[float]:
        tasks = [asyncio.create_task(sleep(s)) for s in (3, 1, 2, 1)]
        done, pending = await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
        assert {tasks.index(task) for task in done} == {1, 3}
        assert {tasks.index(task) for task in pending} == {0, 2}
        return [await each for each in asyncio.as_completed(tasks)]

    assert run(main()) == [1, 1, 2, 3]


def test_shield_and_cancellation() -> None:
    async def main() -> float:
        inner = asyncio.create_task(asyncio.sleep(5))
        outer = asyncio.create_task(asyncio.wait_for(asyncio.shield(inner), 1))
        with pytest.raises(TimeoutError):
            await outer
        await inner
        return elapsed()

    assert run(main()) == 5.0


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
