"""Draw the picture of the landing page into book/figures/timeline.html.

``python -m tools.landing_figure`` runs the storm and the queue of chapter 4 on the
virtual clock and writes their timelines, one above the other, as a piece of HTML. A
test fails when the committed file is not what this makes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from looplab import Heartbeat, Timeline, burn, record
from tools.common import ROOT, say

__all__ = ["TARGET", "fragment", "main"]

TARGET = ROOT / "book" / "figures" / "timeline.html"
JOBS, CPU = 200, 0.010  # and seconds of each


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


def draw(load: Callable[[], Awaitable[None]], title: str) -> str:
    """The timeline of a load that starts at 2.5 s beside a heartbeat of 1 s."""

    async def measure() -> None:
        async with Heartbeat():
            await asyncio.sleep(2.5)
            await load()
            await asyncio.sleep(0.5)

    trace = record(measure())
    late = trace.filter(task="heartbeat").worst_lateness
    assert late is not None
    # The heartbeat and the jobs tell the story; who creates the jobs does not.
    trace = trace.filter(lambda one: one.task and not one.label.endswith("measure"))
    title = title.format(late=f"{late:.3f}")
    picture = Timeline(trace, probe="heartbeat", title=title, start=2.4, end=4.7)
    return picture._repr_html_()


def fragment() -> str:
    """The picture as HTML, ending in a newline."""
    pictures = (
        draw(storm, f"{JOBS} tasks at once: {{late}} s late"),
        draw(through_queue, "A queue of size 1: {late} s late"),
    )
    caption = (
        "One thread, and the same two seconds of CPU work. Above, every job is ready "
        "at the same moment, and a heartbeat that falls due waits for all of them. "
        "Below, one job is ready at a time."
    )
    return (
        "<!-- made by: python -m tools.landing_figure -->\n"
        f'<figure class="on-time-hero">\n{"".join(pictures)}\n'
        f"<figcaption>{caption}</figcaption>\n</figure>\n"
    )


def main(words: list[str]) -> int:
    """Write the picture to its place, or to the file that the words name."""
    target = Path(words[0]) if words else TARGET
    target.write_text(fragment(), encoding="utf-8", newline="\n")
    say(f"Saved {target}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
