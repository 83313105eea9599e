"""The bus in a file: what is wrong with the path, the file, the disk or the lock."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import ontime.bus.sqlite
from ontime.bus import BusFullError, BusUnavailableError, Counts, SQLiteBus
from tests.fast.ontime.bus.buses import received, with_bus


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KB, in memory; needs the rights to mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True).returncode:
        reason = "no rights to mount a small disk (run as root on Linux)"
        if os.environ.get("ON_TIME_REQUIRE"):
            pytest.fail(f"{reason} (ON_TIME_REQUIRE is set)", pytrace=False)
        pytest.skip(reason)
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_disk_that_puts_have_filled_can_be_worked_off(small_disk: Path) -> None:
    async def story(bus: SQLiteBus) -> None:
        put = 0
        with pytest.raises(BusFullError, match="no room for"):
            while True:
                await bus.put("x" * 5_000)
                put += 1
        assert put > 4
        for _ in range(put):
            delivery = await received(bus)
            for _ in range(20):
                assert await bus.refresh(delivery)
            assert await bus.acknowledge(delivery)
        assert await bus.counts() == Counts(0, 0)

    with_bus(SQLiteBus(small_disk / "bus.db", lease=60), story)


def test_a_locked_file_does_not_hold_the_loop(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        other = sqlite3.connect(path, isolation_level=None)
        for call in bus.receive(), bus.put("b"):
            other.execute("BEGIN IMMEDIATE")
            calling = asyncio.ensure_future(call)
            for _ in range(20):  # a call that blocked would fail in the first of them
                await asyncio.sleep(0)
            assert not calling.done()
            # When the lock goes away in time, the call goes on.
            other.rollback()
            await calling
        assert await bus.counts() == Counts(1, 1)
        other.close()

    with_bus(SQLiteBus(path, lease=600), story)


def test_a_file_that_stays_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(ontime.bus.sqlite, "_PATIENCE", 0)
        bus._slow.execute("PRAGMA busy_timeout = 0")
        for call in bus.receive(), bus.put("b"):
            with pytest.raises(BusUnavailableError, match="locked"):
                await call
        other.rollback()
        other.close()
        assert await bus.counts() == Counts(1, 0)

    with_bus(SQLiteBus(path, lease=60), story)


def test_the_log_does_not_grow_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ontime.bus.sqlite, "_COPY_EVERY", 10)
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        delivery = await received(bus)
        for n in range(200):
            assert await bus.refresh(delivery)
            if n % 10 == 0:
                await bus.counts()  # after the copy, in the same thread
        # Each write takes a page of 4 KB at least.
        assert (tmp_path / "bus.db-wal").stat().st_size < 50 * 4_096

    with_bus(SQLiteBus(path, lease=600), story)
