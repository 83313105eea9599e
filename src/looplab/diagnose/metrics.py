"""The lateness of a program's loop as a figure for a monitoring system.

A probe sleeps for an interval and counts how much later than that it woke::

    from looplab.diagnose.metrics import watch_lateness
    from looplab.metrics import to_prometheus

    async with watch_lateness() as lateness:
        to_prometheus(lateness)
        await serve()

It works on any loop, uvloop too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from looplab._numbers import seconds_of
from looplab.metrics import Histogram, Metric, Source

__all__ = ["watch_lateness"]


@asynccontextmanager
async def watch_lateness(
    interval: float = 0.1, *, name: str = "looplab_lateness_seconds"
) -> AsyncIterator[Source]:
    """Keep a histogram of the running loop's lateness as long as the block runs.

    What it yields is for :func:`looplab.metrics.to_prometheus` and
    :func:`looplab.metrics.to_opentelemetry`.

    Args:
        interval: seconds between two beats of the probe.
        name: of the metric.

    Raises:
        TypeError: if *interval* is not a number.
        ValueError: if it is not above 0 and finite.

    Introduced in the chapter *Diagnose your own program*.
    """
    seconds_of(interval, "interval", above=True)
    loop = asyncio.get_running_loop()
    seen = Histogram()
    about = "How late the event loop runs what is due."
    metric = Metric(name, about, "histogram", values={(): seen})

    async def beat() -> None:
        while True:
            due = loop.time() + interval
            await asyncio.sleep(interval)
            seen.observe(max(0.0, loop.time() - due))

    task = asyncio.create_task(beat(), name="looplab lateness")
    try:
        yield lambda: [metric]
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
