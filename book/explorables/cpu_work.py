"""Ways to do CPU work: the lateness of a heartbeat beside several jobs at once.

For the chapter on CPU work. All on the virtual clock; work in other processes takes the
loop no time there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bars import bars
from charts import STYLE

from livecells import Explorable, Frame
from looplab import Heartbeat, burn, spread

JOB, PIECE = 0.100, 0.010  # seconds of CPU work of a job, and of one piece of it
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


async def whole() -> None:
    burn(JOB)


async def in_pieces() -> None:
    for _ in range(round(JOB / PIECE)):
        burn(PIECE)
        await asyncio.sleep(0)


async def elsewhere() -> None:
    await asyncio.sleep(JOB)


async def together(job: Callable[[], Awaitable[None]], count: int) -> None:
    await asyncio.gather(*(job() for _ in range(count)))


async def one_by_one(job: Callable[[], Awaitable[None]], count: int) -> None:
    for _ in range(count):
        await job()


def lateness(
    way: Callable[[Callable[[], Awaitable[None]], int], Awaitable[None]],
    job: Callable[[], Awaitable[None]],
    count: int,
) -> float:
    """The largest lateness of a heartbeat beside that many jobs, in seconds.

    They may come at any moment of its sleep: the largest of 40 phases.
    """

    async def main(phase: float) -> float:
        async with Heartbeat(interval=0.05) as heart:
            await asyncio.sleep(0.05 * (1 + phase))
            await way(job, count)
            await asyncio.sleep(0.05)
        return heart.worst

    return round(spread(main, runs=40).max, 6)


WAYS = {
    "A task each, in one piece": (together, whole, "orange"),
    "A task each, in pieces": (together, in_pieces, "blue"),
    "One worker, in pieces": (one_by_one, in_pieces, "green"),
    "Other processes": (together, elsewhere, "grey"),
}


def frame(count: int, most: float) -> Frame:
    latenesses = {
        words: lateness(way, job, count) for words, (way, job, _) in WAYS.items()
    }
    rows = [
        (words, late, f"{1000 * late:,.0f} ms late", WAYS[words][2])
        for words, late in latenesses.items()
    ]
    listed = "; ".join(
        f"{words.lower()}, {1000 * late:,.0f} ms" for words, late in latenesses.items()
    )
    scale = [(n * most / 4, f"{250 * n * most:,.0f} ms") for n in range(5)]
    return Frame(
        bars(rows, most, scale), f"The heartbeat's largest lateness: {listed}."
    )


def explorable() -> Explorable:
    most = max(lateness(way, job, COUNTS[-1]) for way, job, _ in WAYS.values())
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
