"""The bus in a Redis server: a server that stops, has no room, or answers late."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from looplab.priority import ByPriority, PriorityEventLoop, priority
from looplab.priority.context import PRIORITY
from ontime.bus import BusFullError, BusUnavailableError, Counts, RedisBus, consume
from ontime.leases import LeaseSettings
from tests.contract.ontime.bus.redis_server import RedisServer
from tests.fast.ontime.bus.buses import LONG, received, with_bus


def test_a_stopped_server_loses_no_message(tmp_path: Path) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put(*"abc")
        held = await received(bus)
        server.stop()
        for call in bus.put("f"), bus.receive(), bus.refresh(held), bus.counts():
            with pytest.raises(BusUnavailableError, match="start the server"):
                await call
        server.start()
        assert (await received(bus)).body == "b"
        assert await bus.refresh(held)  # who held what is known
        assert await bus.counts() == Counts(1, 2)

    keeping = "--appendonly", "yes", "--appendfsync", "always"
    with RedisServer(tmp_path, *keeping) as server:
        with_bus(RedisBus(server.url, lease=LONG), story)


def test_a_server_without_room(tmp_path: Path) -> None:
    async def story(bus: RedisBus) -> None:
        put = 0
        used = int((await bus._client.info("memory"))["used_memory"])
        await bus._client.config_set("maxmemory", used + 300_000)
        with pytest.raises(BusFullError, match="what is in it is safe"):
            while True:
                await bus.put("x" * 20_000, "y" * 20_000)
                put += 2
        assert (await bus.counts()).total == put
        await bus._client.config_set("maxmemory", 0)
        for _ in range(put):
            assert await bus.acknowledge(await received(bus))
        assert await bus.counts() == Counts(0, 0)

    with RedisServer(tmp_path) as server:
        with_bus(RedisBus(server.url, lease=LONG), story)


def test_answers_are_urgent_whoever_opened_the_connection(server: RedisServer) -> None:
    async def levels() -> set[Any]:
        bus = RedisBus(server.url, lease=LONG, stream="answers")
        with priority(1):
            await asyncio.create_task(bus.__aenter__())
        loop: Any = asyncio.get_running_loop()
        handles = [key.data[0] for key in loop._selector.get_map().values()]
        await bus.__aexit__()
        return {handle._context.get(PRIORITY) for handle in handles} - {None}

    with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
        assert runner.run(levels()) == {1_000_000_000}


def test_the_consumer_works_on_a_server(server: RedisServer) -> None:
    settings = LeaseSettings(
        messages=4, rounds=2, cpu=0.002, io=0.002, receive=0.002,
        refresh_every=0.004, refresh=0.001, lease=LONG,
    )  # fmt: skip
    bus = RedisBus(server.url, lease=LONG, stream="consumer")
    run = consume(settings, ByPriority(), bus=bus)
    assert (run.processed, run.redelivered, run.left.total) == (4, 0, 0)
    assert run.clock == "real"
