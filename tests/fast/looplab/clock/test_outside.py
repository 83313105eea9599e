"""Calls that would leave the clock are refused."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import iscoroutinefunction
from typing import Any

import pytest

from looplab.clock import OutsideCallError, VirtualTimeLoop, run
from looplab.clock.outside import INSTEAD
from tests.fast.looplab.clock.helpers import nothing


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_calls_into_the_outside(loop: VirtualTimeLoop, name: str) -> None:
    assert hasattr(asyncio.AbstractEventLoop, name)
    with pytest.raises(
        OutsideCallError, match=rf"loop\.{name}\(\) needs (a|an|the|another) "
    ) as caught:
        getattr(loop, name)(None, None)
    assert isinstance(caught.value, NotImplementedError)
    assert "asyncio.sleep()" in str(caught.value)


def test_no_call_into_the_outside_is_forgotten() -> None:
    """What the stock Unix loop adds to the base loop's face, we refuse or replace.

    So do we with whatever is awaited, but for the ends of a program.
    """
    inside = {"time", "close", "shutdown_asyncgens", "shutdown_default_executor"}
    stock, base = asyncio.SelectorEventLoop, asyncio.BaseEventLoop
    for name in {*dir(stock)} - inside:
        method = getattr(stock, name)
        added = method is not getattr(base, name, None)
        if not name.startswith("_") and (added or iscoroutinefunction(method)):
            assert name in INSTEAD, name


async def serve(reader: object, writer: object) -> None: ...


@pytest.mark.parametrize(
    "call",
    [
        lambda: asyncio.to_thread(time.sleep, 1),
        lambda: asyncio.get_running_loop().run_in_executor(None, time.sleep, 1),
        lambda: asyncio.create_subprocess_exec("true"),
        lambda: asyncio.create_subprocess_shell("true"),
        lambda: asyncio.open_connection("localhost", 1),
        lambda: asyncio.start_server(serve, "localhost", 0),
        lambda: asyncio.get_running_loop().getaddrinfo("localhost", 1),
    ],
)
@pytest.mark.filterwarnings("error")  # such as "coroutine was never awaited"
def test_asyncios_own_calls_into_the_outside(call: Callable[[], Any]) -> None:
    async def main() -> None:
        await call()

    with pytest.raises(OutsideCallError):
        run(main())
    gc.collect()


def test_a_pool_that_was_given_is_shut_down_without_a_thread() -> None:
    class Pool(ThreadPoolExecutor):
        is_down = False

        def shutdown(self, *args: Any, **options: Any) -> None:
            self.is_down = True

    pool = Pool()

    async def main() -> float:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(pool)
        await loop.shutdown_default_executor()
        return loop.time()

    assert run(main()) == 0
    assert pool.is_down


def test_closed_loop_refuses_work() -> None:
    loop = VirtualTimeLoop()
    loop.call_later(1, int)
    loop.close()
    loop.close()
    assert repr(loop) == "<VirtualTimeLoop closed at 0 s>"
    for call in (
        lambda: loop.call_soon(int),
        lambda: loop.call_later(1, int),
        lambda: loop.call_at(1, int),
        lambda: loop.call_soon_threadsafe(int),
        loop.run_forever,
    ):
        with pytest.raises(RuntimeError, match="Event loop is closed"):
            call()
    coro = nothing()
    with pytest.raises(RuntimeError, match="Event loop is closed"):
        loop.create_task(coro)
    coro.close()
