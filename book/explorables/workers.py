"""How many workers: the lateness of a heartbeat beside 200 jobs, for 1 to 200 workers.

Experiments A5 and A6 of the chapter on the late heartbeat.
"""

from __future__ import annotations

import asyncio
from functools import cache
from math import log

from charts import STYLE, Axes, figure
from model import model

from livecells import Explorable, Frame
from looplab import Spread, elapsed, run, spread

JOBS, CPU, WAIT = 200, 0.010, 0.010  # the waits are before and after the work
RUNS = 60
COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100, 120, 140, 160, 180, 200)

LIVE = f"""
workers = 40
import asyncio
from looplab import Heartbeat, burn, elapsed, run, spread

async def job():
    await asyncio.sleep({WAIT:.3f})
    burn({CPU:.3f})
    await asyncio.sleep({WAIT:.3f})

async def late(phase):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            await (await queue.get())
            queue.task_done()

    async with Heartbeat(interval=1) as heart:
        await asyncio.sleep(2 + phase)
        crew = [asyncio.create_task(worker())
                for _ in range(workers)]
        for _ in range({JOBS}):
            await queue.put(job())
        await queue.join()
        await asyncio.sleep(2)
        for task in crew:
            task.cancel()
    return heart.worst

spread(late, runs={RUNS})
"""


@cache
def lateness(workers: int) -> Spread:
    """The worst lateness of a beat, over phases."""
    return spread(model(LIVE, workers)["late"], runs=RUNS)


@cache
def finish(workers: int) -> float:
    """Seconds until all jobs are done."""
    job = model(LIVE, workers)["job"]

    async def main() -> float:
        queue: asyncio.Queue[None] = asyncio.Queue(maxsize=1)

        async def worker() -> None:
            while True:
                await queue.get()
                await job()
                queue.task_done()

        crew = [asyncio.create_task(worker()) for _ in range(workers)]
        for _ in range(JOBS):
            await queue.put(None)
        await queue.join()
        took = elapsed()
        for task in crew:
            task.cancel()
        return took

    return round(run(main()), 9)


def seconds(value: float) -> str:
    """Three digits, which is what the text below needs."""
    return f"{value:.3f} s" if value < 0.1 else f"{value:.2f} s"


def frame(workers: int) -> Frame:
    lates, took = lateness(workers), finish(workers)
    late = Axes(24, 190, (0, log(COUNTS[-1])), (0, 2.2))
    late.head("Lateness")
    late.grid([(0, "0"), (1, "1 s"), (2, "2 s")])
    late.line([(log(n), lateness(n).max) for n in COUNTS], "orange")
    late.line([(log(n), lateness(n).median) for n in COUNTS], "orange dash")
    late.upright(log(workers), lates.max, "rule")
    late.dots([(log(workers), value) for value in lates.values], "orange")
    late.ring(log(workers), lates.max, "orange")
    # In the line above the plot, where no curve is.
    now = f"{count(workers)}: worst {seconds(lates.max)}"
    late.text(log(200), 2.2, now, "orange", rise=8, anchor="end")
    worst_of = f"worst of {RUNS} runs"
    beside = (160, 120, 180, 80, 60, 100, 40)
    late.name([(log(n), lateness(n).median) for n in beside], "median", "soft")
    late.name([(log(n), lateness(n).max) for n in (100, 60, *beside)], worst_of, "soft")
    ticks = (1, 4, 10, 40)
    late.below([*((log(n), f"{n}") for n in ticks), (log(200), "200 workers")])

    done = Axes(272, 26, (0, 6.2), (0, 1))
    done.head(f"{JOBS} jobs are done after")
    done.line([(0, 0.5), (6.2, 0.5)], "blue area")
    done.line([(0, 0.5), (took, 0.5)], "blue bar")
    inside = took > 3
    done.text(
        took - 0.1 if inside else took + 0.1,
        0.34,
        seconds(took),
        "paper" if inside else "blue bare",
        anchor="end" if inside else "start",
    )
    done.below([(n, f"{n} s") for n in (0, 2, 4, 6)])
    worst, middle = seconds(lates.max), seconds(lates.median)
    summary = (
        f"In the worst of {RUNS} runs the heartbeat is {worst} late, in the median run "
        f"{middle}. {JOBS} jobs are done after {seconds(took)}."
    )
    return Frame(figure(326, late, done), summary)


def count(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"


def explorable() -> Explorable:
    return Explorable(
        title="Fewer workers, less lateness",
        parameter="Workers",
        unit="workers",
        values=COUNTS,
        texts=[count(n) for n in COUNTS],
        frames=[frame(n) for n in COUNTS],
        default=40,
        live=LIVE,
        style=STYLE,
    )
