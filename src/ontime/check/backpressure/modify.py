"""``05-modify``: the bound of a queue."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import now, simulate
from ontime.check.verdict import NotYet

__all__ = ["AGE_BOUND", "HELD_BOUND"]

#: ``05-modify``: seconds that the producer may be held back by one burst.
HELD_BOUND = 0.35

#: ``05-modify``: seconds that an item may lie in the queue.
AGE_BOUND = 0.55

_BURST, _SERVICE = 8, 0.1


async def _bursts(maxsize: int) -> tuple[float, float]:
    """The longest time a burst took to put, and the greatest age of an item."""
    queue: asyncio.Queue[list[float]] = asyncio.Queue(maxsize)
    held = age = 0.0

    async def consume() -> None:
        nonlocal age
        while True:
            (put_at,) = await queue.get()
            age = max(age, now() - put_at)
            await asyncio.sleep(_SERVICE)

    async def put() -> None:
        # What waits for room is still the producer's: its age counts from then on.
        item = [now()]
        await queue.put(item)
        item[0] = now()

    serving = asyncio.create_task(consume())
    for burst in range(10):
        await asyncio.sleep(max(0.0, burst - now()))
        began = now()
        for _ in range(_BURST):
            await put()
        held = max(held, now() - began)
    serving.cancel()
    return held, age


@exercise("05-modify")
def check_modify(answer: Any) -> str:
    """The answer is a whole number, the ``maxsize`` of a queue.

    Eight items come at once, every second; serving one takes 0.1 s.  The producer may
    be held back by a burst for at most :data:`HELD_BOUND`, and no item may lie in the
    queue for longer than :data:`AGE_BOUND`.
    """
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise NotYet(f"maxsize is {answer!r}.", "it must be a whole number")
    if answer < 1:
        raise NotYet(
            f"maxsize={answer} is no bound at all.", "asyncio takes 0 for 'no bound'"
        )
    if answer > 1000:
        raise NotYet(f"maxsize is {answer}.", "eight items come at once: think smaller")
    held, age = simulate(_bursts(answer))
    if held > HELD_BOUND:
        raise NotYet(
            f"maxsize={answer} holds the producer for {held:.2f} s, more than "
            f"{HELD_BOUND:g} s.",
            "what the queue has no room for waits in the producer, 0.1 s per item",
        )
    if age > AGE_BOUND:
        raise NotYet(
            f"maxsize={answer} lets an item lie in the queue for {age:.2f} s, more "
            f"than {AGE_BOUND:g} s.",
            "the last item of a full queue waits for all those before it",
        )
    return (
        f"maxsize={answer} holds the producer for {held:.2f} s in a burst, and the "
        f"oldest item lies in the queue for {age:.2f} s."
    )
