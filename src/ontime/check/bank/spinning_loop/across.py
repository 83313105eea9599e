"""Ask another loop."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.bank.spinning_loop.two_loops import SIDE, Here, There, nobody_blocks
from ontime.check.registry import exercise
from ontime.check.tools import callbacks_in, finished, need_async_function, simulate
from ontime.check.verdict import NotYet


@exercise("06-xacross", need_async_function, "ask")
def check_across(answer: Any) -> str:
    """The answer is an async function ``ask(loop, work)``.

    It runs on one loop, has the async function *work* run on *loop*, which runs in
    another thread, and returns its result or raises its exception.  Meanwhile its own
    loop goes on and nobody polls; an ``ask`` that is cancelled cancels the work.
    """
    with nobody_blocks():
        ran = simulate(
            _asked(answer), new_loop=Here, callback_cost=0.000_1, max_steps=400_000
        )
    return (
        f"results, errors and cancelling cross over, and while the other loop worked "
        f"for 2 s this one ran {ran} callbacks."
    )


async def _asked(answer: Any) -> int:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Here)
    there, seen = There(loop), list[str]()

    async def work() -> str:
        seen.append(SIDE.get())
        try:
            await asyncio.sleep(3)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "the answer"

    async def fails() -> str:
        await asyncio.sleep(1)
        raise OSError("no such host")

    def judge() -> None:
        if seen and seen[0] != "there":
            raise NotYet(
                "the work ran in the thread that asks.",
                "hand it to the other: asyncio.run_coroutine_threadsafe(work(), loop)",
            )
        if loop.careless:
            raise NotYet(
                "one loop was touched from the thread of the other.",
                "call_soon_threadsafe() is the only method for that, and "
                "asyncio.run_coroutine_threadsafe() and asyncio.wrap_future() use it",
            )

    task = asyncio.ensure_future(answer(there, work))
    await asyncio.sleep(0.5)
    ran = await callbacks_in(2)
    judge()
    if ran > 20:
        raise NotYet(
            f"while the other loop worked for 2 s, this one ran {ran:,} callbacks.",
            "do not ask whether it is done: asyncio.wrap_future(future) can be awaited",
        )
    if not seen:
        raise NotYet("the work was never begun.", "call it: work() makes the coroutine")
    if (result := await finished(task)) != "the answer":
        raise NotYet(f"ask() returned {result!r}.", "return what the work returned")
    judge()
    try:
        result = await finished(answer(there, fails))
    except OSError:
        pass
    else:
        raise NotYet(
            f"the work raised OSError, and ask() returned {result!r}.",
            "let it come out",
        )
    task = asyncio.ensure_future(answer(there, work))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.sleep(1)
    judge()
    if seen[-1] != "cancelled":
        raise NotYet(
            "ask() was cancelled, and the work went on in the other thread.",
            "a future from wrap_future() that is cancelled cancels the other side",
        )
    return ran
