"""``02-predict``: how late a beat is beside jobs on the loop."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, several, simulate
from ontime.check.verdict import NotYet

_WAYS = ("at once", "chain")

_SPREAD = 25  # phases of the heartbeat


async def _worst_of(way: str, jobs: int, seconds: float, phase: float) -> float:
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    left = jobs

    def job() -> None:
        nonlocal left
        burn(seconds)
        left -= 1
        if not left:
            over.set_result(None)
        elif way == "chain":
            loop.call_soon(job)

    interval = 10 * seconds * jobs
    async with Heartbeat(interval) as heartbeat:
        # The beat falls due in the course of the first few jobs.
        await asyncio.sleep(interval - phase)
        if way == "chain":
            loop.call_soon(job)
        else:
            for _ in range(jobs):
                loop.call_soon(job)
        await over
        await asyncio.sleep(interval / 2)
    return heartbeat.worst


@exercise("02-predict", need_function, "worst")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``worst(way, jobs, seconds)``.

    It returns how late, in seconds, a beat can be at worst.  The check runs the jobs on
    the virtual clock at many phases of the heartbeat and compares with the worst.
    """
    for way in _WAYS:
        for jobs, seconds in ((20, 1.5), (8, 0.25), (2, 0.5), (1, 0.5)):
            returned = answer(way, jobs, seconds)
            predicted = need_number(returned, "worst", "a number of seconds")
            phases = [seconds * (step + 0.01) / _SPREAD for step in range(_SPREAD)]
            seen = max(simulate(_worst_of(way, jobs, seconds, at)) for at in phases)
            # The phases lie a little apart: the very worst may be between two.
            if not seen - 1e-6 <= predicted <= seen + seconds * 1.5 / _SPREAD:
                _explain_predict(way, jobs, seconds, predicted, seen)
    return "as late as all jobs together, and as three jobs of a chain."


def _explain_predict(
    way: str, jobs: int, seconds: float, predicted: float, seen: float
) -> None:
    if way == "at once":
        hint = (
            "all jobs are ready in one iteration: the loop sees no timer before the end"
        )
    elif jobs < 3:
        hint = "a chain cannot make a beat later than all of its jobs"
    else:
        hint = (
            "one job runs in each iteration: the beat falls due in one of them, the "
            "next sees its timer, and the one after that wakes its task"
        )
    raise NotYet(
        f"{several(jobs, 'job')} of {seconds:g} s {way!r}: your function says "
        f"{predicted:g} s, and over {_SPREAD} phases a beat is up to {seen:.2f} s "
        "late.",
        hint,
    )
