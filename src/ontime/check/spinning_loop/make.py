"""``06-make``: call a function on a loop from any thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import simulate_watched, watched_loop
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


def _hop(answer: Any, function: Callable[[], Any]) -> concurrent.futures.Future[Any]:
    """Call the answer as another thread does."""
    loop = watched_loop()
    before = loop.handed_over
    with loop.another_thread():
        future = answer(loop, function)
    if inspect.iscoroutine(future):
        future.close()
        raise NotYet(
            "hop() is an async function: another thread cannot await it.",
            "make it a plain function that returns a future",
        )
    if not isinstance(future, concurrent.futures.Future):
        kind = type(future).__name__
        raise NotYet(
            f"hop() returned a {kind}, not a concurrent.futures.Future.",
            "asyncio's futures belong to a loop; a thread can wait for one of "
            "concurrent.futures",
        )
    if loop.careless:
        raise NotYet(
            "hop() used call_soon(): a loop that sleeps would not notice.",
            "from another thread only call_soon_threadsafe() will do",
        )
    if loop.handed_over == before:
        raise NotYet(
            "hop() did not hand anything to the loop.",
            "loop.call_soon_threadsafe(function, *args)",
        )
    return future


async def _result(future: concurrent.futures.Future[Any]) -> Any:
    for _ in range(5):
        if future.done():
            return future.result()
        await asyncio.sleep(0)
    raise DeadlockError("the future is never done")


@exercise("06-make", need_function, "hop")
def check_make(answer: Any) -> str:
    """The answer is a plain function ``hop(loop, function)``, called from any thread.

    It has *function* called on the loop and returns at once a
    :class:`concurrent.futures.Future` with its result or its exception.  A future that
    is cancelled before its turn has *function* not called.
    """

    async def scenario() -> None:
        called: list[str] = []
        loop = watched_loop()

        def noted() -> str:
            called.append("in the caller's thread" if loop.outside else "here")
            return "result"

        future = _hop(answer, noted)
        if called:
            raise NotYet(
                "hop() called the function at once, in the caller's thread.",
                "hand the function to the loop and return",
            )
        if await _result(future) != "result":
            raise NotYet(
                f"the future's result is {future.result()!r}, not what the function "
                "returned.",
                "set_result() with the value of function()",
            )
        if called != ["here"]:
            raise NotYet(
                f"the function was called {len(called)} times.", "once will do"
            )

        def fails() -> None:
            raise OSError("no such file")

        future = _hop(answer, fails)
        try:
            value = await _result(future)
        except DeadlockError:
            raise NotYet(
                "the function raised OSError, and the caller waits for ever.",
                "catch what it raises and give it to the future: set_exception()",
            ) from None
        except OSError:
            pass
        else:
            raise NotYet(
                f"the function raised OSError, and the future says {value!r}.",
                "set_exception() with what was caught",
            )

        called.clear()
        future = _hop(answer, noted)
        future.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        if called:
            raise NotYet(
                "the future was cancelled before its turn, and the function was called "
                "all the same.",
                "ask future.set_running_or_notify_cancel() first",
            )
        several = [_hop(answer, partial(int, number)) for number in range(5)]
        if [await _result(future) for future in several] != list(range(5)):
            raise NotYet("five hops at once got mixed up.", "a future for each call")

    simulate_watched(scenario())
    return "results, exceptions and cancelling are right, and the caller never waits."
