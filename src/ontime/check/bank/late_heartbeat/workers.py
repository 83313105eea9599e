"""The fewest that are enough, and on time."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number
from ontime.check.verdict import NotYet


@exercise("04-xworkers", need_function, "workers")
def check_workers(answer: Any) -> str:
    """The answer is a function ``workers(wait, cpu, late)``; whole milliseconds.

    It gives the fewest workers that keep the thread busy with jobs that wait, then
    compute, but never so many that a timer may be later than *late*.
    """
    for wait, cpu, late in (
        (20, 10, 100),
        (90, 10, 50),
        (90, 10, 1000),
        (0, 10, 100),
        (95, 10, 1000),
        (90, 10, 55),
        (90, 10, 4),
        (5, 10, 100),
    ):
        full = -(-(wait + cpu) // cpu)
        right = max(1, min(full, late // cpu))
        chosen = need_number(answer(wait, cpu, late), "workers")
        if chosen == right:
            continue
        where = f"wait {wait} ms, compute {cpu} ms, at most {late} ms late"
        if chosen != int(chosen):
            hint = "workers are whole: round up to fill the thread, down to be on time"
        elif chosen < 1:
            hint = "without a worker nothing is done: at least one"
        elif chosen > right and chosen * cpu > late:
            hint = (
                "all workers may wake together: their number times cpu is the lateness"
            )
        elif chosen > right:
            hint = "(wait + cpu) ÷ cpu of them fill the thread; more bring nothing"
        else:
            hint = "more fit into what may be late, and the thread is not yet busy"
        raise NotYet(
            f"{where}: the right number is {right}, and it says {chosen:g}.", hint
        )
    return "as many as the thread can use, and no more than may be late."
