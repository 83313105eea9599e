"""A small shop, whose recordings are read in several exercises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from looplab.clock import burn
from looplab.diagnose import Recording, record, tag

__all__ = ["shop_recording"]


async def _shop(invoices: float, parts: int, pictures: float, inbox: bool) -> None:
    """A small shop: invoices in parts, pictures one by one, and those who wait."""

    async def part() -> None:
        burn(invoices / parts)

    async def each(
        name: str, times: int, every: float, work: Callable[[], Any]
    ) -> None:
        for _ in range(times):
            with tag(name):
                await asyncio.sleep(every)
                work()
                await asyncio.sleep(0)  # the name is that of the whole step

    async def make_invoices() -> None:
        for _ in range(4):
            await asyncio.sleep(0.93)
            with tag("invoices"):
                await asyncio.gather(*(part() for _ in range(parts)))

    async def read_inbox() -> None:
        with tag("inbox"):
            while True:  # noqa: ASYNC110
                await asyncio.sleep(0)  # noqa: LAG201 (this is the fault)

    reading = asyncio.create_task(read_inbox()) if inbox else None
    await asyncio.gather(
        make_invoices(),
        each("pictures", 12, 0.31, lambda: burn(pictures)),
        each("baskets", 70, 0.061, lambda: None),
    )
    if reading:
        reading.cancel()


def shop_recording(
    invoices: float, parts: int, pictures: float, inbox: bool = False
) -> Recording:
    cost = 0.000_2 if inbox else 0.0
    return record(_shop(invoices, parts, pictures, inbox), callback_cost=cost)
