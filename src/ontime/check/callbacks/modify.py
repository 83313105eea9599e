"""``01-modify``: timers that can be cancelled."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_class
from ontime.check.verdict import NotYet


def _judge_order(make: Callable[[], Any]) -> None:
    """Timers are cancelled in the midst of a heap, which must stay one."""
    for seed in range(40):
        numbers = random.Random(seed)
        delays = numbers.sample(range(1, 20), 8)
        loop = make()
        ran: list[int] = []
        timers = {delay: loop.call_later(delay, ran.append, delay) for delay in delays}
        gone = delays[1:3]
        for delay in gone:
            timers[delay].cancel()
        loop.run_forever()
        wanted = sorted(set(delays) - set(gone))
        if sorted(ran) == wanted != ran:
            raise NotYet(
                f"timers were made for {delays}, those for {gone} cancelled, and the "
                f"others ran in the order {ran}.",
                "taking an entry out of the middle breaks a heap: leave it where it is "
                "and skip it",
            )


@exercise("01-modify", need_class, "the class")
def check_modify(answer: Any) -> str:
    """The answer is a class of loops with ``call_soon``, ``call_later`` and
    ``run_forever``.

    ``call_later(delay, callback, *args)`` must return an object with a ``cancel()``
    method.  A timer that was cancelled does not call its callback; every other one runs
    as before.  Cancelling twice, or after the callback ran, does nothing.
    """
    loop = answer()
    ran: list[str] = []
    first = loop.call_later(1, ran.append, "first")
    if not hasattr(first, "cancel"):
        raise NotYet(
            f"call_later() returned {first!r}, which has no cancel().",
            "make an object that knows its callback, put that in the heap, return it",
        )
    second = loop.call_later(2, ran.append, "second")

    def third() -> None:
        ran.append("third")
        loop.call_later(1.5, ran.append, "between")  # from now on, so at 4.5

    loop.call_later(3, third)
    last = loop.call_later(4, ran.append, "fourth")
    # It is noticed, and stands in the ready queue, before it is cancelled.
    fifth_and_sixth: list[Any] = []

    def cancel_sixth() -> None:
        ran.append("fifth")
        fifth_and_sixth[1].cancel()

    fifth_and_sixth.append(loop.call_later(5, cancel_sixth))
    fifth_and_sixth.append(loop.call_later(5, ran.append, "sixth"))
    twin = loop.call_later(6, ran.append, "twin")
    loop.call_later(6, ran.append, "twin")
    twin.cancel()
    loop.call_soon(ran.append, "soon")
    second.cancel()
    second.cancel()
    loop.run_forever()
    if "second" in ran:
        raise NotYet(
            "a timer was cancelled and its callback ran.",
            "look whether the timer is cancelled before you call",
        )
    if "sixth" in ran:
        raise NotYet(
            "a timer was cancelled after it became ready, and its callback ran.",
            "look whether it is cancelled at the last moment, when the loop calls it",
        )
    if "twin" not in ran:
        raise NotYet(
            "of two timers with the same callback one was cancelled, and neither ran.",
            "cancel() is about one timer: let the object itself know that it is "
            "cancelled",
        )
    _judge_order(answer)
    if ran.index("between") < ran.index("fourth"):
        raise NotYet(
            "a delay of 1.5 s that was asked for at 3 s ended before 4 s.",
            "a delay counts from now: add it to the loop's own time",
        )
    wanted = ["soon", "first", "third", "fourth", "between", "fifth", "twin"]
    if ran != wanted:
        raise NotYet(
            f"the callbacks that nobody cancelled ran as {ran}, not {wanted}.",
            "cancelling one timer must not touch the others",
        )
    last.cancel()
    return "a cancelled timer never runs, and all the others do."
