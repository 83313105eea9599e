"""Plumbing: callbacks of file descriptors, signals and threads on the priority loop.

They go first, whoever made them, and nobody starves: neither they nor the others.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import Context
from functools import partial
from typing import Any

import pytest

from looplab.priority import PriorityEventLoop, current_priority, priority
from looplab.priority import loop as real
from looplab.priority.context import context_with
from tests.fast.looplab.jobs.shared import turns
from tests.fast.looplab.priority.priority_loops import POLICIES, on


@contextmanager
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of a connection."""
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        yield near, far


async def spin(until: Callable[[], bool]) -> None:
    """Be ready all the time until something holds."""
    while not until():
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time by which a queue ends its lots; it stands still but for the test."""
    now = [time.monotonic()]
    monkeypatch.setattr(real, "_monotonic", lambda: now[0])
    return now


# ---------------------------------------------------------------- file descriptors


@pytest.mark.parametrize("in_use", [False, True], ids=["no priorities", "priorities"])
def test_a_file_descriptor_waits_in_line_once(in_use: bool) -> None:
    """The selector reports it at every look, and it is ready until it was read."""

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        ran: list[str] = []
        with sockets() as (a, b):

            def job(number: int) -> None:
                ran.append("job")

            def readable() -> None:
                a.recv(1)  # BlockingIOError if there is nothing to read
                ran.append("io")

            errors: list[Any] = []
            loop.set_exception_handler(lambda _, facts: errors.append(facts))
            loop.add_reader(a, readable)
            if in_use:
                with priority(1):
                    loop.call_soon(int)
                await asyncio.sleep(0)
            b.send(b"x")
            for number in range(10):  # in front of it
                loop.call_soon(job, number, context=Context() if in_use else None)
            while len(ran) < 11:
                await asyncio.sleep(0)
            await turns(30)  # if it stands in line again, it has its turn
            loop.remove_reader(a)
        assert not errors, errors
        assert not loop._ready.known_plumbing or not in_use  # type: ignore[attr-defined]
        return ran

    looks_always = partial(PriorityEventLoop, look_every=0)
    assert sorted(on(main, loop=looks_always)) == ["io", *["job"] * 10]


def test_the_wake_up_pipe_belongs_to_nobody() -> None:
    """Whoever makes the loop, even with a priority, threads can wake it."""
    with priority(-5):
        loop = PriorityEventLoop()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        thread = threading.Thread(
            target=partial(loop.call_soon_threadsafe, context=context_with(9)),
            args=(ran.append, True),
        )
        thread.start()
        with priority(9):
            await asyncio.create_task(spin(lambda: bool(ran)))
        thread.join()
        assert current_priority() == 0, "the first task has none of it"

    ran: list[bool] = []
    wakes = [
        key.data[0]
        for key in loop._selector.get_map().values()  # the pipe is all that it has
    ]
    assert [list(handle._context) for handle in wakes] == [[]]
    try:
        Context().run(loop.run_until_complete, main())
    finally:
        loop.close()


# ---------------------------------------------------------------- threads and signals


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")
@POLICIES
def test_a_signal_is_handled_while_urgent_callbacks_never_end(policy: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        got: list[int] = []
        loop.add_signal_handler(signal.SIGUSR1, got.append, 1)
        assert current_priority() == 0

        async def urgent() -> None:
            os.kill(os.getpid(), signal.SIGUSR1)
            await spin(lambda: bool(got))

        try:
            with priority(9):
                await asyncio.create_task(urgent())
        finally:
            loop.remove_signal_handler(signal.SIGUSR1)

    on(main, policy=policy)


@pytest.mark.usefixtures("clock")
def test_what_waits_when_priorities_come_into_use_goes_first_too() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        order: list[str] = []
        with sockets() as (a, b):
            b.send(b"x")

            def readable() -> None:
                order.append("io")
                loop.remove_reader(a)

            loop.add_reader(a, readable)

            def give_priorities() -> None:
                loop._look()  # type: ignore[attr-defined]  # the descriptor waits
                with priority(1):
                    for _ in range(3):
                        loop.call_soon(order.append, "urgent")

            loop.call_soon(give_priorities)
            loop.call_soon(order.append, "other")
            loop.call_soon(order.append, "nobody's", context=Context())
            while len(order) < 6:
                await asyncio.sleep(0)
        return order

    order = on(main)
    assert sorted(order[:3]) == ["io", "nobody's", "urgent"], "one other after each lot"
    assert order[3:] == ["urgent", "urgent", "other"]


# ---------------------------------------------------------------- without priorities


def arrivals(loop: Any) -> list[str]:
    """A batch of callbacks, while a timer and a file descriptor become ready."""

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        order: list[str] = []
        with sockets() as (receiving, sending):

            def readable() -> None:
                order.append("io")
                loop.remove_reader(receiving)

            def a() -> None:
                order.append("a")
                sending.send(b"x")
                loop.call_later(0, order.append, "timer")
                loop.call_soon(order.append, "d")

            def b() -> None:
                order.append("b")
                loop.call_soon(order.append, "e")

            loop.add_reader(receiving, readable)
            loop.call_soon(a)
            loop.call_soon_threadsafe(b)
            thread = threading.Thread(
                target=loop.call_soon_threadsafe, args=(order.append, "thread")
            )
            thread.start()
            thread.join()  # so it has been added: there is no race
            loop.call_soon(order.append, "c")
            loop.call_soon(order.append, "bare", context=Context())
            while len(order) < 9:
                await asyncio.sleep(0)
        return order

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(main())


def test_without_priorities_all_is_as_on_the_stock_loop() -> None:
    stock = arrivals(asyncio.SelectorEventLoop)
    assert arrivals(PriorityEventLoop) == stock
    assert stock == ["a", "b", "thread", "c", "bare", "d", "e", "io", "timer"]


def test_with_a_priority_timers_and_io_join_the_line_sooner() -> None:
    def in_use() -> PriorityEventLoop:
        loop = PriorityEventLoop(look_every=0)
        loop.call_later(3_600, int, context=context_with(1))
        return loop

    order = arrivals(in_use)
    assert (
        order.index("io") < order.index("d") < order.index("timer") < order.index("e")
    )
    assert [name for name in order if name in ("a", "b", "thread", "c", "d")] == [
        "a", "b", "thread", "c", "d",
    ]  # fmt: skip


def test_a_descriptor_ends_a_future_once() -> None:
    """Though it stays ready, and whoever waits for the future is less urgent."""
    loop = PriorityEventLoop()
    loop._ready.start()
    future = loop.create_future()
    handle = asyncio.Handle(future.set_result, (None,), loop, Context())
    key = selectors.SelectorKey(99, 99, selectors.EVENT_READ, (handle, None))
    with closing(loop):
        loop._process_events([(key, selectors.EVENT_READ)])
        loop._ready.popleft()._run()
        assert future.done()
        loop._process_events([(key, selectors.EVENT_READ)])  # it is reported again
        assert not loop._ready
