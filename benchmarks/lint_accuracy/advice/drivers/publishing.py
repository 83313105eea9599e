"""Programs that publish: a broker's messages and the events of a framework."""

from __future__ import annotations

import asyncio
import contextlib

from sizes import ITEMS, PAUSE


async def broadcaster_memory() -> int:
    """Who publishes keeps the pace of the listener, and each message arrives."""
    from broadcaster._backends.memory import MemoryBackend

    backend = MemoryBackend("memory://")
    await backend.connect()
    await backend.subscribe("news")

    async def publish() -> None:
        for number in range(ITEMS):
            await backend.publish("news", number)

    task = asyncio.create_task(publish())
    most, got = 0, []
    for _ in range(ITEMS):
        got.append((await backend.next_published()).message)
        most = max(most, backend._published.qsize())
        await asyncio.sleep(PAUSE)
    await task
    assert got == list(range(ITEMS))
    return most


async def broadcaster_fanout() -> int:
    """A reader that reads gets all; one that does not stops nobody, and can leave."""
    from broadcaster import Broadcast

    async with (
        Broadcast("memory://") as broadcast,
        broadcast.subscribe("news") as reader,
        broadcast.subscribe("news") as idle,
    ):
        for number in range(3000):
            await broadcast.publish("news", number)
            assert (await asyncio.wait_for(reader.get(), 10)).message == number
        most: int = idle._queue.qsize()
    return most


async def litestar_memory() -> int:
    """publish() keeps the pace of who reads, and each event arrives."""
    from litestar.channels.backends.memory import MemoryChannelsBackend

    backend = MemoryChannelsBackend(history=3)
    await backend.on_startup()
    await backend.subscribe(["news"])

    async def publish() -> None:
        for number in range(ITEMS):
            await backend.publish(str(number).encode(), ["news", "other"])

    task = asyncio.create_task(publish())
    got, most = [], 0
    async for _, data in backend.stream_events():
        got.append(int(data))
        assert backend._queue is not None
        most = max(most, backend._queue.qsize())
        await asyncio.sleep(PAUSE)
        if len(got) == ITEMS:
            break
    await task
    assert got == list(range(ITEMS))
    assert await backend.get_history("news", 3) == [b"297", b"298", b"299"]
    return most


async def litestar_plugin() -> int:
    """Events arrive; a backend that stands still does not fill memory."""
    from litestar.channels import ChannelsPlugin
    from litestar.channels.backends.memory import MemoryChannelsBackend

    plugin = ChannelsPlugin(MemoryChannelsBackend(), channels=["news"])
    async with plugin:
        async with plugin.start_subscription(["news"]) as subscriber:
            for number in range(ITEMS):
                plugin.publish(str(number), "news")
                event = await anext(subscriber.iter_events())
                assert event == str(number).encode()
        most = 0
        with contextlib.suppress(RuntimeError):  # it refuses more
            for number in range(3000):
                plugin.publish(str(number), "news")
                assert plugin._pub_queue is not None
                most = max(most, plugin._pub_queue.qsize())
    return most


async def litestar_emitter() -> int:
    """Each event reaches its listener; more than can wait are refused."""
    from litestar.events import listener
    from litestar.events.emitter import SimpleEventEmitter

    got: list[int] = []
    all_here = asyncio.Event()

    @listener("news")
    async def heard(number: int) -> None:
        got.append(number)
        if len(got) == ITEMS:
            all_here.set()

    most = 0
    async with SimpleEventEmitter([heard]) as emitter:
        for number in range(ITEMS):
            emitter.emit("news", number)
        await all_here.wait()
        with contextlib.suppress(RuntimeError):
            for number in range(3000):
                emitter.emit("news", number)
                most += 1
    assert got[:ITEMS] == list(range(ITEMS))
    return most
