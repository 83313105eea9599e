"""What an await of something that is done does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_letters, simulate
from ontime.check.verdict import NotYet


async def _order_program(say: Callable[[str], object]) -> None:
    loop = asyncio.get_running_loop()

    async def child() -> None:
        say("C")
        await asyncio.sleep(0)
        say("D")

    future = loop.create_future()
    future.add_done_callback(lambda _: say("A"))
    loop.call_soon(say, "B")
    task = asyncio.create_task(child())
    future.set_result(None)
    say("E")
    await future
    say("F")
    await task
    say("G")


async def _order_said() -> str:
    letters: list[str] = []
    await _order_program(letters.append)
    return "".join(letters)


@exercise("01-xorder")
def check_order(answer: Any) -> str:
    """The answer is a string of the letters A to G, or a list of them."""
    seen = simulate(_order_said())
    letters = need_letters(answer, seen, "seven letters are said, each of them once")
    if letters == seen:
        return f"the run says {seen} too."
    if letters[0] != "E":
        hint = "call_soon, create_task and set_result only make notes: who runs now?"
    elif letters.index("F") > min(letters.index(letter) for letter in "ABC"):
        hint = (
            "an await of a future that is done does not wait, so it gives way to none"
        )
    elif letters.index("D") < max(letters.index(letter) for letter in "AB"):
        hint = "sleep(0) puts the task behind all that is in the ready queue"
    elif letters.index("G") < letters.index("D"):
        hint = "await task is over when the task has ended, and D is its last line"
    else:
        hint = "three notes were made before the await: in which order?"
    raise NotYet(f"{letters} is not what the run says.", hint)
