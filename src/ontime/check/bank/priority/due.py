"""Deadlines, and what to do when not all can be kept."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


class _Job(NamedTuple):
    ready: float
    cost: float
    due: float


def _load(gap: float, seed: int) -> list[_Job]:
    """Sixty jobs of three lengths: for each the time until the next is *gap* costs.

    All times are multiples of 1/16 s, so that sums of them are exact.
    """
    chance = random.Random(seed)
    jobs, at = [], 0.0
    for _ in range(60):
        cost = chance.choice([0.5, 1.0, 1.5])
        at += cost * gap
        jobs.append(_Job(at, cost, at + 4 + chance.randrange(5)))
    return jobs


def _in_time(
    jobs: list[_Job], choose: Callable[[list[_Job], float], int | None]
) -> int:
    """How many are in time, if one at a time is served and none interrupted."""
    coming, ready = sorted(jobs), list[_Job]()
    at, kept = 0.0, 0
    while coming or ready:
        while coming and coming[0].ready <= at:
            ready.append(coming.pop(0))
        place = choose(ready, at) if ready else None
        if place is None:
            if not coming:
                break
            at = max(at, coming[0].ready)
            continue
        job = ready.pop(place)
        at += job.cost
        kept += at <= job.due
    return kept


def _feasible_first(ready: list[_Job], at: float) -> int | None:
    able = [n for n, job in enumerate(ready) if at + job.cost <= job.due]
    return min(able, key=lambda n: ready[n].due, default=None)


@exercise("07-xdue", need_function, "next_job")
def check_due(answer: Any) -> str:
    """The answer is a plain function ``next_job(ready, now)``.

    *ready* holds ``(cost, due)``.  It returns the place of the job to be served next,
    or None if none of them can be in time: the earliest deadline first, of those that
    can still be kept.
    """
    instead: list[str] = []

    def note(named: str, ready: list[_Job], best: int | None, at: float) -> None:
        if best is not None and not instead:
            done, due = at + ready[best].cost, ready[best].due
            instead.append(
                f" At {at:g} s it named {named} can be done at {done:g} and is due at "
                f"{due:g}."
            )

    def choose(ready: list[_Job], at: float) -> int | None:
        chosen = answer([(job.cost, job.due) for job in ready], at)
        best = _feasible_first(ready, at)
        if chosen is None:
            note(f"nothing; {best}", ready, best, at)
            return None
        if isinstance(chosen, bool) or not isinstance(chosen, int):
            raise NotYet(
                f"next_job() returned {chosen!r}.", "a place in ready, or None"
            )
        if not 0 <= chosen < len(ready):
            raise NotYet(f"of {len(ready)} jobs it named number {chosen}.", "from 0 on")
        if best is None or ready[chosen].due != ready[best].due:
            note(f"{chosen}; {best}", ready, best, at)
        return chosen

    sentences = []
    for gap in (1.5, 1.125, 0.875, 0.625):
        for seed in range(4):
            jobs = _load(gap, seed)
            wanted, kept = _in_time(jobs, _feasible_first), _in_time(jobs, choose)
            if kept >= wanted:
                continue
            load = f"{1 / gap:.0%} of the time is wanted"
            if gap > 1:
                hint = "serve the earliest deadline first"
            else:
                hint = (
                    "a job that cannot be in time any more takes the time of one that "
                    "could: pass it by. Of the others, the earliest deadline first"
                )
            raise NotYet(
                f"{load}: {kept} of 60 jobs were in time, and {wanted} could be."
                + "".join(instead),
                hint,
            )
        sentences.append(f"{kept} at {1 / gap:.0%}")
    return f"in time of 60 were {', '.join(sentences)}."
