"""A timer that is set anew."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, simulate
from ontime.check.verdict import NotYet


async def _acted(quiet_class: Any, touches: tuple[float, ...]) -> list[float]:
    loop = asyncio.get_running_loop()
    acted: list[float] = []
    quiet: Any = None

    def action() -> None:
        acted.append(round(loop.time(), 6))
        if len(acted) == 2:
            quiet.touch()  # what it does is itself a change

    quiet = quiet_class(loop, 1.0, action)
    if not hasattr(quiet, "touch"):
        raise NotYet("the class has no method touch().", "keep the names of the stub")
    for at in touches:
        loop.call_at(at, quiet.touch)
    await asyncio.sleep(20)
    return acted


@exercise("01-xquiet", need_function, "Quiet")
def check_quiet(answer: Any) -> str:
    """The answer is a class ``Quiet(loop, delay, action)`` with a method ``touch()``.

    ``action()`` is called once, *delay* seconds after the last ``touch()``.
    """
    for touches, wanted, hint in (
        ((), [], "nothing was touched, so there is nothing to do"),
        ((0.25,), [1.25], "call_later(delay, action), at each touch"),
        (
            (0.25, 0.5, 1.0),
            [2.0],
            "each touch begins the wait anew: cancel the timer that the last one set",
        ),
        (
            (0.25, 0.5, 4.0, 4.5, 9.0),
            [1.5, 5.5, 6.5, 10.0],
            "after the action the next touch begins a new wait, also a touch that the "
            "action itself makes",
        ),
    ):
        acted = simulate(_acted(answer, touches))
        if acted != wanted:
            raise NotYet(
                f"touched at {list(touches)}: the action came at {acted}, "
                f"not {wanted}.",
                hint,
            )
    return "one action, one delay after the last touch, as often as it is needed."
