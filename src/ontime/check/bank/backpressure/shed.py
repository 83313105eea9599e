"""Refuse in time, and say when to come again."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import finished, need_awaitable, need_class, now, simulate
from ontime.check.verdict import NotYet


@exercise("05-xshed", need_class, "Door")
def check_shed(answer: Any) -> str:
    """The answer is a class ``Door(service, patience)``.

    ``await door.handle(work)`` does one ``await work()`` at a time, first come, first
    served, and returns ``(200, result)``.  Whoever could not be answered within
    *patience* is refused at once with ``(503, seconds)``: what is inside now needs so
    many whole seconds.
    """
    refused = 0
    for service, patience, times in (
        (1.0, 4.5, [0.0] * 10),
        (1.0, 4.0, [0.0] * 4 + [2.5] * 4),
        (0.75, 2.5, [0.0] * 6 + [0.375, 5.0]),
        (2.0, 5.0, [0.0, 0.0, 0.0, 3.0, 3.0]),
        (3.0, 2.0, [0.0, 1.0]),
    ):
        refused += simulate(_at_the_door(answer, service, patience, times))
    simulate(_door_after_trouble(answer))
    return f"{refused} were refused at once, all others were answered in time."


async def _at_the_door(
    answer: Any, service: float, patience: float, times: list[float]
) -> int:
    door = answer(service, patience)
    replies: list[tuple[Any, float]] = []
    inside: list[float] = []  # when those who are served will have been
    at_work = most = 0

    async def work() -> str:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(service)
        at_work -= 1
        return "done"

    async def come(number: int, at: float) -> tuple[Any, float]:
        await asyncio.sleep(at)
        reply = door.handle(work)
        need_awaitable(reply, "handle")
        reply = await reply
        return reply, now()

    async def all_come() -> list[tuple[Any, float]]:
        return await asyncio.gather(*(come(n, at) for n, at in enumerate(times)))

    replies = await finished(all_come())
    places = math.floor(patience / service)
    for number, ((reply, when), at) in enumerate(zip(replies, times, strict=True)):
        inside = [end for end in inside if end > at]
        where = (
            f"service {service:g} s, patience {patience:g} s: request {number + 1}, at "
            f"{at:g} s with {len(inside)} inside,"
        )
        if not (isinstance(reply, tuple) and len(reply) == 2):
            raise NotYet(f"{where} got {reply!r}.", "(200, result) or (503, seconds)")
        if len(inside) >= places:
            again = max(1, math.ceil(len(inside) * service))
            if reply[0] != 503:
                raise NotYet(
                    f"{where} was let in and answered after {when - at:g} s.",
                    "count who is inside; at patience / service it is full",
                )
            if when > at:
                raise NotYet(
                    f"{where} was refused after {when - at:g} s.",
                    "a refusal costs nothing when it comes at once: decide before you "
                    "wait",
                )
            if reply[1] != again or isinstance(reply[1], float):
                raise NotYet(
                    f"{where} was told to come again after {reply[1]!r} s, and it "
                    f"should be {again}.",
                    "those who are inside, times the service, rounded up to a whole "
                    "number: math.ceil gives one. At least 1",
                )
            continue
        inside.append(max([at, *inside]) + service)
        if reply != (200, "done"):
            raise NotYet(
                f"{where} got {reply!r} and could have been answered in time.",
                "a request that has left no longer counts as inside",
            )
        if abs(when - inside[-1]) > 1e-9:
            raise NotYet(
                f"{where} was answered at {when:g} s, not at {inside[-1]:g} s.",
                "one at a time, first come, first served: an asyncio.Lock does that",
            )
    if most > 1:
        raise NotYet(f"{most} worked at the same time.", "an asyncio.Lock admits one")
    return sum(reply[0] == 503 for reply, _ in replies)


async def _door_after_trouble(answer: Any) -> None:
    """A work that fails and a user who leaves both give their places back."""
    door = answer(1.0, 3.0)

    async def work() -> str:
        await asyncio.sleep(1)
        return "done"

    async def fails() -> str:
        await asyncio.sleep(1)
        raise OSError("the database is away")

    tasks = [asyncio.ensure_future(door.handle(each)) for each in (fails, work, work)]
    await asyncio.sleep(0.5)
    tasks[2].cancel()
    await asyncio.wait(tasks, timeout=60)
    if not all(task.done() for task in tasks):
        raise NotYet(
            "a work failed and a user left, and others wait for ever.",
            "'async with' gives the lock back whatever happens",
        )
    if not isinstance(tasks[0].exception(), OSError):
        raise NotYet("work() raised OSError, and it did not come out.", "let it pass")
    for task in tasks[1:]:
        task.cancelled() or task.exception()
    again = [asyncio.ensure_future(door.handle(work)) for _ in range(3)]
    await asyncio.wait(again, timeout=60)
    statuses = [task.result()[0] for task in again if task.done()]
    if statuses != [200] * 3:
        raise NotYet(
            f"a work had failed and a user had left; of three later ones {statuses} "
            "came back.",
            "give the place back in a finally, whatever happens",
        )
