"""Who has waited long rises."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet

_STEP = 10.0


class Waiting(NamedTuple):
    """A job that waits: its priority, and since when."""

    priority: int
    since: float


def _aged(waiter: Waiting, at: float) -> float:
    return waiter.priority + (at - waiter.since) / _STEP


@exercise("07-xage", need_function, "next_job")
def check_age(answer: Any) -> str:
    """The answer is a plain function ``next_job(waiting, now)``.

    *waiting* holds ``(priority, since)`` in the order in which they came.  It returns
    the place in it of the job to be served: the highest priority first, where a job
    rises by one level in each 10 s that it waits, gradually; among equals the first.
    """
    served = _served_by(answer)
    chance = random.Random(7)
    for _ in range(300):
        at = 100.0
        waiting = sorted(
            (
                Waiting(chance.randrange(4), at - chance.randrange(17) * 2.5)
                for _ in range(chance.randrange(1, 7))
            ),
            key=lambda waiter: waiter.since,
        )
        _judge_age(answer, waiting, at)
    return f"the batch job was served after {served:g} s, and every choice is right."


def _judge_age(answer: Any, waiting: list[Waiting], at: float) -> int:
    """The place that the answer names, if it is the right one."""
    chosen = answer([tuple(waiter) for waiter in waiting], at)
    if isinstance(chosen, bool) or not isinstance(chosen, int):
        raise NotYet(
            f"next_job() returned {chosen!r}.", "return a place: 0 for the first"
        )
    best = max(range(len(waiting)), key=lambda n: _aged(waiting[n], at))
    ages = ", ".join(
        f"priority {waiter.priority} for {at - waiter.since:g} s" for waiter in waiting
    )
    if not 0 <= chosen < len(waiting):
        raise NotYet(f"of {len(waiting)} jobs it named number {chosen}.", "from 0 on")
    if chosen == best:
        return chosen
    if _aged(waiting[chosen], at) == _aged(waiting[best], at):
        hint = "among equals the first to come"
    elif waiting[chosen].since == min(waiter.since for waiter in waiting):
        hint = (
            "a job that has waited for long is not first at once: it rises, gradually"
        )
    elif waiting[chosen].priority == max(waiter.priority for waiter in waiting):
        hint = "a job that waits rises, gradually: by a quarter of a level in 2.5 s"
    else:
        hint = "compare priority + (now - since) / 10"
    raise NotYet(
        f"waiting are {ages}; you serve the one at place {chosen}, and {best} is due.",
        hint,
    )


def _served_by(answer: Any) -> float:
    """When a batch job is served beside urgent ones that never stop coming."""
    waiting = [Waiting(0, 0.0)]
    at = 0.5
    while at < 200:
        waiting.append(Waiting(3, at))
        place = _judge_age(answer, waiting, at)
        if waiting.pop(place).priority == 0:
            return at
        at += 1
    raise AssertionError("ageing serves everybody")
