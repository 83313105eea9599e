"""A put with a time-out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ontime.check.backpressure.flow import watched_to_its_end
from ontime.check.registry import exercise
from ontime.check.tools import (
    callbacks_in,
    finished,
    need_async_function,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


@exercise("05-xrelay", need_async_function, "relay")
def check_relay(answer: Any) -> str:
    """The answer is an async function ``relay(source, queue, patience)``.

    It puts each item of the async iterator *source* into the bounded *queue*.  An item
    for which there is no room within *patience* seconds is given up; the list of these
    is returned.  A source that is slow is waited for.
    """
    given_up = 0
    for gap, service, patience in (
        (0.4, 1.0, 0.5),
        (3.0, 0.5, 1.0),
        (0.0, 1.0, 0.3),
        (0.3, 1.0, 60.0),
    ):
        given_up += simulate(_relayed(answer, gap, service, patience))
    ran = simulate(_relay_at_rest(answer))
    if ran > 12:
        raise NotYet(
            f"while the queue was full for 8 s, the loop ran {ran:,} callbacks.",
            "to look again and again is polling: put() waits, and a time-out ends it",
        )
    return (
        f"in four runs each item came through or was given up, {given_up} of them, "
        "after its patience and not before."
    )


async def _arrivals(count: int, gap: float, came: list[float]) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(gap)
        came.append(now())
        yield number


def _expected_relay(
    count: int, gap: float, service: float, patience: float
) -> tuple[list[int], list[int]]:
    """What a queue of size 1 takes and what is given up: arithmetic, no loop."""
    taken: list[int] = []
    lost: list[int] = []
    at = 0.0  # when the source is asked again
    free = 0.0  # when the consumer takes what is in the queue
    full_until = 0.0  # when there is room
    for number in range(count):
        at += gap
        if full_until > at + patience:
            lost.append(number)
            at += patience
            continue
        at = max(at, full_until)
        taken.append(number)
        begins = max(at, free)
        full_until, free = begins, begins + service
    return taken, lost


async def _relayed(answer: Any, gap: float, service: float, patience: float) -> int:
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    taken: list[int] = []
    came: list[float] = []

    async def consume() -> None:
        while True:
            taken.append(await queue.get())
            await asyncio.sleep(service)

    serving = asyncio.create_task(consume(), name="heartbeat: not the answer's")
    returned, left = await watched_to_its_end(
        answer, _arrivals(10, gap, came), queue, patience
    )
    await asyncio.sleep(20)
    serving.cancel()
    where = (
        f"an item after {gap:g} s each, a service of {service:g} s, a patience of "
        f"{patience:g} s"
    )
    if len(came) < 10:
        raise NotYet(
            f"{where}: only {len(came)} of 10 items were asked of the source.",
            "a time-out around anext(source) cancels the source itself: let it stand "
            "around put() alone",
        )
    if not isinstance(returned, list):
        raise NotYet(
            f"relay() returned {returned!r}.", "return the list of what was given up"
        )
    wanted, lost = _expected_relay(10, gap, service, patience)
    if sorted(taken + returned) != list(range(10)):
        both = sorted(set(taken) & set(returned))
        neither = sorted(set(range(10)) - set(taken) - set(returned))
        fault = f"{both} came through and were given up too" if both else ""
        fault = fault or f"{neither} neither came through nor were given up"
        fault = fault if both or neither else "an item is there twice"
        raise NotYet(
            f"{where}: {fault}.",
            "a put() that is cancelled has not put: the item is still yours",
        )
    if (taken, returned) != (wanted, lost):
        raise NotYet(
            f"{where}: {returned} were given up, and it should have been {lost}.",
            "an item is given up after its patience: not at once, and never because "
            "the source was slow",
        )
    if left:
        raise NotYet(f"relay() left tasks behind: {left}.", "it needs no task")
    return len(returned)


async def _relay_at_rest(answer: Any) -> int:
    """Callbacks while the queue is full and the patience is long."""
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    queue.put_nowait(-1)
    work = asyncio.ensure_future(answer(_arrivals(1, 0.0, []), queue, 10.0))
    await asyncio.sleep(1)
    ran = await callbacks_in(8)
    queue.get_nowait()
    await finished(work)
    return ran
