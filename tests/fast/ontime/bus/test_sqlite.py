"""The bus in a file, on the virtual clock: leases to the nanosecond, a full disk."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import looplab
from ontime.bus import BusFullError, Counts, Delivery, SQLiteBus
from tests.fast.ontime.bus.buses import received


def in_virtual_time(
    path: Path, story: Callable[[SQLiteBus], Awaitable[None]], lease: float = 5
) -> None:
    async def main() -> None:
        async with SQLiteBus(path / "bus.db", lease=lease) as bus:
            await story(bus)

    looplab.run(main())


def test_a_put_is_refused_while_there_is_room_to_work_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = SimpleNamespace(free=131_072 + 4 * 1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)

    async def story(bus: SQLiteBus) -> None:
        await bus.put("x" * 1_000)
        with pytest.raises(BusFullError, match=r"135,072 bytes left, and 135,076"):
            await bus.put("x" * 999, "é")
        free.free = 0
        assert await bus.counts() == Counts(1, 0)
        delivery = await received(bus)
        assert await bus.refresh(delivery)
        assert await bus.acknowledge(delivery)
        assert await bus.counts() == Counts(0, 0)

    in_virtual_time(tmp_path, story)


def test_a_lease_ends_at_its_nanosecond(tmp_path: Path) -> None:
    async def story(bus: SQLiteBus) -> None:
        await bus.put("a", "b")
        await asyncio.sleep(0.1)
        first = await received(bus)
        await asyncio.sleep(0.299_999_999)
        assert await bus.counts() == Counts(1, 1)
        assert await bus.refresh(first)  # in the last moment, and all of it anew
        await asyncio.sleep(0.299_999_999)
        assert (await received(bus)).body == "b"
        assert await bus.receive() is None
        await asyncio.sleep(0.000_000_001)
        assert await bus.counts() == Counts(1, 1)
        assert not await bus.refresh(first)
        again = await received(bus)
        assert again == Delivery(first.id, "a", 2)
        assert not await bus.acknowledge(first)
        await asyncio.sleep(1)
        assert await bus.acknowledge(again), "late, but nobody else has it"
        assert not await bus.acknowledge(again)

    in_virtual_time(tmp_path, story, lease=0.3)


def test_an_id_is_never_used_again(tmp_path: Path) -> None:
    async def story(bus: SQLiteBus) -> None:
        ids = []
        for _ in range(3):
            ids += await bus.put("a")
            assert await bus.acknowledge(await received(bus))
        assert len(set(ids)) == 3

    in_virtual_time(tmp_path, story)
