"""Other threads beside a virtual loop, and what a fresh process shows of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import (
    DeadlockError,
    OutsideCallError,
    VirtualTimeLoop,
    burn,
    elapsed,
    run,
)
from looplab.priority import VirtualPriorityLoop
from tests.contract.looplab.fresh import python
from tests.fast.looplab.clock.helpers import nothing


def in_a_thread(call: Callable[[], Any]) -> BaseException | None:
    """What a call raises in a thread."""
    errors: list[BaseException | None] = [None]

    def work() -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="waker")
    thread.start()
    thread.join()
    return errors[-1]


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
def test_a_thread_that_would_wake_the_loop_is_refused(make: Any, wake: Any) -> None:
    async def program() -> tuple[asyncio.AbstractEventLoop, BaseException | None]:
        loop = asyncio.get_running_loop()
        return loop, in_a_thread(lambda: wake(loop))

    loop, error = run(program(), loop_factory=make)
    for refused in (error, in_a_thread(lambda: wake(loop))):  # the loop is closed now
        assert isinstance(refused, OutsideCallError)
        assert "'waker'" in str(refused)
        assert "run_real()" in str(refused)


def test_debug_mode_refuses_it_for_other_calls_as_the_stock_loop_does() -> None:
    async def program() -> list[str]:
        loop = asyncio.get_running_loop()
        calls = (lambda: loop.call_soon(int), lambda: loop.call_later(1, int))
        return [str(in_a_thread(call)) for call in calls]

    assert all("Non-thread-safe" in words for words in run(program(), debug=True))


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


def test_burn_does_not_move_another_threads_virtual_clock() -> None:
    async def program() -> float:
        in_a_thread(lambda: burn(0.01))
        return elapsed()

    assert run(program()) == 0.0


def test_a_process_with_a_loop_starts_nothing_and_leaves_nothing_open() -> None:
    done = python(
        "-Xdev",
        "-Werror",
        "-c",
        "import asyncio, gc, sys, threading\n"
        "from looplab import VirtualTimeLoop, run\n"
        "run(asyncio.sleep(1))\n"
        "loop = VirtualTimeLoop()\n"
        "loop.run_until_complete(asyncio.sleep(1))\n"
        "loop.close()\n"
        "del loop\n"
        "gc.collect()\n"
        "print(threading.active_count(), 'matplotlib' in sys.modules)\n",
    )
    assert (done.stdout, done.stderr) == ("1 False\n", "")
