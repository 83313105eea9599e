"""What urgent requests gain, the others pay; a limit on the others bounds it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

from looplab import VirtualTimeLoop, burn, run
from looplab.priority import VirtualPriorityLoop, priority

PIECES, PIECE = 10, 0.002  # a batch request: 20 ms of CPU, which yields in between
BURST, EVERY, BURSTS = 25, 0.6, 20  # batch requests, seconds
URGENT, RATE = 0.004, 25  # seconds of CPU, requests per second


@contextlib.contextmanager
def no_level(level: int) -> Iterator[None]:
    yield


def server(kind: type[VirtualTimeLoop], limit: int | None) -> tuple[float, float]:
    """The worst urgent and the median batch response, in seconds."""
    urgent_took: list[float] = []
    batch_took: list[float] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        level: Any = priority if kind is VirtualPriorityLoop else no_level
        room = asyncio.Semaphore(limit) if limit else contextlib.nullcontext()

        async def batch(came: float) -> None:
            async with room:
                for _ in range(PIECES):
                    burn(PIECE)
                    await asyncio.sleep(0)
            batch_took.append(loop.time() - came)

        async def urgent(came: float) -> None:
            burn(URGENT)
            await asyncio.sleep(0)
            urgent_took.append(loop.time() - came)

        async def come(work: Any, own: int, times: list[float]) -> None:
            async with asyncio.TaskGroup() as group:
                for when in times:
                    await asyncio.sleep(when - loop.time())
                    with level(own):
                        group.create_task(work(when))

        bursts = [n * EVERY for n in range(BURSTS) for _ in range(BURST)]
        beats = [n / RATE for n in range(int(BURSTS * EVERY * RATE))]
        with level(9):
            await asyncio.gather(come(batch, 0, bursts), come(urgent, 5, beats))

    run(main(), loop_factory=kind)
    return max(urgent_took), median(batch_took)


def test_what_batch_pays_and_how_a_limit_bounds_it() -> None:
    stock = server(VirtualTimeLoop, None)
    unbounded = server(VirtualPriorityLoop, None)
    bounded = server(VirtualPriorityLoop, 2)
    assert stock == pytest.approx((0.102, 0.386))
    assert unbounded == pytest.approx((0.004, 0.556))
    assert bounded == pytest.approx((0.004, 0.312))
