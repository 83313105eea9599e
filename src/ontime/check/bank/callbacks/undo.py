"""Clean up and pass the cancellation on."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from ontime.check.verdict import NotYet


class _StepError(Exception):
    pass


async def _undone(careful: Any, ends: str) -> str:
    """What came of one step, and how long it took."""
    log: list[str] = []
    loop = asyncio.get_running_loop()

    async def step() -> str:
        log.append("step")
        await asyncio.sleep(0.5 if ends != "limit" else 10)
        if ends == "error":
            raise _StepError
        return "result"

    async def undo() -> None:
        log.append("undo begins")
        await asyncio.sleep(0.25)
        log.append("undo ends")

    async def body() -> None:
        try:
            async with asyncio.timeout(1):
                work = careful(step, undo)
                need_awaitable(work, "careful")
                value = await work
                log.append(f"returned {value!r}")
        except TimeoutError:
            log.append("TimeoutError")
        except _StepError:
            log.append("the error")

    await finished(body())
    left = await abandoned()
    if left:
        log.append("a task is left")
    return f"{', '.join(log)} at {loop.time():g} s"


@exercise("01-xundo", need_async_function, "careful")
def check_undo(answer: Any) -> str:
    """The answer is an async function ``careful(step, undo)``.

    It awaits ``step()`` and returns its result.  If the step does not come to its end,
    because it raises or is cancelled, it awaits ``undo()``, and what ended the step
    comes out.
    """
    for ends, wanted, story, hint in (
        (
            "well",
            "step, returned 'result' at 0.5 s",
            "a step that ends well",
            "undo only what failed, and return what the step returns",
        ),
        (
            "error",
            "step, undo begins, undo ends, the error at 0.75 s",
            "a step that raises after 0.5 s",
            "undo, and raise the same error again: a bare raise",
        ),
        (
            "limit",
            "step, undo begins, undo ends, TimeoutError at 1.25 s",
            "a step of 10 s under a time-out of 1 s",
            "a time-out cancels. CancelledError is not an Exception: catch it, undo, "
            "and let it go on, or the time-out never hears of it",
        ),
    ):
        seen = simulate(_undone(answer, ends))
        if seen != wanted:
            raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "undone when it fails and when it is cancelled, and both are passed on."
