"""Stop in order, and lose nothing."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_awaitable,
    need_class,
    need_plain,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


@exercise("05-xdrain", need_class, "Outbox")
def check_drain(answer: Any) -> str:
    """The answer is a class ``Outbox(send)``, made on the loop.

    ``accept(message)`` takes a message, up to 10; one worker awaits ``send(message)``
    for each, in order.  ``await stop(grace)`` takes nothing new, goes on for up to
    *grace* seconds, and returns at once when all is sent.  It returns what was not
    sent, in order, the one that was under way first.
    """
    for grace, before in (
        (2.5, 0.0),
        (0.0, 0.0),
        (0.0, 1.5),
        (10.0, 0.0),
        (3.25, 2.5),
        (1.0, 9.0),
    ):
        simulate(_drained(answer, grace, before))
    return "nothing is lost, nothing is sent twice, and the rest comes back in order."


async def _drained(answer: Any, grace: float, before: float) -> None:
    begun: list[str] = []
    sent: list[str] = []

    async def send(message: str) -> None:
        begun.append(message)
        await asyncio.sleep(1)
        sent.append(message)

    box = answer(send)
    for message in "abcdef":
        need_plain(box.accept(message), "accept")
    await asyncio.sleep(before)
    stopping = box.stop(grace)
    need_awaitable(stopping, "stop")
    began, task = now(), asyncio.ensure_future(stopping)
    await asyncio.sleep(0)
    where = f"stop({grace:g}) after {before:g} s"
    _refuses_new(box, where)
    left = await finished(task)
    took = now() - began
    if not isinstance(left, list):
        raise NotYet(f"{where}: it returned {left!r}.", "return the list of the rest")
    wanted = sent + left
    if wanted != list("abcdef"):
        lost = [letter for letter in "abcdef" if letter not in wanted]
        if lost:
            raise NotYet(
                f"{where}: {', '.join(lost)} was neither sent nor given back.",
                "the message that is under way is in no queue: remember it until it "
                "is sent",
            )
        raise NotYet(
            f"{where}: sent {''.join(sent) or 'nothing'}, given back {''.join(left)}.",
            "give the rest back in order, the one that was under way first, and none "
            "that was sent",
        )
    wants = min(grace, max(0.0, 6 - before))
    if took > wants + 1e-6:
        raise NotYet(
            f"{where}: it took {took:g} s, and {wants:g} s would have done.",
            "wait for the queue, and not for the whole grace: timeout around join()",
        )
    if len(sent) < min(6, math.floor(before + grace)):
        raise NotYet(
            f"{where}: only {len(sent)} messages were sent in the grace.",
            "the worker goes on until the grace is over",
        )
    await asyncio.sleep(5)
    if len(sent) + len(left) > 6 or await abandoned():
        raise NotYet(
            f"{where}: the worker went on after stop() had returned.",
            "cancel it, and await it, before you say what is left",
        )


def _refuses_new(box: Any, where: str) -> None:
    try:
        box.accept("late")
    except RuntimeError:
        return
    raise NotYet(
        f"{where}: accept() took a message while stopping.",
        "raise RuntimeError once stop() has begun",
    )
