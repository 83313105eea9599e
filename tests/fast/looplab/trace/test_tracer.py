"""The tracer comes and goes, and says which callback made which."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, run
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer, Timer, Trace, record
from tests.fast.looplab.trace.helpers import (
    MS,
    attach_amid_an_iteration,
    both,
    closed_as_it_is_noticed,
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
    assert [one.label for one in inner] == [one.label for one in outer[2:]]


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


def test_attaching_amid_an_iteration_keeps_the_order() -> None:
    attach_amid_an_iteration(VirtualTimeLoop)


def test_a_tracer_that_is_attached_is_not_attached_again() -> None:
    async def main() -> None:
        tracer = LoopTracer()
        with tracer, pytest.raises(RuntimeError, match="attached already"):
            tracer.__enter__()

    run(main())


def test_the_loop_is_left_as_it_was() -> None:
    loop = VirtualTimeLoop()
    before = set(vars(loop))
    with LoopTracer(loop, whole=True):
        assert set(vars(loop)) != before
    assert set(vars(loop)) == before
    loop.close()


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
        for one, origin in zip(trace, trace.origins, strict=True)
        if one.run_ns <= timer.due_ns < one.ended_ns
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
