"""A message that is handed over from task to task, on a loop whose other tasks poll.

Each hand-over waits for three iterations. For the chapter on the spinning loop; on the
virtual clock.
"""

from __future__ import annotations

from bars import bars
from charts import STYLE
from model import model

from livecells import Explorable, Frame
from looplab import run

POLL = 0.0001  # seconds of CPU that one poll takes
COUNTS = (0, 1, 2, 4, 8, 16, 32, 64)
HOPS = {1: "orange", 5: "blue", 20: "green"}

LIVE = f"""
polling = 32
import asyncio
from looplab import burn, elapsed, run

async def poll():
    while True:
        burn({POLL:.4f})
        await asyncio.sleep(0)

async def main(times):
    polls = [asyncio.create_task(poll()) for _ in range(polling)]
    await asyncio.sleep(0.01)
    began = elapsed()
    for _ in range(times):
        await asyncio.create_task(asyncio.sleep(0))
    took = elapsed() - began
    for task in polls:
        task.cancel()
    return round(took, 4)

{{times: run(main(times)) for times in {tuple(HOPS)}}}
"""


def durations(polling: int) -> dict[int, float]:
    """Seconds that a message takes, by how often it is handed over."""
    main = model(LIVE, polling)["main"]
    return {hops: run(main(hops)) for hops in HOPS}


def frame(polling: int, most: float) -> Frame:
    rows = [
        (
            "1 hand-over" if hops == 1 else f"{hops} hand-overs",
            seconds,
            f"{1000 * seconds:,.1f} ms",
            HOPS[hops],
        )
        for hops, seconds in durations(polling).items()
    ]
    listed = ", ".join(f"{words} {value}" for words, _, value, _ in rows)
    return Frame(bars(rows, most), f"Until the message is there: {listed}.")


def explorable() -> Explorable:
    most = max(durations(COUNTS[-1]).values())
    return Explorable(
        title="Each hand-over waits for every poll",
        parameter="Tasks that poll",
        unit="tasks",
        values=COUNTS,
        texts=[
            "none" if n == 0 else f"{n} task" if n == 1 else f"{n} tasks"
            for n in COUNTS
        ],
        frames=[frame(n, most) for n in COUNTS],
        default=32,
        live=LIVE,
        style=STYLE,
    )
