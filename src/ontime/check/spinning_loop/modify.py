"""``06-modify``: the nap of a task that polls."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.spinning_loop.predict import count_questions
from ontime.check.spinning_loop.watched import simulate_watched
from ontime.check.tools import as_number
from ontime.check.verdict import NotYet

__all__ = ["ASKS_BOUND", "LATE_BOUND"]

#: Most questions of a task in a second.
ASKS_BOUND = 60

#: Most seconds that a message may wait for the end of a nap.
LATE_BOUND = 0.025


@exercise("06-modify")
def check_modify(answer: Any) -> str:
    """The answer is *nap*, a number of seconds.

    Required of a task that polls with that nap, on the virtual clock: at most
    :data:`ASKS_BOUND` questions in a second, and no message waits longer than
    :data:`LATE_BOUND`.
    """
    nap = as_number(answer)
    if nap is None:
        raise NotYet(f"{answer!r} is not a number of seconds.", "for example 0.005")
    if nap < 0 or nap != nap:
        raise NotYet(f"nobody sleeps for {nap:g} s.", "give a positive number")
    if nap < 0.000_1:
        raise NotYet(
            f"a nap of {nap:g} s is hardly one: the loop asks all the time.",
            "sixty questions per second: how far apart are they?",
        )
    if nap > 10:
        raise NotYet(f"a nap of {nap:g} s is far too long.", "think of milliseconds")
    asked = simulate_watched(count_questions(1.0, nap))
    if asked > ASKS_BOUND:
        raise NotYet(
            f"nap={nap:g} asks {asked} times per second, more than {ASKS_BOUND}.",
            "sixty questions per second: how far apart are they?",
        )
    if nap > LATE_BOUND:
        raise NotYet(
            f"with nap={nap:g} a message may wait for {nap:g} s, more than "
            f"{LATE_BOUND} s.",
            "a message that comes just after a question waits for the whole nap",
        )
    return (
        f"nap={nap:g} asks {asked} times per second, and a message waits for one nap "
        "at most."
    )
