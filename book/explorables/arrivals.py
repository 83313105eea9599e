"""How fast items arrive: the length of a queue without a bound and with one.

In the spirit of experiments A7 to A9: a queue is only as short as its producer lets it
be, unless it has a bound.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from functools import cache

from charts import STYLE, Axes, figure

from livecells import Explorable, Frame
from looplab import elapsed, run

SERVE = 0.010  # seconds that the consumer waits for each item: 100 items a second
BOUND, LENGTH = 10, 10.0
RATES = (20, 40, 60, 80, 90, 95, 100, 105, 110, 120, 130, 140, 150, 160, 180, 200)

LIVE = f"""
rate = 120
import asyncio, random
from looplab import elapsed, run

async def main(bound):
    queue, longest = asyncio.Queue(bound), 0

    async def consume():
        while True:
            await queue.get()
            await asyncio.sleep({SERVE:.3f})

    consumer = asyncio.create_task(consume())
    gaps = random.Random(1)
    while elapsed() < {LENGTH:.0f}:
        await asyncio.sleep(gaps.uniform(0, 2 / rate))
        await queue.put("item")
        longest = max(longest, queue.qsize())
    consumer.cancel()
    return longest

for bound in 0, {BOUND}:
    print(f"maxsize={{bound}}: up to {{run(main(bound))}} items wait")
"""


@dataclass
class Seen:
    """What one run showed."""

    lengths: list[tuple[float, int]] = field(default_factory=list)
    longest: int = 0
    wait: float = 0.0  # the longest that an item waited in the queue, in seconds
    held: float = 0.0  # how long the producer waited for room, in seconds


@cache
def queue_run(rate: int, bound: int) -> Seen:
    """Let items arrive at ``rate`` a second for ten seconds."""
    seen = Seen()

    async def main() -> None:
        queue: asyncio.Queue[float] = asyncio.Queue(bound)

        async def consume() -> None:
            while True:
                put_at = await queue.get()
                seen.wait = max(seen.wait, elapsed() - put_at)
                await asyncio.sleep(SERVE)
                queue.task_done()

        async def watch() -> None:
            while True:
                seen.lengths.append((elapsed(), queue.qsize()))
                await asyncio.sleep(0.1)

        tasks = [asyncio.create_task(consume()), asyncio.create_task(watch())]
        gaps = random.Random(1)
        while elapsed() < LENGTH:
            await asyncio.sleep(gaps.uniform(0, 2 / rate))
            asked = elapsed()
            await queue.put(asked)
            seen.held += elapsed() - asked
            seen.longest = max(seen.longest, queue.qsize())
        # What still waits is served too: a wait that is cut off would be no maximum.
        await queue.join()
        for task in tasks:
            task.cancel()

    run(main())
    seen.lengths = [(t, n) for t, n in seen.lengths if t <= LENGTH + 1e-9]
    return seen


def frame(rate: int) -> Frame:
    free, bounded = queue_run(rate, 0), queue_run(rate, BOUND)
    far = Axes(24, 120, (0, LENGTH), (0, 1200))
    far.head("Items in the queue")
    far.grid([(0, "0"), (500, "500"), (1000, "1,000")])
    far.line(free.lengths, "orange")
    far.line(bounded.lengths, "blue")
    far.name(free.lengths[::-5], f"no bound: {free.lengths[-1][1]:,}", "orange")

    near = Axes(182, 120, (0, LENGTH), (0, 30))
    near.head("The same, nearer")
    near.grid([(0, "0"), (BOUND, f"{BOUND}"), (20, "20")])
    near.line(free.lengths, "orange clip")
    near.line(bounded.lengths, "blue")
    near.name(bounded.lengths[::-5], f"bound of {BOUND}", "blue")
    near.below([(0, "0 s"), (5, "5 s"), (10, "10 s")])
    summary = (
        f"The consumer takes {1 / SERVE:.0f} a second. No bound: up to "
        f"{free.longest:,} items wait, the longest for {free.wait:.2f} s. A bound of "
        f"{BOUND}: up to {bounded.longest} wait, the longest for {bounded.wait:.2f} s, "
        f"and the producer is held back for {bounded.held:.1f} s."
    )
    return Frame(figure(326, far, near), summary)


def explorable() -> Explorable:
    return Explorable(
        title="A little more than the consumer can take",
        parameter="Arrivals",
        unit="a second",
        values=RATES,
        frames=[frame(rate) for rate in RATES],
        default=120,
        live=LIVE,
        style=STYLE,
    )
