"""Tracing the stock loop: it measures, it comes and goes, and threads lose nothing."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
import weakref
from collections import deque
from functools import partial
from typing import Any

import pytest

from looplab.clock import burn, run, run_real
from looplab.trace import LoopTracer, Trace, record
from tests.fast.looplab.trace.helpers import (
    attach_amid_an_iteration,
    bare,
    both_clocks,
    both_loops,
    nothing,
    small_program,
    story,
)


def test_both_clocks_tell_the_same_story() -> None:
    async def cell() -> Trace:  # where a loop runs already
        return record(small_program(), clock="real")

    virtual, real = record(small_program()), asyncio.run(cell())
    assert story(virtual) == story(real)
    assert len(virtual) > 10
    assert (virtual.clock, real.clock) == ("virtual", "real")
    assert all(0 <= r.ready_ns <= r.run_ns <= r.ended_ns for r in real)
    assert real.busy + real.idle == pytest.approx(real.duration)


@both_clocks
@pytest.mark.parametrize("error", [LookupError, asyncio.CancelledError])
def test_an_error_in_main_propagates(clock: Any, error: Any) -> None:
    async def main() -> None:
        await asyncio.sleep(0)
        raise error

    with pytest.raises(error):
        record(main(), clock=clock)


# -- what a callback is called ------------------------------------------------------


class Caller:
    def __call__(self) -> None: ...
    def method(self) -> None: ...


@both_clocks
def test_labels(clock: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        loop.call_soon(nothing).cancel()
        loop.call_later(0.001, nothing).cancel()
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


def test_python_tasks_have_names_too() -> None:
    async def main() -> None:
        async def inner() -> None:
            await asyncio.sleep(0.001)

        loop = asyncio.get_running_loop()
        task = asyncio.tasks._PyTask(inner(), loop=loop)  # type: ignore[attr-defined]
        task.set_name("slow-but-readable")
        await task

    trace = record(main(), clock="real").filter(task="slow-but-readable")
    assert [bare(r.label) for r in trace] == ["inner", "inner"]


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


# -- it comes and goes --------------------------------------------------------------


def test_attaching_amid_an_iteration_keeps_the_order() -> None:
    attach_amid_an_iteration(asyncio.SelectorEventLoop)


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


def test_a_second_tracer_is_refused() -> None:
    async def main() -> None:
        with (
            LoopTracer() as tracer,
            pytest.raises(RuntimeError, match="traced already"),
            LoopTracer(),
        ):
            pass  # pragma: no cover
        assert len(tracer.trace) == 1

    asyncio.run(main())


def test_a_loop_in_another_thread_is_refused() -> None:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        while not loop.is_running():
            time.sleep(0.001)
        with pytest.raises(RuntimeError, match="runs in another thread"):
            LoopTracer(loop).__enter__()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_queue_that_somebody_replaced_is_reported() -> None:
    loop: Any = asyncio.new_event_loop()
    tracer = LoopTracer(loop)
    with pytest.raises(RuntimeError, match="was replaced"), tracer:
        loop._ready = deque(loop._ready)
    loop.close()


def test_threads_lose_nothing() -> None:
    """Two threads add callbacks while tracers come and go."""
    each, threads = 3000, 2
    ran: list[tuple[int, int]] = []
    traced = threading.Event()

    def send(loop: asyncio.AbstractEventLoop, who: int) -> None:
        traced.wait()
        for i in range(each):
            loop.call_soon_threadsafe(ran.append, (who, i))

    async def main() -> int:
        loop = asyncio.get_running_loop()
        senders = [
            threading.Thread(target=send, args=(loop, i)) for i in range(threads)
        ]
        for sender in senders:
            sender.start()
        seen = 0
        while any(sender.is_alive() for sender in senders):
            with LoopTracer() as tracer:
                traced.set()
                await asyncio.sleep(0.001)
                while not ran:  # the first tracer sees one at least
                    await asyncio.sleep(0.001)
            seen += len(tracer.trace.filter(label="list.append"))
        for sender in senders:
            sender.join()
        await asyncio.sleep(0.05)
        return seen

    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # switch as often as can be
    try:
        seen = asyncio.run(main())
    finally:
        sys.setswitchinterval(old)
    for who in range(threads):
        assert [i for w, i in ran if w == who] == list(range(each))
    assert 0 < seen <= each * threads


@both_clocks
def test_tracing_keeps_no_task_and_no_coroutine(clock: Any) -> None:
    class Token: ...

    refs: list[weakref.ref[Any]] = []

    async def job(token: Token) -> None:
        await asyncio.sleep(0)

    async def main() -> list[bool]:
        with LoopTracer() as tracer:
            token = Token()
            task = asyncio.create_task(job(token))
            refs.extend([weakref.ref(token), weakref.ref(task)])
            await task
            del token, task
            await asyncio.sleep(0)  # the handle that woke us up held the task
            gc.collect()
            gone = [ref() is None for ref in refs]
        assert len(tracer.trace)
        return gone

    runner = run if clock == "virtual" else run_real
    assert runner(main()) == [True, True]


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

    asyncio.run(main())
    assert ran == [1, 2]
