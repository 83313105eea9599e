"""What the tests of the job queue share: jobs, the time, and turns of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from tests.fast.looplab.clock.random_programs import StockLoop

__all__ = ["Main", "fail", "fail_when", "give", "now", "on_stock_loop", "turns"]

Main = Coroutine[Any, Any, Any]


def on_stock_loop(main: Main) -> Any:
    """Run *main* on the stock loop's own code, on a clock that it moves."""
    with asyncio.Runner(loop_factory=StockLoop) as runner:
        return runner.run(main)


async def give(value: Any, after: float = 0.0) -> Any:
    await asyncio.sleep(after)
    return value


async def fail(error: BaseException, after: float = 0.0) -> NoReturn:
    await asyncio.sleep(after)
    raise error


async def turns(count: int) -> None:
    """Let the loop turn, however long that takes: what needs no time is done."""
    for _ in range(count):
        await asyncio.sleep(0)


async def fail_when(condition: Callable[[], bool], error: BaseException) -> NoReturn:
    """Fail a few turns after something holds, or in the end without it."""
    for _ in range(1_000):
        if condition():
            break
        await asyncio.sleep(0)
    await turns(50)
    raise error


def now() -> float:
    return asyncio.get_running_loop().time()
