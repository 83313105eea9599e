"""In-memory streams: their times, their order and their ends."""

from __future__ import annotations

import asyncio
import math
import random
from typing import Any

import pytest

from looplab import elapsed, run
from looplab.streams import open_pair


def test_pieces_arrive_when_bandwidth_and_latency_say() -> None:
    seen: list[tuple[float, int]] = []

    async def both() -> list[tuple[float, int]]:
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
        return seen

    assert run(both()) == [(1.5, 100), (2.0, 50), (6.5, 100)]


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


def test_drain_waits_for_a_reader_that_does_not_read() -> None:
    async def main() -> float:
        (_, writer), (reader, other) = open_pair(limit=1000)

        async def read_later() -> None:
            await asyncio.sleep(7)
            while await reader.read(100_000):
                pass

        task = asyncio.create_task(read_later())
        for _ in range(10):
            writer.write(bytes(20_000))
            await writer.drain()
        writer.close()
        await task
        other.close()
        return elapsed()

    assert run(main()) == 7


def test_to_write_to_an_end_that_is_closed_fails() -> None:
    async def main() -> None:
        (_, writer), (_, other) = open_pair(latency=1)
        other.close()
        await other.wait_closed()
        with pytest.raises(ConnectionResetError):
            while True:
                writer.write(bytes(1000))
                await writer.drain()
                await asyncio.sleep(0.1)

    run(main(), max_steps=10_000)


def test_abort_fails_the_reads_of_the_other_end() -> None:
    async def main() -> float:
        (_, writer), (reader, _) = open_pair(latency=2)
        writer.transport.abort()
        with pytest.raises(ConnectionResetError):
            await reader.read()
        return elapsed()

    assert run(main()) == 2


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
