"""The tracer comes and goes."""

from __future__ import annotations

import asyncio

import pytest

from looplab.clock import VirtualTimeLoop, run
from looplab.trace import LoopTracer, Trace
from tests.fast.looplab.trace.helpers import attach_amid_an_iteration


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


def test_what_cannot_be_traced() -> None:
    class OtherLoop:  # uvloop keeps its queue in C
        def is_closed(self) -> bool:
            return False

    with pytest.raises(TypeError, match=r"OtherLoop has no ready queue that a tracer"):
        LoopTracer(OtherLoop()).__enter__()  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no event loop is running here"):
        LoopTracer().__enter__()
    loop = VirtualTimeLoop()
    loop.close()
    with pytest.raises(RuntimeError, match="is closed"):
        LoopTracer(loop).__enter__()
    with pytest.raises(ValueError, match="limit is 0"):
        LoopTracer(limit=0)


def test_attaching_amid_an_iteration_keeps_the_order() -> None:
    attach_amid_an_iteration(VirtualTimeLoop)


def test_a_tracer_that_is_attached_is_not_attached_again() -> None:
    async def main() -> None:
        tracer = LoopTracer()
        with tracer, pytest.raises(RuntimeError, match="attached already"):
            tracer.__enter__()

    run(main())
