"""In-memory streams: their times, their order and their ends."""

from __future__ import annotations

import asyncio
import math
import random
from typing import Any

import pytest

from looplab import elapsed, run
from looplab.streams import open_pair

pytestmark = pytest.mark.virtual_time


async def test_pieces_arrive_when_bandwidth_and_latency_say() -> None:
    seen: list[tuple[float, int]] = []

    (_, writer), (reader, other) = open_pair(latency=0.5, bandwidth=100)

    async def read() -> None:
        while data := await reader.read(1000):
            seen.append((elapsed(), len(data)))
        other.close()

    task = asyncio.create_task(read())
    writer.write(b"a" * 100)
    writer.write(b"b" * 50)
    await asyncio.sleep(5)
    writer.write(b"c" * 100)
    writer.close()
    await task
    assert seen == [(1.5, 100), (2.0, 50), (6.5, 100)]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read(seed: int) -> None:
    random_ = random.Random(seed)
    sent = [random_.randbytes(random_.randrange(1, 60_000)) for _ in range(40)]

    async def main() -> bytes:
        bandwidth = random_.choice([None, 1e6])
        (_, writer), (reader, other) = open_pair(
            latency=random_.random(), bandwidth=bandwidth, limit=1000
        )

        async def write() -> None:
            for piece in sent:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(random_.choice([0, 0.01]))
            writer.close()
            await writer.wait_closed()

        task = asyncio.create_task(write())
        got = []
        while data := await reader.read(random_.randrange(1, 100_000)):
            got.append(data)
            await asyncio.sleep(random_.choice([0, 0.3]))
        await task
        other.close()
        return b"".join(got)

    assert run(main(), max_steps=100_000) == b"".join(sent)


class Ends(asyncio.Protocol):
    """What a transport tells its protocol, with the times."""

    def __init__(self, transport: Any) -> None:
        self.events: list[tuple[float, str, object]] = []
        transport.protocol = self

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith(("pause", "resume", "data", "eof", "connection")):
            return super().__getattribute__(name)
        return lambda value=None: self.events.append((elapsed(), name, value))


async def test_a_writer_is_paused_above_64_kib_and_resumed_at_16() -> None:
    (_, writer), (_, other) = open_pair(latency=1, bandwidth=1000)
    near, far = writer.transport, other.transport
    events, at_far = Ends(near).events, Ends(far).events
    near.write(b"")
    near.write(bytes(64 * 1024))
    assert near.get_write_buffer_size() == 65536 and not events
    near.write(bytearray(b"x"))
    assert [name for _, name, _ in events] == ["pause_writing"]
    for _ in range(16):
        near.write(memoryview(bytes(1024)))
    await asyncio.sleep(66.5365)  # the first piece is there, the small one is not
    assert near.get_write_buffer_size() == 16_385 and len(events) == 1
    await asyncio.sleep(20)
    assert events[1:] == [(66.537, "resume_writing", None)]
    assert near.get_write_buffer_size() == 0
    assert [len(data) for _, _, data in at_far] == [65536, 1, *[1024] * 16]


async def test_an_end_that_closes_is_given_nothing_more() -> None:
    (_, writer), (_, other) = open_pair(latency=1, bandwidth=10)
    near, far = writer.transport, other.transport
    events = Ends(far).events
    far.write(bytes(100))  # which takes ten seconds
    far.pause_reading()
    far.close()
    near.write(b"later")
    await asyncio.sleep(3)
    assert near.get_write_buffer_size() == 0, "it counts as read"
    await asyncio.sleep(10)
    assert events == [(10, "connection_lost", None)]


async def test_an_end_that_does_not_read_is_given_nothing_until_it_does() -> None:
    (_, writer), (_, other) = open_pair(latency=1)
    near, far = writer.transport, other.transport
    events, at_near = Ends(far).events, Ends(near).events
    assert far.is_reading() and near.can_write_eof()
    assert "memory" in far.get_extra_info("peername")
    assert far.get_extra_info("socket", 3) == 3
    far.pause_reading()
    assert not far.is_reading()
    near.write(b"a")
    near.write(b"b")
    near.write_eof()
    near.write_eof()
    with pytest.raises(RuntimeError, match="write_eof"):
        near.write(b"c")
    await asyncio.sleep(3)
    assert events == [] and near.get_write_buffer_size() == 2
    far.resume_reading()
    await asyncio.sleep(0)
    assert far.is_closing() and not far.is_reading() and not near.is_closing()
    assert events == [
        (3, "data_received", b"a"),
        (3, "data_received", b"b"),
        (3, "eof_received", None),
    ]
    await asyncio.sleep(2)
    assert events[3:] == [(3, "connection_lost", None)]
    assert at_near == [(4, "eof_received", None), (4, "connection_lost", None)]
    far.write(b"never sent")
    far.abort()
    await asyncio.sleep(2)
    assert len(events) == 4 and len(at_near) == 2


def test_to_write_to_an_end_that_is_closed_fails() -> None:
    async def main() -> float:
        (_, writer), (_, other) = open_pair(latency=1)
        other.close()
        await other.wait_closed()
        with pytest.raises(ConnectionResetError):
            while True:
                writer.write(bytes(1000))
                await writer.drain()
                await asyncio.sleep(0.1)
        return elapsed()

    # There and back again.
    assert run(main(), max_steps=10_000) == pytest.approx(2.0)


async def test_abort_fails_the_reads_of_the_other_end() -> None:
    (_, writer), (reader, _) = open_pair(latency=2)
    writer.transport.abort()
    with pytest.raises(ConnectionResetError):
        await reader.read()
    assert elapsed() == 2


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"latency": -1}, ValueError),
        ({"latency": math.inf}, ValueError),
        ({"bandwidth": 0}, ValueError),
        ({"bandwidth": "fast"}, TypeError),
        ({"limit": 0}, ValueError),
    ],
)
def test_bad_settings(settings: dict[str, Any], error: type[Exception]) -> None:
    async def main() -> None:
        open_pair(**settings)

    (name,) = settings
    with pytest.raises(error, match=name):
        run(main())
