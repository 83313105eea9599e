"""``06-fix``: an inbox that any thread may fill."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import (
    simulate_watched,
    watched_loop,
)
from ontime.check.tools import callbacks_in, finished, need_awaitable, need_class
from ontime.check.verdict import NotYet


def _new_inbox(answer: Any) -> Any:
    inbox = answer()
    for name in "put", "get":
        if not callable(getattr(inbox, name, None)):
            raise NotYet(
                f"the inbox has no method {name}().",
                "keep the names: put is called from a thread, get is awaited",
            )
    return inbox


async def _inbox_idle(answer: Any) -> int:
    """Callbacks in 0.3 s in which nothing comes; then a message must come out."""
    inbox = _new_inbox(answer)
    getting = inbox.get()
    need_awaitable(getting, "get")
    task = asyncio.ensure_future(getting)
    await asyncio.sleep(0.01)
    ran = await callbacks_in(0.3)
    if ran > 20:
        raise NotYet(
            f"while nothing came, the loop ran {ran:,} callbacks in 0.3 s.",
            "let get() wait for something that put() sets or fills",
        )
    if task.done():
        raise NotYet(
            f"get() returned {task.result()!r} before anything had been put.",
            "it has to wait",
        )
    told_the_loop = _put(inbox, "late")
    try:
        item = await finished(task)
    except DeadlockError:
        if told_the_loop:
            raise
        raise NotYet(
            "put() did not tell the loop that something has come.",
            "loop.call_soon_threadsafe(function, *args) calls a function on the loop",
        ) from None
    if item != "late":
        raise NotYet(
            f"get() returned {item!r} when 'late' had been put.",
            "hand out what was put",
        )
    return ran


def _put(inbox: Any, item: object) -> bool:
    """Call ``put`` as another thread does; whether it told the loop of it."""
    loop = watched_loop()
    before = loop.handed_over
    with loop.another_thread():
        value = inbox.put(item)
    if inspect.iscoroutine(value):
        value.close()
        raise NotYet(
            "put() is an async function: another thread cannot await it.",
            "make it a plain one",
        )
    if loop.careless:
        raise NotYet(
            "put() woke the task directly, from another thread: a loop that sleeps in "
            "its selector would not notice.",
            "hand the call over: loop.call_soon_threadsafe(...)",
        )
    return loop.handed_over > before


@exercise(
    "06-fix",
    need_class,
    "Inbox",
    elsewhere="a get() in a thread, once cancelled, takes an item",
)
def check_fix(answer: Any) -> str:
    """The answer is a class ``Inbox``, made on the loop without arguments.

    ``put(item)`` is a plain method that any thread may call; ``await get()``, on the
    loop, returns the items in order.  Required, on the virtual clock: a ``get`` that
    waits 0.3 s runs at most 20 callbacks; the loop is told through
    ``call_soon_threadsafe`` if somebody waits; items put before and during a ``get``,
    in bursts, and None come out once and in order; a ``get`` that is cancelled loses
    nothing.
    """
    ran = simulate_watched(_inbox_idle(answer))

    failures: list[Exception] = []

    def note(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if isinstance(error := context.get("exception"), Exception):
            failures.append(error)

    async def order() -> list[object]:
        inbox, loop = _new_inbox(answer), watched_loop()
        loop.set_exception_handler(note)
        for number in range(3):
            _put(inbox, number)
        taken: list[object] = []

        async def take() -> None:
            while len(taken) < 8:
                item = await inbox.get()
                taken.append(item)

        task = asyncio.ensure_future(take())
        for time, items in (0.1, [3]), (0.2, [None, 5]), (0.3, [6, 7]):
            for item in items:
                loop.call_later(time, _put, inbox, item)
        await finished(task)
        return taken

    try:
        came_out = simulate_watched(order())
    except DeadlockError:
        if not failures:
            raise
        raise NotYet(
            "what put() handed over raised "
            f"{type(failures[0]).__name__} on the loop: the item is lost, and nobody "
            "is told.",
            "a queue with a bound refuses an item; this inbox needs none",
        ) from None
    if came_out != [0, 1, 2, 3, None, 5, 6, 7]:
        raise NotYet(
            f"0, 1, 2, 3, None, 5, 6, 7 were put, and {came_out} came out.",
            "None is an item like any other, and each comes out once",
        )

    async def cancelled() -> list[object]:
        inbox = _new_inbox(answer)
        task = asyncio.ensure_future(inbox.get())
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(0.1)
        for item in "a", "b":
            _put(inbox, item)
        return await _come_out(inbox, 2)

    if (left := simulate_watched(cancelled())) != ["a", "b"]:
        raise NotYet(
            f"after a get() that was cancelled, 'a' and 'b' came out as {left}.",
            "a get() that is cancelled must take nothing",
        )
    for later in range(5):
        if (left := simulate_watched(_cancelled_late(answer, later))) != ["a", "b"]:
            raise NotYet(
                "a get() was cancelled at the moment when 'a' came, and 'a' and "
                f"'b' came out as {left}.",
                "leave an item in the queue until get() really returns it: "
                "asyncio.Queue does",
            )
    return f"the loop ran {ran} callbacks in 0.3 s while nothing came; nothing is lost."


async def _cancelled_late(answer: Any, later: int) -> list[object]:
    """What comes out if a ``get`` is cancelled so many iterations after a ``put``."""
    inbox = _new_inbox(answer)
    task = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0.1)
    _put(inbox, "a")
    for _ in range(later):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    _put(inbox, "b")
    if task.cancelled():
        return await _come_out(inbox, 2)
    return [task.result(), *await _come_out(inbox, 1)]


async def _come_out(inbox: Any, count: int) -> list[object]:
    """So many items, or those that come before a ``get`` waits for ever."""
    items: list[object] = []
    with suppress(DeadlockError):
        while len(items) < count:
            items.append(await finished(inbox.get()))
    return items
