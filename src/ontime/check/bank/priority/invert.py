"""An urgent task waits for a lock."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.priority import VirtualPriorityLoop, current_priority, priority
from ontime.check.registry import exercise
from ontime.check.tools import (
    finished,
    need_async_function,
    need_awaitable,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


@exercise("07-xinvert", need_async_function, "refresh")
def check_invert(answer: Any) -> str:
    """The answer is an async function ``refresh(lock, fetch, store)``.

    It awaits ``fetch()``, which computes for long, and ``store(data)``, which needs the
    lock.  Beside work of middling priority an urgent task must have the lock soon.
    """
    worst = 0.0
    runs = (0.35, False), (1.25, False), (1.0, False), (1.1, True), (5.0, False)
    for starts, held in runs:
        work = _refreshed(answer, starts, held)
        worst = max(worst, simulate(work, new_loop=VirtualPriorityLoop))
    return (
        f"the urgent task waited for the lock for {worst:.2f} s, the longest of "
        f"{len(runs)} runs."
    )


async def _refreshed(answer: Any, starts: float, held: bool) -> float:
    """How long the urgent task waited, with a crowd from *starts* to 10 s later.

    If the lock is *held* by somebody else from 0.9 to 1.3 s, the answer waits for it.
    """
    lock, done = asyncio.Lock(), list[str]()
    levels: set[int] = set()

    async def fetch() -> str:
        levels.add(current_priority())
        for _ in range(20):
            burn(0.05)
            await asyncio.sleep(0)
        done.append("fetched")
        return "data"

    async def store(data: str) -> None:
        if not lock.locked():
            raise NotYet(
                "store() was called without the lock.", "async with lock: around it"
            )
        await asyncio.sleep(0.5)
        done.append(f"stored {data}")

    async def crunch() -> None:
        await asyncio.sleep(starts)
        until = now() + 10
        while now() < until:
            burn(0.05)
            await asyncio.sleep(0)  # noqa: LAG201 (it makes room)

    async def urgent() -> float:
        await asyncio.sleep(starts + 0.1)
        asked = now()
        async with lock:
            return now() - asked

    async def before() -> None:
        await asyncio.sleep(0.9)
        async with lock:
            await asyncio.sleep(0.4)

    if held:
        with priority(3):
            other = asyncio.create_task(before())
    with priority(1):
        working = answer(lock, fetch, store)
        need_awaitable(working, "refresh")
        work = asyncio.ensure_future(working)
    with priority(2):
        crowd = asyncio.create_task(crunch())
    with priority(3):
        asking = asyncio.create_task(urgent())
    waited = await finished(asking)
    await finished(work)
    await crowd
    if held:
        await other
    if done != ["fetched", "stored data"]:
        raise NotYet(
            f"refresh() did {done}.", "fetch once, then store what was fetched"
        )
    if waited > 0.8:
        if levels == {3}:
            hint = (
                "the long computation is urgent now, and it holds the lock: only the "
                "short part needs either"
            )
        elif starts < 1:
            hint = "do not hold the lock while you fetch: only store() needs it"
        else:
            hint = (
                "the task that holds the lock has to be as urgent as one that waits "
                "for it, while it waits for the lock too: with priority(3) around "
                "'async with lock'"
            )
        raise NotYet(
            f"work of middling priority began after {starts:g} s"
            f"{', while refresh() waited for the lock' if held else ''}, and the "
            f"urgent task waited for the lock for {waited:.2f} s.",
            hint,
        )
    if levels != {1}:
        raise NotYet(
            f"fetch() ran at priority {max(levels)}.",
            "the long computation is not urgent: only the store is, as it holds the "
            "lock",
        )
    return waited
