"""The tracer comes and goes, and says which callback made which."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from collections import deque
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, burn, run
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer, Timer, Trace, record
from tests.fast.looplab.clock.random_programs import StockLoop
from tests.fast.looplab.jobs.shared import on_stock_loop
from tests.fast.looplab.trace.helpers import (
    MS,
    bare,
    both,
    both_loops,
    closed_as_it_is_noticed,
    nothing,
    traced,
)


def test_a_virtual_loop_takes_several_tracers() -> None:
    async def main() -> tuple[Trace, Trace]:
        with LoopTracer() as outer:
            await asyncio.sleep(1)
            with LoopTracer() as inner:
                await asyncio.sleep(2)
        return outer.trace, inner.trace

    outer, inner = run(main())
    assert (outer.duration, inner.duration) == (3, 2)
    assert [record.label for record in inner] == [record.label for record in outer[2:]]


class OtherLoop:  # uvloop keeps its queue in C
    def is_closed(self) -> bool:
        return False


def closed() -> Any:
    loop = VirtualTimeLoop()
    loop.close()
    return loop


@pytest.mark.parametrize(
    ("loop", "error", "words"),
    [
        (OtherLoop, TypeError, "OtherLoop has no ready queue that a tracer"),
        (lambda: None, RuntimeError, "no event loop is running here"),
        (closed, RuntimeError, "is closed"),
    ],
)
def test_what_cannot_be_traced(loop: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        LoopTracer(loop()).__enter__()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"clock": "atomic"}, r"clock is 'atomic': give \"virtual\""),
        ({"watch": int}, "add whole=True"),
        ({"clock": "real", "whole": True}, "whole is True.*virtual clock"),
    ],
)
def test_wrong_settings_of_record(settings: Any, words: str) -> None:
    async def main() -> None: ...

    with pytest.raises(ValueError, match=words):
        record(main(), **settings)
    gc.collect()  # a coroutine that was never awaited would warn here


@pytest.mark.parametrize("wrong", [both, 7])
def test_what_is_no_coroutine_is_not_recorded(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"record\("):
        record(wrong)


@both_loops
def test_attaching_amid_an_iteration_keeps_the_order(new_loop: Any) -> None:
    async def program(*, is_traced: bool) -> list[str]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []

        async def tracing() -> None:
            seen.append("tracing")
            with LoopTracer() if is_traced else nullcontext():
                await asyncio.sleep(0)
                seen.append("inside")
            loop.call_soon(seen.append, "after")

        def add(name: str) -> None:
            seen.append(name)
            loop.call_soon(seen.append, f"{name}'s")

        loop.call_soon(add, "a")
        loop.call_soon(add, "b").cancel()
        task = asyncio.create_task(tracing())
        loop.call_soon(add, "c")
        loop.call_later(0, seen.append, "timer")
        loop.call_soon(add, "d")
        await task
        await asyncio.sleep(0.01)
        return seen

    with asyncio.Runner(loop_factory=new_loop) as runner:
        untraced = runner.run(program(is_traced=False))
        assert runner.run(program(is_traced=True)) == untraced
        assert len(untraced) == 10


@both_loops
def test_the_loops_own_queue_comes_back(new_loop: Any) -> None:
    loop = new_loop()
    own = loop._ready
    assert type(own) is deque
    with LoopTracer(loop) as tracer:
        loop.call_soon(nothing)
        with pytest.raises(RuntimeError, match="no trace yet"):
            _ = tracer.trace
    assert loop._ready is own
    assert len(own) == 1  # still to run
    assert len(tracer.trace) == 0
    with LoopTracer(loop) as tracer:
        loop.call_soon(loop.stop)
        loop.run_forever()
    assert [bare(r.label) for r in tracer.trace] == ["nothing", "BaseEventLoop.stop"]
    loop.close()


@both_loops
def test_an_error_in_the_block_detaches(new_loop: Any) -> None:
    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        tracer = LoopTracer()
        with pytest.raises(ZeroDivisionError), tracer:
            _ = 1 / 0
        assert type(loop._ready) is deque
        assert len(tracer.trace) == 1
        with tracer:  # it may be used again
            await asyncio.sleep(0)
        assert len(tracer.trace) == 2

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())


@both_loops
def test_tracing_keeps_no_task_and_no_coroutine(new_loop: Any) -> None:
    class Token: ...

    async def job(token: Token) -> None:
        await asyncio.sleep(0)

    async def main() -> None:
        token = Token()
        task = asyncio.create_task(job(token))
        left = [weakref.ref(token), weakref.ref(task)]
        await task
        del token, task
        await asyncio.sleep(0)  # the handle that woke us up held the task
        gc.collect()
        assert [ref() for ref in left] == [None, None]

    assert len(traced(new_loop, main)) > 2


def test_an_error_of_the_program_propagates() -> None:
    for error in (LookupError, asyncio.CancelledError):

        async def main(error: type[BaseException] = error) -> None:
            await asyncio.sleep(0)
            raise error

        with pytest.raises(error):
            record(main())


def test_who_is_traced_is_not_traced_again() -> None:
    async def twice(tracer: LoopTracer, other: LoopTracer, words: str) -> None:
        with tracer, pytest.raises(RuntimeError, match=words):
            other.__enter__()
        assert len(tracer.trace) == 1

    tracer = LoopTracer()
    run(twice(tracer, tracer, "attached already"))
    on_stock_loop(twice(LoopTracer(), LoopTracer(), "traced already"))


def test_a_queue_that_somebody_replaced_is_reported() -> None:
    loop: Any = StockLoop()
    tracer = LoopTracer(loop)
    with pytest.raises(RuntimeError, match="was replaced"), tracer:
        loop._ready = deque(loop._ready)
    loop.close()


def test_a_slow_thread_keeps_its_order_from_one_tracer_to_the_next() -> None:
    """It has hold of the queue of the first one, and goes on when there is another."""
    ran: list[int] = []

    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        with LoopTracer():
            slow = loop._ready
        with LoopTracer():
            slow.append(asyncio.Handle(ran.append, (1,), loop))
            loop.call_soon(ran.append, 2)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    on_stock_loop(main())
    assert ran == [1, 2]


def test_the_loop_is_left_as_it_was() -> None:
    loop = VirtualTimeLoop()
    before = set(vars(loop))
    with LoopTracer(loop, whole=True):
        assert set(vars(loop)) != before
    assert set(vars(loop)) == before
    loop.close()


# -- what a callback is called ------------------------------------------------------


class Caller:
    def __call__(self) -> None: ...
    def method(self) -> None: ...


@both_loops
def test_labels(new_loop: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        loop.call_soon(nothing).cancel()
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

    labels = [bare(r.label) for r in traced(new_loop, main) if r.task is None]
    assert [label.replace("Numbered.", "Task.") for label in labels] == [
        "Caller",
        "Caller.method",
        "Caller.method",
        "list.clear",
        "Task.cancelled",
        "<lambda>",
    ]


@both_loops
def test_a_plain_callback_that_a_timer_adds_is_not_late(new_loop: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(1, loop.call_soon, nothing)
        await asyncio.sleep(2)

    [added] = traced(new_loop, main).filter(label="nothing")
    assert (added.due_at, added.ready_at) == (None, 1.0)


def test_python_tasks_have_names_too() -> None:
    async def main() -> None:
        async def inner() -> None:
            await asyncio.sleep(0.001)

        loop = asyncio.get_running_loop()
        task = asyncio.tasks._PyTask(inner(), loop=loop)  # type: ignore[attr-defined]
        task.set_name("slow-but-readable")
        await task

    trace = traced(StockLoop, main).filter(task="slow-but-readable")
    assert [bare(r.label) for r in trace] == ["inner", "inner"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_the_first_step_of_an_eager_task_belongs_to_its_maker() -> None:
    async def main() -> None:
        async def inner() -> None:
            burn(0.01)
            await asyncio.sleep(0)

        factory = asyncio.eager_task_factory  # type: ignore[attr-defined]
        asyncio.get_running_loop().set_task_factory(factory)
        await asyncio.create_task(inner(), name="eager")

    trace = record(main())
    assert len(trace.filter(task="eager")) == 1
    assert trace[0].duration == 0.01


# -- all of a run -----------------------------------------------------------------


def test_one_sleep_touches_three_iterations() -> None:
    trace = record(both(), whole=True)
    assert trace.origins is not None
    (timer,) = trace.timers
    setter = 1  # the first step of the sleeper
    assert timer == Timer(0, setter, 25 * MS, None, None)
    noticed = next(i for i, o in enumerate(trace.origins) if o.timer == 0)
    woken = next(i for i, o in enumerate(trace.origins) if o.maker == noticed)
    due_in = next(
        origin.iteration
        for callback, origin in zip(trace, trace.origins, strict=True)
        if callback.run_ns <= timer.due_ns < callback.ended_ns
    )
    assert trace.origins[noticed].iteration == due_in + 1
    assert trace.origins[woken].iteration == due_in + 2
    plain = record(both())
    assert (plain, plain.origins, plain.timers) == (trace, None, ())
    assert trace[:3].origins is None
    assert trace.filter(task="sleeper").timers == ()


async def in_time() -> None:
    async with asyncio.timeout(5):
        await asyncio.sleep(1)


@pytest.mark.parametrize(
    ("main", "due", "cancelled"),
    [(in_time, 5_000, 1_000), (closed_as_it_is_noticed, 25, 30)],
)
def test_a_timer_that_is_cancelled_says_by_whom(
    main: Any, due: int, cancelled: int
) -> None:
    """Also one that is cancelled after it was noticed."""
    trace = record(main(), whole=True)
    (timeout,) = [timer for timer in trace.timers if timer.due_ns == due * MS]
    assert timeout.cancelled_ns == cancelled * MS
    assert timeout.cancelled_by is not None
    assert trace[timeout.cancelled_by].label.endswith(("in_time", "guarded"))
    others = [timer.cancelled_ns for timer in trace.timers if timer is not timeout]
    assert set(others) <= {None}


def test_a_priority_loop_notices_a_timer_between_two_callbacks() -> None:
    async def main() -> None:
        with priority(1):
            await asyncio.gather(both(), both())

    trace = record(main(), whole=True, loop_factory=VirtualPriorityLoop)
    assert trace.looks_between
    assert trace.origins is not None
    noticed = next(i for i, o in enumerate(trace.origins) if o.timer is not None)
    maker = trace.origins[noticed].maker
    assert maker is not None, "it was noticed as a callback ended, amid an iteration"
    assert trace[maker].ended_ns == trace[noticed].ready_ns
