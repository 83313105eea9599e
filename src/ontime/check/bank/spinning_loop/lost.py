"""A wake-up that is lost."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import DeadlockError
from ontime.check.bank.spinning_loop.event_waits import events_that_wait
from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import simulate_watched, watched_loop
from ontime.check.tools import callbacks_in, finished, need_class, need_plain, now
from ontime.check.verdict import NotYet


@exercise("06-xlost", need_class, "Mailbox")
def check_lost(answer: Any) -> str:
    """The answer is a class ``Mailbox``, made on the loop without arguments.

    ``put(item)`` is called by any thread; ``await get()``, on the loop, returns the
    items in order, however many come at once.
    """
    with events_that_wait():
        for bursts in _BURSTS:
            simulate_watched(_delivered(answer, bursts))
        simulate_watched(_mail_for_two(answer))
    return "no wake-up is lost, whether letters come one by one or many at once."


_BURSTS: tuple[dict[float, int], ...] = (
    {0.1: 1, 0.2: 1, 0.3: 1},
    {0.0: 3},
    {0.1: 2, 0.5: 3},
    {0.0: 1, 0.1: 4, 0.10001: 1},
)


def _post(box: Any, item: Any) -> None:
    with watched_loop().another_thread():
        need_plain(box.put(item), "put")


def _judge_post() -> None:
    if watched_loop().careless:
        raise NotYet(
            "put() touched the loop directly, from another thread.",
            "hand over what is to happen: loop.call_soon_threadsafe(...)",
        )


async def _delivered(answer: Any, bursts: dict[float, int]) -> None:
    box, loop = answer(), watched_loop()
    letters = iter(range(99))
    for at, many in bursts.items():
        for _ in range(many):
            if at:
                loop.call_later(at, _post, box, next(letters))
            else:
                _post(box, next(letters))
    count = sum(bursts.values())
    received: list[Any] = []

    async def read() -> None:
        while len(received) < count:
            received.append(await box.get())

    story = ", ".join(f"{many} at {at:g} s" for at, many in bursts.items())
    try:
        await finished(read())
    except DeadlockError:
        _judge_post()
        raise NotYet(
            f"letters: {story}. {len(received)} of {count} came out, and the next "
            "get() waits for ever.",
            "one wake-up can stand for several letters: look whether there is one "
            "before you wait, and clear only what you are about to wait for",
        ) from None
    _judge_post()
    if received != list(range(count)):
        raise NotYet(
            f"letters: {story}. They came out as {received}.", "each once, and in order"
        )
    late = now() - max(bursts)
    if late > 0.01:
        raise NotYet(
            f"letters: {story}. The last came out {late:.3f} s after it had been put.",
            "let put() wake the reader: a nap makes letters late",
        )


async def _mail_for_two(answer: Any) -> None:
    """Two readers, two letters at once: both are woken, and neither gets nothing."""
    box, loop = answer(), watched_loop()
    tasks = [asyncio.ensure_future(box.get()) for _ in range(2)]
    await asyncio.sleep(0.1)
    ran = await callbacks_in(1)
    if ran > 20:
        raise NotYet(
            f"while two readers waited for 1 s, the loop ran {ran:,} callbacks.",
            "a reader that looks again and again polls",
        )
    for letter in "ab":
        loop.call_soon(_post, box, letter)
    done, waiting = await asyncio.wait(tasks, timeout=5)
    _judge_post()
    if waiting:
        raise NotYet(
            f"two readers waited, two letters came at once, and {len(done)} had one.",
            "each letter has to wake a reader, or each reader has to look again",
        )
    if sorted(str(task.result()) for task in tasks) != ["a", "b"]:
        raise NotYet("two readers had the same letter.", "take it out of the box")
