"""The bus in a file: what is wrong with the path, the file, the disk or the lock."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import looplab
import ontime.bus.sqlite
from ontime.bus import (
    BusError,
    BusFullError,
    BusUnavailableError,
    Counts,
    SQLiteBus,
)
from tests.contract.left import PATIENCE
from tests.fast.ontime.bus.buses import with_bus

SOURCES = str(Path(looplab.__file__).parents[1])


def look_at(path: Path) -> tuple[Counts, list[str]]:
    async def story(bus: SQLiteBus) -> tuple[Counts, list[str]]:
        counts = await bus.counts()
        bodies = []
        while (delivery := await bus.receive()) is not None:
            bodies.append(delivery.body)
        return counts, bodies

    return with_bus(SQLiteBus(path, lease=60), story)  # type: ignore[no-any-return]


def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE messages (id, body)")
    other.execute("INSERT INTO messages VALUES (1, 'mine')")
    other.commit()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(BusError, match="is the database of something else"):
        with_bus(SQLiteBus(path, lease=60), lambda bus: bus.counts())
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    other.close()


def test_many_processes_make_one_file(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    program = f"""
        import asyncio
        from ontime.bus import SQLiteBus
        async def main():
            async with SQLiteBus({str(path)!r}, lease=60) as bus:
                for n in range(20):
                    await bus.put(str(n))
        asyncio.run(main())
        """
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program)],
            env={**os.environ, "PYTHONPATH": SOURCES},
        )
        for _ in range(4)
    ]
    try:
        assert [process.wait(600) for process in started] == [0] * 4
    finally:
        for process in started:
            process.kill()
            process.wait()
    counts, bodies = look_at(path)
    assert counts == Counts(80, 0)
    assert sorted(bodies) == sorted([str(n) for n in range(20)] * 4)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KB, in memory; needs the rights to mount one.

    Without them a test skips, and fails where the full tests are asked for.
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)],
            check=True,
            capture_output=True,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = "no rights to mount a small disk (run as root on Linux)"
        if os.environ.get("ON_TIME_REQUIRE"):
            said = getattr(error, "stderr", None) or b""
            pytest.fail(
                f"{reason} (ON_TIME_REQUIRE is set): {error} {said.decode().strip()}",
                pytrace=False,
            )
        pytest.skip(reason)
    yield disk
    subprocess.run(["umount", str(disk)], check=True, timeout=PATIENCE)


def test_a_disk_that_puts_have_filled_can_be_worked_off(small_disk: Path) -> None:
    async def story(bus: SQLiteBus) -> None:
        put = 0
        with pytest.raises(BusFullError, match="no room for"):
            while True:
                await bus.put("x" * 5_000)
                put += 1
        assert put > 4
        for _ in range(put):
            delivery = await bus.receive()
            assert delivery is not None
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
    monkeypatch.setattr(ontime.bus.sqlite, "_PATIENCE", 0.1)
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusUnavailableError, match="locked"):
            await bus.receive()
        with pytest.raises(BusUnavailableError, match="locked"):
            await bus.put("b")
        other.rollback()
        other.close()
        assert await bus.counts() == Counts(1, 0)

    with_bus(SQLiteBus(path, lease=60), story)


def test_the_log_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        one = await bus.receive()
        assert one is not None
        # A busy machine copies the log late; it must have begun anew at some time.
        for n in range(300_000):
            assert await bus.refresh(one)
            if n % 100 == 0:
                await asyncio.sleep(0)
            if n >= 30_000 and n % 1_000 == 0:
                size = (tmp_path / "bus.db-wal").stat().st_size
                if size < n / 2 * 4_200:
                    return
        pytest.fail(f"the log has {size} bytes")

    with_bus(SQLiteBus(path, lease=600), story)


def test_a_cancelled_put_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        for _ in range(20):
            putting = asyncio.create_task(bus.put(*"abcdef"))
            await asyncio.sleep(0)
            putting.cancel()
        await asyncio.gather(putting, return_exceptions=True)

    with_bus(SQLiteBus(path, lease=60), story)
    assert look_at(path)[0].total % 6 == 0


def test_counting_leaves_the_loop_to_others(tmp_path: Path) -> None:
    bus = SQLiteBus(tmp_path / "bus.db", lease=60)

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        goes_on = threading.Event()
        assert bus._worker is not None
        bus._worker.submit(goes_on.wait, 60)  # whatever takes long there
        counting = asyncio.create_task(bus.counts())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not counting.done()
        assert (await bus.receive()) is not None, "the loop is free"
        goes_on.set()
        assert (await counting).total == 1

    with_bus(bus, story)
