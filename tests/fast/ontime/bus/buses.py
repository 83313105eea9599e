"""Buses of each kind, for the tests that all of them must pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ontime.bus import Bus, Delivery, RedisBus, SQLiteBus

LONG = 600.0  # seconds of a lease that does not run out by itself


class Kind:
    """Makes bus objects that share their messages, and says how in Python's text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self) -> Bus:
        bus = eval(self.text, {"RedisBus": RedisBus, "SQLiteBus": SQLiteBus})
        assert isinstance(bus, Bus)
        return bus


def with_bus(bus: Bus, story: Callable[[Any], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with bus:
            return await story(bus)

    return asyncio.run(main())


async def received(bus: Bus) -> Delivery:
    delivery = await bus.receive()
    assert delivery is not None
    return delivery


async def run_out(bus: Any, delivery: Delivery) -> None:
    """Let the lease of a delivery have run out, as if its time had passed."""
    if isinstance(bus, SQLiteBus):
        sql = "UPDATE bus_leases SET until = 0 WHERE id = ?"
        bus._quick.execute(sql, [delivery.id])
    else:
        [holder] = await bus._client.xpending_range(
            bus.stream, "consumers", delivery.id, delivery.id, 1
        )
        ids, idle = [delivery.id], int(LONG * 1000)
        await bus._client.xclaim(
            bus.stream, "consumers", holder["consumer"], 0, ids, idle=idle, justid=True
        )
