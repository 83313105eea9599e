"""Buses of each kind, for the tests that all of them must pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ontime.bus import Bus, Delivery, RedisBus, SQLiteBus

LONG = 600.0  # a lease that does not run out


class Kind:
    """Makes bus objects that share their messages, and says how in Python's text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, lease: float = LONG) -> Bus:
        buses = {"RedisBus": RedisBus, "SQLiteBus": SQLiteBus}
        bus = eval(self.text, {**buses, "lease": lease})
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
