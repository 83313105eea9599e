"""CPU work in a round: how many of 100 messages lose their lease on one thread.

The settings of experiments E3 and E4 and what lies between them, on asyncio. The
experiments themselves ran on the thread of a window, whose waits end differently.
"""

from __future__ import annotations

import math
from functools import cache

from charts import STYLE, Axes, figure, number
from model import model

from livecells import Explorable, Frame
from ontime.leases import LeaseRuns

RUNS = 10
WORK = (0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0)

LIVE = f"""
cpu = 0.2
from ontime.leases import LeaseSettings, consume_many

runs = consume_many(LeaseSettings(cpu=cpu), runs={RUNS})
print("lost of 100:", *sorted(run.lost for run in runs))
sorted(runs, key=lambda run: run.lost)[{RUNS // 2}]
"""


@cache
def often(cpu: float) -> LeaseRuns:
    """Runs whose timers fire a little late, each differently."""
    return model(LIVE, cpu)["runs"]


def frame(cpu: float) -> Frame:
    lost = often(cpu).lost
    many = Axes(24, 165, (math.log(WORK[0]), math.log(WORK[-1])), (0, 130))
    many.head(f"Lost leases of 100, {RUNS} runs each with jitter")
    many.grid([(0, "0"), (50, "50"), (100, "100")])
    many.line([(math.log(x), often(x).lost.median) for x in WORK], "orange")
    place = math.log(cpu)
    many.upright(place, lost.median, "rule")
    many.dots([(place, value) for value in lost.values], "orange")
    many.ring(place, lost.median, "orange")
    many.name([(place, lost.median)], f"{spoken(lost.min, lost.max)} lost", "orange")
    beside = [(math.log(x), often(x).lost.median) for x in (1.0, 0.7, 1.4, 0.5)]
    many.name(beside, "median", "soft")
    many.below(
        [
            (math.log(x), words)
            for x, words in (
                (0.03, "0.03 s"),
                (0.1, "0.1 s"),
                (0.5, "0.5 s"),
                (2.0, "2 s of CPU"),
            )
        ]
    )

    run = sorted(often(cpu), key=lambda run: run.lost)[RUNS // 2]
    row = Axes(247, 44, (0, 50), (0, 1))
    row.head(f"The middle run: its messages in order, {run.makespan:.0f} s in all")
    step = 100 / 50  # per cent
    for place, message in enumerate(run.messages):
        left = step * (place % 50)
        bottom = row.top + (20 if place < 50 else 44)
        height, role = (5, "orange") if message.lost else (18, "green")
        row.parts.append(
            f'<rect class="{role}" style="stroke:none" x="{left:.2f}%" '
            f'y="{number(bottom - height)}" width="{step * 0.7:.2f}%" '
            f'height="{height}"/>'
        )
    done = f"{run.processed} processed" if run.processed else "none processed"
    row.text(0, 0, done, "green", rise=-17)
    row.text(50, 0, f"{run.lost} lost", "orange" if run.lost else "soft", rise=-17)
    summary = (
        f"In {RUNS} runs {spoken(lost.min, lost.max)} of {len(run.messages)} messages "
        f"lose their lease. In the middle run {run.processed} are processed, and it "
        f"takes {run.makespan:.0f} s."
    )
    return Frame(figure(317, many, row), summary)


def spoken(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def explorable() -> Explorable:
    return Explorable(
        title="How much CPU work loses leases, on asyncio",
        parameter="CPU in a round",
        unit="s",
        values=WORK,
        texts=[f"{x:g} s" for x in WORK],
        frames=[frame(x) for x in WORK],
        default=0.2,
        live=LIVE,
        style=STYLE,
    )
