"""Who holds a task."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, simulate
from ontime.check.verdict import NotYet


class _Thing:
    """A result that can be watched."""


async def _kept(background_class: Any) -> str:
    background = background_class()
    ended: list[int] = []
    waits: list[weakref.ref[asyncio.Future[None]]] = []
    things: list[weakref.ref[_Thing]] = []
    loop = asyncio.get_running_loop()

    async def work(n: int) -> _Thing:
        future = loop.create_future()
        waits.append(weakref.ref(future))
        await future
        if n == 1:
            raise RuntimeError("this one fails")
        thing = _Thing()
        things.append(weakref.ref(thing))
        ended.append(n)
        return thing

    for n in range(3):
        coroutine = work(n)
        background.start(coroutine)
        del coroutine
    running = len(background)
    for _ in range(3):
        await asyncio.sleep(0)
    if len(waits) < 3:
        raise NotYet(
            f"three coroutines were started and {len(waits)} of them have begun.",
            "start() makes a task of each at once",
        )
    gc.collect()
    alive = [future() for future in waits]
    if None in alive:
        raise NotYet(
            f"after a garbage collection {alive.count(None)} of three tasks are gone.",
            "the loop keeps only weak references to tasks: somebody has to hold each "
            "until it has ended",
        )
    if running != 3:
        raise NotYet(
            f"three tasks run, and len() says {running}.",
            "count the tasks that you hold",
        )
    for n in 1, 0, 2:  # the one that fails is the first to end
        future = alive[n]
        if future is not None and not future.done():
            future.set_result(None)
        for _ in range(5):
            await asyncio.sleep(0)
    del alive, future
    if ended != [0, 2]:
        raise NotYet(
            f"of the tasks 0 and 2, which do not fail, {ended} came to their end.",
            "one that fails must not touch the others",
        )
    gc.collect()
    left = len(background)
    held = sum(thing() is not None for thing in things)
    if left or held:
        raise NotYet(
            f"all three have ended; len() says {left}, and {held} of the results are "
            "still held.",
            "let go of a task when it is done: add_done_callback is told of it",
        )
    return "tasks are held while they run, and let go when they have ended."


@exercise("01-xkeep", need_function, "Background")
def check_keep(answer: Any) -> str:
    """The answer is a class ``Background`` with ``start(coroutine)`` and ``len()``."""
    return simulate(_kept(answer))
