"""What a thread knows of the request."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

from looplab.clock import VirtualTimeLoop
from ontime.check.registry import exercise
from ontime.check.tools import (
    finished,
    need_async_function,
    need_awaitable,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


def _in_thread(
    loop: _PoolLoop, executor: object, func: Callable[..., Any], *args: Any
) -> asyncio.Future[Any]:
    """What ``run_in_executor`` does: a thread begins with an empty context."""
    loop.given.append(executor)
    future = loop.create_future()

    def work() -> None:
        if future.cancelled():
            return
        try:
            value = contextvars.Context().run(func, *args)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(value)

    loop.call_later(0.5, work)
    return future


class _PoolLoop(VirtualTimeLoop):
    """A loop whose executors are modelled: a function takes half a second there.

    :attr:`given` has the executors that it was given.
    """

    given: list[object]
    run_in_executor: Any = _in_thread


_request: contextvars.ContextVar[str] = contextvars.ContextVar(
    "request", default="nobody"
)


async def _logged(answer: Any) -> tuple[list[Any], list[object], float]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _PoolLoop)
    loop.given = []

    def report(first: int, second: int) -> tuple[str, int]:
        return _request.get(), first + second

    async def request(name: str, n: int) -> Any:
        _request.set(name)
        work = answer("the pool", report, n, 1)
        need_awaitable(work, "offload")
        return await work

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(request(f"r{n}", n) for n in range(3)))

    reports = await finished(all_of_them())
    return reports, loop.given, now()


@exercise("02-xcontext", need_async_function, "offload")
def check_context(answer: Any) -> str:
    """The answer is an async function ``offload(pool, function, *args)``.

    It runs the function in a thread of *pool*, with the context variables of whoever
    calls it, and returns what it returns.
    """
    reports, given, took = simulate(_logged(answer), new_loop=_PoolLoop)
    if not given:
        raise NotYet(
            "the function ran on the loop.", "loop.run_in_executor(pool, function)"
        )
    if set(given) != {"the pool"} or len(given) != 3:
        raise NotYet(
            f"for three calls the functions went to {given}.",
            "each into the pool that was handed in; None is the pool that everybody "
            "shares, and to_thread knows no other",
        )
    names = [report[0] if isinstance(report, tuple) else report for report in reports]
    if names != ["r0", "r1", "r2"]:
        raise NotYet(
            f"three requests r0, r1 and r2 see {names} in the thread.",
            "run_in_executor does not take the context along: "
            "contextvars.copy_context(), at each call, and run the function in it",
        )
    if reports != [("r0", 1), ("r1", 2), ("r2", 3)]:
        raise NotYet(f"it returned {reports}.", "return what the function returns")
    if took > 0.6:
        raise NotYet(
            f"three requests of 0.5 s took {took:g} s together.", "let them overlap"
        )
    return "each function runs in the given pool and knows its request."
