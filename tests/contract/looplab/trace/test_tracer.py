"""Tracing a loop of asyncio's own on its real clock, beside threads."""

from __future__ import annotations

import asyncio
import sys
import threading
import time

import pytest

from looplab.trace import LoopTracer, Trace, record
from tests.fast.looplab.jobs.shared import turns
from tests.fast.looplab.trace.helpers import bare, small_program


def story(trace: Trace) -> list[tuple[bool, bool, str]]:
    """What ran, in order: has a task, was timed, label.

    Default task names count per process on the stock loop, so they are left out.
    """
    return [(r.task is not None, r.due_ns is not None, bare(r.label)) for r in trace]


def test_both_clocks_tell_the_same_story() -> None:
    async def cell() -> Trace:  # where a loop runs already
        return record(small_program(), clock="real")

    virtual, real = record(small_program()), asyncio.run(cell())
    assert story(virtual) == story(real)
    assert len(virtual) > 10
    assert (virtual.clock, real.clock) == ("virtual", "real")
    assert all(0 <= r.ready_ns <= r.run_ns <= r.ended_ns for r in real)
    assert real.busy + real.idle == pytest.approx(real.duration)


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
        await turns(10)  # all have been added
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
