"""A thread that would wake the virtual loop is refused where it calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from looplab.clock import DeadlockError, OutsideCallError, VirtualTimeLoop, run
from looplab.priority import VirtualPriorityLoop


async def nothing() -> None:
    pass


def by_callback(loop: asyncio.AbstractEventLoop) -> None:
    loop.call_soon_threadsafe(print)


def by_coroutine(loop: asyncio.AbstractEventLoop) -> None:
    coro = nothing()
    try:
        asyncio.run_coroutine_threadsafe(coro, loop)
    finally:
        coro.close()


@pytest.mark.parametrize("make", [VirtualTimeLoop, VirtualPriorityLoop])
@pytest.mark.parametrize("wake", [by_callback, by_coroutine])
@pytest.mark.parametrize("closed", [False, True])
def test_a_thread_is_refused(
    make: Callable[[], VirtualTimeLoop],
    wake: Callable[[asyncio.AbstractEventLoop], None],
    closed: bool,
) -> None:
    errors: list[BaseException] = []

    def call(loop: asyncio.AbstractEventLoop) -> None:
        try:
            wake(loop)
        except BaseException as error:
            errors.append(error)

    def in_a_thread(loop: asyncio.AbstractEventLoop) -> None:
        thread = threading.Thread(target=call, args=(loop,), name="waker")
        thread.start()
        thread.join()

    async def program() -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if not closed:
            in_a_thread(loop)
        return loop

    loop = run(program(), loop_factory=make)
    if closed:
        in_a_thread(loop)
    (error,) = errors
    assert isinstance(error, OutsideCallError)
    assert "'waker'" in str(error)
    assert "run_real()" in str(error)


def test_deadlock_names_the_threads_of_the_program() -> None:
    go_on = threading.Event()
    threads: list[threading.Thread] = []

    async def program() -> None:
        threads.append(threading.Thread(target=go_on.wait, name="filler"))
        threads[0].start()
        await asyncio.Event().wait()

    try:
        with pytest.raises(DeadlockError, match="'filler'"):
            run(program())
    finally:
        go_on.set()
        threads[0].join()


def test_its_own_thread_may_call() -> None:
    async def program() -> list[str]:
        seen: list[str] = []
        asyncio.get_running_loop().call_soon_threadsafe(seen.append, "called")
        await asyncio.sleep(1)
        return seen

    assert run(program()) == ["called"]
