"""The bus in a Redis server: what is wrong with the server, its memory or its keys."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import looplab
from looplab.priority import PriorityEventLoop, priority
from looplab.priority.context import PRIORITY
from ontime.bus import (
    BusFullError,
    BusUnavailableError,
    Counts,
    Delivery,
    NotABusError,
    RedisBus,
    consume,
)
from ontime.leases import LeaseSettings
from tests.contract.left import SLOW
from tests.contract.ontime.bus.redis_server import RedisServer
from tests.fast.ontime.bus.buses import do_nothing, with_bus


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that writes down what it does."""
    folder = tmp_path / "redis"
    folder.mkdir()
    with RedisServer(
        folder, "--appendonly", "yes", "--appendfsync", "always"
    ) as running:
        yield running


def tell(server: RedisServer, *words: str) -> Any:
    """Send one command, past the bus."""
    import redis

    with redis.Redis.from_url(
        server.url,
        decode_responses=True,
        socket_timeout=SLOW,
        socket_connect_timeout=SLOW,
    ) as client:
        return client.execute_command(*words)


def at_a_delivery(bus: RedisBus, number: int, call: Callable[[], object]) -> None:
    """Call something once, after so many deliveries."""
    receive, deliveries = bus.receive, count(1)

    async def then_call() -> Delivery | None:
        found = await receive()
        if found is not None and next(deliveries) == number:
            call()
        return found

    bus.receive = then_call  # type: ignore[method-assign]


# -- a server that stops -------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_server_loses_no_message(keeping: RedisServer, how: int) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put(*"abcde")
        done = await bus.receive()
        held = await bus.receive()
        assert done is not None
        assert held is not None
        assert await bus.acknowledge(done)
        keeping.stop(how)
        bus.patience = 2
        for call in bus.put("f"), bus.receive(), bus.refresh(held), bus.counts():
            with pytest.raises(
                BusUnavailableError,
                match=rf"at 127\.0\.0\.1:{keeping.port} could not be reached for 2 s"
                r" \(\d+ tried; .*\): start it",
            ):
                await call
        keeping.start()
        bus.patience = 60
        # The same object goes on; who held what is known.
        assert await bus.counts() == Counts(3, 1)
        assert await bus.refresh(held)
        assert await bus.acknowledge(held)
        for body in "cde":
            one = await bus.receive()
            assert one is not None
            assert (one.body, one.number) == (body, 1)
            assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(0, 0)

    with_bus(RedisBus(keeping.url, lease=600, patience=60), story)


def test_a_call_waits_for_a_server_that_comes_back(keeping: RedisServer) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put("a")
        keeping.stop()
        starting = asyncio.create_task(asyncio.to_thread(later))
        one = await bus.receive()
        assert one is not None
        assert one.body == "a"
        await starting

    def later() -> None:
        time.sleep(0.3)
        keeping.start()

    with_bus(RedisBus(keeping.url, lease=600, patience=120), story)


def test_a_consumer_works_on_when_its_server_is_back(keeping: RedisServer) -> None:
    settings = LeaseSettings(
        messages=10, rounds=20, cpu=0.001, io=0.02, receive=0.02,
        refresh_every=0.05, refresh=0.001, lease=30,
    )  # fmt: skip
    restarts: list[float] = []
    working = threading.Event()

    def restart() -> None:
        for _ in range(2):
            assert working.wait(SLOW)
            time.sleep(0.5)
            keeping.stop(signal.SIGKILL)
            time.sleep(0.2)
            keeping.start()
            restarts.append(time.monotonic())

    restarting = threading.Thread(target=restart)
    restarting.start()
    try:
        bus = RedisBus(keeping.url, lease=600, patience=120)
        # A server that dies may have taken a message and not said so: the client then
        # sends it twice, and so they are there before.
        with_bus(bus, lambda bus: bus.put(*map(str, range(10))))
        bus = RedisBus(keeping.url, lease=600, patience=120)
        # One that dies may also have handed out a message and not said so, and then the
        # message waits for the end of its lease: so all of them are held before.
        at_a_delivery(bus, 10, working.set)
        settings = replace(settings, rounds=60, lease=600)
        run = consume(settings, PriorityEventLoop, bus=bus, fill=False)
    finally:
        working.set()
        restarting.join()
    assert len(restarts) == 2
    assert (run.processed, run.left.total) == (10, 0)


def test_a_consumer_ends_when_its_server_does_not_come_back(
    keeping: RedisServer,
) -> None:
    settings = LeaseSettings(
        messages=10, rounds=1000, cpu=0.001, io=0.02, receive=0.02,
        refresh_every=0.05, refresh=0.001, lease=30,
    )  # fmt: skip
    stopping = threading.Thread(target=keeping.stop)
    bus = RedisBus(keeping.url, lease=30, patience=60)

    def stop() -> None:
        bus.patience = 2
        stopping.start()

    at_a_delivery(bus, 1, stop)
    with pytest.raises(BusUnavailableError, match=r"could not be reached for 2 s"):
        consume(settings, PriorityEventLoop, bus=bus)
    stopping.join()
    keeping.start()
    bus = RedisBus(keeping.url, lease=30)
    assert with_bus(bus, lambda bus: bus.counts()).total == 10


def test_a_server_that_hangs(server: RedisServer) -> None:
    """It accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        start = time.monotonic()
        with pytest.raises(BusUnavailableError, match=r"reached for 0\.2 s \(1 tried"):
            with_bus(
                RedisBus(f"redis://127.0.0.1:{port}", lease=60, patience=0.2),
                do_nothing,
            )
        assert time.monotonic() - start < 60


def test_no_server() -> None:
    pytest.importorskip("redis")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        port = taken.getsockname()[1]
        with pytest.raises(
            BusUnavailableError, match=rf"127\.0\.0\.1:{port} could not be"
        ):
            with_bus(
                RedisBus(f"redis://127.0.0.1:{port}", lease=60, patience=0.1),
                do_nothing,
            )


# -- memory, keys, rights ------------------------------------------------------------


def test_a_server_without_room(tmp_path: Path) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put("a", "b")
        put = 2
        used = int((await bus._client.info("memory"))["used_memory"])
        await bus._client.config_set("maxmemory", used + 300_000)
        with pytest.raises(BusFullError, match=r"has no room; what is in it is safe: "):
            while True:
                await bus.put("x" * 20_000, "y" * 20_000)
                put += 2
        assert (await bus.counts()).total == put
        await bus._client.config_set("maxmemory", 0)
        for _ in range(put):
            one = await bus.receive()
            assert one is not None
            assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(0, 0)

    with RedisServer(tmp_path) as own:
        with_bus(RedisBus(own.url, lease=600), story)


def test_a_server_that_throws_messages_away(tmp_path: Path) -> None:
    with RedisServer(tmp_path, "--maxmemory-policy", "allkeys-lru") as careless:
        with pytest.raises(NotABusError, match=r"policy allkeys-lru\): set it to noev"):
            with_bus(RedisBus(careless.url, lease=60), do_nothing)
        assert tell(careless, "DBSIZE") == 0


def test_a_key_of_something_else_is_left_as_it_is(server: RedisServer) -> None:
    tell(server, "SET", "text", "mine")
    with pytest.raises(NotABusError, match=r"'text' of Redis .* is no stream; it was"):
        with_bus(RedisBus(server.url, lease=60, stream="text"), do_nothing)
    assert tell(server, "GET", "text") == "mine"


def test_a_stream_that_is_removed(server: RedisServer) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put("a")
        tell(server, "DEL", "removed")
        with pytest.raises(NotABusError, match=r"'removed' of .* has been removed"):
            await bus.receive()

    with_bus(RedisBus(server.url, lease=60, stream="removed"), story)


def test_an_entry_that_is_removed(server: RedisServer) -> None:
    async def story(bus: RedisBus) -> None:
        (first, _) = await bus.put("a", "b")
        held = await bus.receive()
        assert held is not None
        tell(server, "XDEL", "cut", first)
        await asyncio.sleep(0.1)
        one = await bus.receive()  # passes over what is gone
        assert one is not None
        assert one.body == "b"

    with_bus(RedisBus(server.url, lease=0.05, stream="cut"), story)


def test_two_groups_do_not_share_leases(server: RedisServer) -> None:
    async def story(bus: RedisBus) -> None:
        await bus.put("a")
        assert await bus.receive() is not None
        async with RedisBus(
            server.url, lease=60, stream="shared", group="others"
        ) as other:
            assert await other.receive() is not None

    with_bus(RedisBus(server.url, lease=60, stream="shared"), story)


def test_a_password(tmp_path: Path) -> None:
    with RedisServer(tmp_path, "--requirepass", "secret-1") as guarded:
        address = f"127.0.0.1:{guarded.port}"
        for given in "", ":wrong-2@":
            bus = RedisBus(f"redis://{given}{address}", lease=60, patience=600)
            with pytest.raises(BusUnavailableError, match=r"refuses: ") as caught:
                with_bus(bus, do_nothing)
            assert "wrong-2" not in f"{caught.value} {bus!r}"
            assert address in str(caught.value)
        bus = RedisBus(f"redis://:secret-1@{address}", lease=60)
        assert with_bus(bus, lambda bus: bus.counts()) == Counts(0, 0)
        assert "secret" not in repr(bus)


# -- settings ------------------------------------------------------------------------


def test_the_package_is_not_needed_to_import() -> None:
    program = (
        "import sys; sys.modules['redis'] = None; import ontime.bus; "
        "print(sorted(name for name in sys.modules if name.startswith('redis')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['redis']\n"


# -- answers and priorities ----------------------------------------------------------


def opened_at_1(
    server: RedisServer, urgent: bool, then: Callable[[RedisBus], Awaitable[Any]]
) -> Any:
    """Go on with a bus whose connection was opened by a task of priority 1."""

    async def main() -> Any:
        bus = RedisBus(
            server.url, lease=600, stream=f"answers-{urgent}", urgent_answers=urgent
        )
        with priority(1):
            await asyncio.create_task(bus.__aenter__())
            await asyncio.create_task(bus.put("a"))
        try:
            return await then(bus)
        finally:
            await bus.__aexit__(None, None, None)

    with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
        return runner.run(main())


@pytest.mark.parametrize(("urgent", "level"), [(False, 1), (True, 1_000_000_000)])
def test_the_priority_of_answers(server: RedisServer, urgent: bool, level: int) -> None:
    async def levels_of_sockets(bus: RedisBus) -> set[int]:
        loop: Any = asyncio.get_running_loop()
        handles = [key.data[0] for key in loop._selector.get_map().values()]
        levels = {handle._context.get(PRIORITY) for handle in handles}
        return levels - {None}  # the loop's own

    assert opened_at_1(server, urgent, levels_of_sockets) == {level}


def test_an_answer_does_not_wait_behind_less_urgent_work(server: RedisServer) -> None:
    async def turns_of_work(bus: RedisBus) -> int:
        one = await bus.receive()
        assert one is not None
        turns = 0
        ended = False

        async def work() -> None:
            nonlocal turns
            while not ended and turns < 100:
                turns += 1
                # The server, however slow, has answered what it was asked before.
                tell(server, "PING")
                looplab.burn(0.0005)
                await asyncio.sleep(0)

        async def keep() -> None:
            nonlocal ended
            try:
                assert await bus.refresh(one)
            finally:
                ended = True

        with priority(2):
            working = asyncio.create_task(work())
        with priority(3):
            keeping = asyncio.create_task(keep())
        await asyncio.gather(working, keeping)
        return turns

    assert opened_at_1(server, True, turns_of_work) < 100


def test_names_of_consumers_that_ended_are_forgotten(server: RedisServer) -> None:
    stream = "tidy"

    def names() -> set[str]:
        found = tell(server, "XINFO CONSUMERS", stream, "consumers")
        return {one["name"] for one in found}

    def make(lease: float) -> RedisBus:
        return RedisBus(server.url, lease=lease, stream=stream)

    ended, holding, working = make(600), make(600), make(0.02)

    async def receive(bus: RedisBus) -> Any:
        return await bus.receive()

    async def work(bus: RedisBus) -> None:
        await bus.put("done")
        assert await bus.acknowledge(await receive(bus))

    with_bus(ended, work)
    with_bus(holding, lambda bus: bus.put("a"))
    held = with_bus(holding, receive)
    assert names() == {ended.consumer, holding.consumer}
    time.sleep(0.3)  # more than ten of its leases

    async def look(bus: RedisBus) -> Any:
        # Whoever holds a message is kept, or nobody could claim it.
        assert names() == {holding.consumer}
        found = await bus.receive()
        assert names() <= {holding.consumer, bus.consumer}
        return found

    again = with_bus(working, look)
    assert (again.id, again.number) == (held.id, 2)


def test_counting_goes_through_all_pages(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ontime.bus.redis._PAGE", 2)

    async def story(bus: RedisBus) -> None:
        await bus.put(*"abcdefg")
        for _ in range(5):
            assert await bus.receive() is not None
        assert await bus.counts() == Counts(2, 5)
        async with RedisBus(server.url, lease=0.01, stream="pages") as impatient:
            await asyncio.sleep(0.05)  # five of its leases
            assert await impatient.counts() == Counts(7, 0)

    with_bus(RedisBus(server.url, lease=600, stream="pages"), story)
