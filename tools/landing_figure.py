"""Draw the pictures of the landing page and of chapter 4 into book/figures.

``python -m tools.landing_figure`` runs the storm and the queue of chapter 4 on the
virtual clock. The landing page plays the storm among beats that are on time
(``late_beat.html``), the chapter the storm and the queue in step, one above the other
(``timeline.html``). A test fails when a committed file is not what this makes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from looplab import Heartbeat, burn, record
from looplab.player import Player
from tools.common import ROOT, say

__all__ = ["FOLDER", "JOBS", "PICTURES", "both", "late_beat", "main"]

FOLDER = ROOT / "book" / "figures"
JOBS, CPU = 200, 0.010  # and seconds of each
BEGINS = 2.5  # seconds


async def job() -> None:
    burn(CPU)


async def storm() -> None:
    async with asyncio.TaskGroup() as tasks:
        for _ in range(JOBS):
            tasks.create_task(job())


async def through_queue() -> None:
    queue: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue(maxsize=1)

    async def worker() -> None:
        while True:
            await (await queue.get())()
            queue.task_done()

    crew = [asyncio.create_task(worker(), name=f"worker-{n}") for n in range(1, 5)]
    for _ in range(JOBS):
        await queue.put(job)
    await queue.join()
    for task in crew:
        task.cancel()


def draw(
    load: Callable[[], Awaitable[None]],
    title: str,
    *,
    start: float = 2.4,
    end: float = 4.7,
    rest: float = 0.5,
    marks: Sequence[tuple[float, str]] = (),
    **player: str,
) -> str:
    """The run of a load that starts at 2.5 s beside a heartbeat of 1 s, as a player."""

    async def measure() -> None:
        async with Heartbeat():
            await asyncio.sleep(BEGINS)
            await load()
            await asyncio.sleep(rest)

    trace = record(measure(), whole=True)
    late = trace.filter(task="heartbeat").worst_lateness
    assert late is not None
    picture = Player(
        trace,
        probe="heartbeat",
        title=title.format(late=f"{late:.3f}"),
        start=start,
        end=end,
        marks=marks,
        **player,
    )
    return picture._repr_html_()


def figure(pictures: Sequence[str], caption: str) -> str:
    """Pictures and what they show, as HTML that ends in a newline."""
    return (
        "<!-- made by: python -m tools.landing_figure -->\n"
        f'<figure class="on-time-hero">\n{"".join(pictures)}\n'
        f"<figcaption>{caption}</figcaption>\n</figure>\n"
    )


def late_beat() -> str:
    """The picture of the landing page."""
    picture = draw(
        storm,
        f"{JOBS} small tasks make a timer {{late}} s late",
        start=0.8,
        end=5.2,
        rest=1,
        marks=[(BEGINS, f"{JOBS} tasks begin")],
    )
    caption = (
        f"One thread, and {JOBS} tasks of {CPU * 1000:g} ms at once: a timer that "
        "falls due waits for all of them."
    )
    return figure([picture], caption)


def both() -> str:
    """The picture of chapter 4: the storm, and the queue below it."""
    pictures = (
        draw(storm, f"{JOBS} tasks at once", label="storm"),
        draw(through_queue, "The same work through a queue of size 1", follows="storm"),
    )
    caption = (
        "One thread, and the same two seconds of CPU work. Above, every job is ready "
        "at the same moment, and a heartbeat that falls due waits for all of them. "
        "Below, one job is ready at a time."
    )
    return figure(pictures, caption)


PICTURES = {"late_beat.html": late_beat, "timeline.html": both}


def main(words: list[str]) -> int:
    """Write the pictures to their folder, or to the one that the words name."""
    folder = Path(words[0]) if words else FOLDER
    for name, draw_one in PICTURES.items():
        (folder / name).write_text(draw_one(), encoding="utf-8", newline="\n")
        say(f"Saved {folder / name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
