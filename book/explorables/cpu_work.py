"""Ways to do CPU work: the lateness of a heartbeat beside several jobs at once.

For the chapter on CPU work. All on the virtual clock; work in other processes takes the
loop no time there.
"""

from __future__ import annotations

import asyncio

from bars import bars
from charts import STYLE
from model import model

from livecells import Explorable, Frame
from looplab import burn, spread

JOB, PIECE = 0.100, 0.010  # seconds of CPU work of a job, and of one piece of it
COLOURS = ("orange", "blue", "green", "grey")  # of the ways
COUNTS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20)

LIVE = f"""
jobs = 4
import asyncio
from looplab import Heartbeat, burn, spread

async def in_pieces():
    for _ in range({round(JOB / PIECE)}):
        burn({PIECE:.3f})
        await asyncio.sleep(0)

async def main(phase):
    async with Heartbeat(interval=0.05) as heart:
        await asyncio.sleep(0.05 * (1 + phase))
        await asyncio.gather(*(in_pieces() for _ in range(jobs)))
        await asyncio.sleep(0.05)
    return heart.worst

spread(main, runs=40).max
"""


async def in_one_piece() -> None:
    burn(JOB)


async def elsewhere() -> None:
    await asyncio.sleep(JOB)


def lateness(count: int) -> dict[str, float]:
    """The largest lateness of a heartbeat beside so many jobs, in seconds, by the way.

    They may come at any moment of its sleep: the largest of 40 phases.
    """
    names = model(LIVE, count)
    in_pieces = names["in_pieces"]

    async def one_by_one() -> None:
        for _ in range(count):
            await in_pieces()

    mains = {}
    for words, jobs, job in (
        ("A task each, in one piece", count, in_one_piece),
        ("A task each, in pieces", count, in_pieces),
        ("One worker, in pieces", 1, one_by_one),
        ("Other processes", count, elsewhere),
    ):
        mains[words] = model(LIVE, jobs, in_pieces=job)["main"]
    return {words: round(spread(main, runs=40).max, 6) for words, main in mains.items()}


def frame(count: int, most: float) -> Frame:
    latenesses = lateness(count)
    rows = [
        (words, late, f"{1000 * late:,.0f} ms late", role)
        for (words, late), role in zip(latenesses.items(), COLOURS, strict=True)
    ]
    listed = "; ".join(
        f"{words.lower()}, {1000 * late:,.0f} ms" for words, late in latenesses.items()
    )
    return Frame(bars(rows, most), f"The heartbeat's largest lateness: {listed}.")


def explorable() -> Explorable:
    most = max(lateness(COUNTS[-1]).values())
    return Explorable(
        title="Where the work is done, and what a heartbeat feels of it",
        parameter="Jobs at once",
        unit="jobs",
        values=COUNTS,
        texts=[f"{n} job" if n == 1 else f"{n} jobs" for n in COUNTS],
        frames=[frame(n, most) for n in COUNTS],
        default=4,
        live=LIVE,
        style=STYLE,
    )
