"""``01-predict``: the order in which callbacks run."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from ontime.check.callbacks.small_loop import Callback
from ontime.check.registry import exercise
from ontime.check.tools import need_letters, simulate
from ontime.check.verdict import NotYet


def _predict_program(loop: asyncio.AbstractEventLoop, say: Callback) -> None:
    def first() -> None:
        say("A")
        loop.call_soon(say, "B")
        burn(1)

    loop.call_later(1, say, "C")
    loop.call_later(0.5, say, "D")
    loop.call_soon(first)
    loop.call_soon(say, "E")


async def _order_of_events() -> str:
    letters: list[str] = []
    _predict_program(asyncio.get_running_loop(), letters.append)
    await asyncio.sleep(3)
    return "".join(letters)


@exercise("01-predict")
def check_predict(answer: Any) -> str:
    """The answer is a string of the letters A to E, or a list of them.

    It names the order in which the program of the exercise says them.  The check runs
    the same program on the virtual clock.
    """
    seen = simulate(_order_of_events())
    letters = need_letters(answer, seen, "five callbacks run, each of them once")
    if letters == seen:
        return f"the run says {seen} too."
    place = next(
        i for i, (a, b) in enumerate(zip(letters, seen, strict=True)) if a != b
    )
    if letters[0] != "A":
        hint = "which callback is the first in the ready queue when the loop begins?"
    elif letters[1] != "E":
        hint = (
            "B is made ready during the first iteration, behind what is there already; "
            "timers are looked at only between iterations"
        )
    elif letters.index("C") < letters.index("D"):
        hint = "two timers that are both due become ready in the order of due times"
    else:
        hint = "B was ready before the loop looked at its timers again"
    raise NotYet(f"the first {place} are right and the next is not.", hint)
