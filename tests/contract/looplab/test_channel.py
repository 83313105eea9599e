"""A channel without a buffer: who waits for whom, cancellation, closing."""

from __future__ import annotations

import asyncio

from looplab.channel import Channel


def test_on_the_stock_loop() -> None:
    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        got: list[int] = []

        async def consume() -> None:
            async for item in channel:
                got.append(item)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(consume())
            for item in range(100):
                await channel.put(item)
            channel.close()
        return got

    assert asyncio.run(main()) == list(range(100))
