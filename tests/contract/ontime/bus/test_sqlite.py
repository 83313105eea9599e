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
from typing import Any

import pytest

import looplab
from ontime.bus import (
    BusError,
    BusFullError,
    BusUnavailableError,
    Counts,
    NotABusError,
    SQLiteBus,
)
from tests.contract.left import PATIENCE, SLOW
from tests.fast.ontime.bus.buses import do_nothing, with_bus

SOURCES = str(Path(looplab.__file__).parents[1])


def open_at(path: Path | str, **settings: Any) -> None:
    with_bus(SQLiteBus(path, lease=60, **settings), do_nothing)


def look_at(path: Path) -> tuple[Counts, list[str]]:
    async def story(bus: SQLiteBus) -> tuple[Counts, list[str]]:
        counts = await bus.counts()
        bodies = []
        while (one := await bus.receive()) is not None:
            bodies.append(one.body)
        return counts, bodies

    found = with_bus(SQLiteBus(path, lease=60), story)
    assert isinstance(found, tuple)
    return found


def run_program(program: str, **options: Any) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=SLOW,
        env={**os.environ, "PYTHONPATH": SOURCES},
        check=False,
        **options,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# -- the path ------------------------------------------------------------------------


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(BusUnavailableError, match=r"does not exist: make .*/no first"):
        open_at(tmp_path / "no" / "bus.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_as_path(tmp_path: Path) -> None:
    with pytest.raises(BusUnavailableError, match=r"cannot be read \(Is a directory\)"):
        open_at(tmp_path)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BusUnavailableError, match="does not exist: make"):
        open_at(tmp_path / "file" / "bus.db")


def test_a_path_with_signs_of_an_address(tmp_path: Path) -> None:
    path = tmp_path / "file:a b?mode=ro&x#y%20.db"
    open_at(path)
    assert path.is_file()
    assert str(path) in repr(SQLiteBus(path, lease=60))


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Root may write everywhere; somebody else may not."""
    if os.name != "posix":
        pytest.skip("needs the rights of files of a POSIX system")
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)


@pytest.fixture
def locked_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that only its owner may write to, and a bus with one message in it."""
    folder = tmp_path / "locked"
    folder.mkdir()
    with_bus(SQLiteBus(folder / "bus.db", lease=60), lambda bus: bus.put("a"))
    # Every folder above it that is not the system's: pytest keeps them to their owner.
    for parent in folder.parents:
        if parent.stat().st_mode & 0o005 == 0o005:
            break
        parent.chmod(0o755)
    (folder / "bus.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.mark.parametrize("name", ["new.db", "bus.db"])
def test_a_path_that_may_not_be_written(
    locked_folder: Path, as_nobody: None, name: str
) -> None:
    with pytest.raises(
        BusUnavailableError,
        match=rf"{name} cannot be used \(SQLite says: .*(un|readon)",
    ):
        open_at(locked_folder / name)


def test_an_unreadable_file(locked_folder: Path, as_nobody: None) -> None:
    if os.getuid() == 0:
        os.seteuid(0)
        (locked_folder / "bus.db").chmod(0o000)
        os.seteuid(65534)
    else:
        (locked_folder / "bus.db").chmod(0o000)
    with pytest.raises(BusUnavailableError, match=r"cannot be read .Permission denied"):
        open_at(locked_folder / "bus.db")


# -- the file ------------------------------------------------------------------------


def test_an_empty_file_becomes_a_bus(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    path.touch()
    open_at(path)
    assert look_at(path) == (Counts(0, 0), [])


@pytest.mark.parametrize(
    "content",
    [b"x", b"hello world\n" * 1000, b"SQLite format 3\0", b"\0" * 4096],
    ids=["a byte", "text", "half a header", "zeros"],
)
def test_a_file_of_something_else_is_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotABusError, match="is no SQLite file; it was left as it is"):
        open_at(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_something_else_is_left_as_it_is(
    tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA journal_mode = {mode}")
    other.execute("CREATE TABLE messages (id, body)")
    other.execute("INSERT INTO messages VALUES (1, 'mine')")
    other.commit()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(
        NotABusError, match=r"is the database of something else; it was"
    ):
        open_at(path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    other.close()


def test_a_bus_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    open_at(path)
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 4")
    other.close()
    with pytest.raises(NotABusError, match="is a bus of version 4, not 3; it was left"):
        open_at(path)


def filled(path: Path, count: int = 300) -> None:
    with_bus(
        SQLiteBus(path, lease=60),
        lambda bus: bus.put(*(f"{n} {'x' * 200}" for n in range(count))),
    )


@pytest.mark.parametrize("where", [0.3, 0.6, 0.9])
def test_a_damaged_file(tmp_path: Path, where: float) -> None:
    path = tmp_path / "bus.db"
    filled(path)
    content = bytearray(path.read_bytes())
    start = int(len(content) * where) // 4096 * 4096
    content[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    with pytest.raises(NotABusError, match="is damaged"):
        open_at(path)
    assert path.read_bytes() == content


def test_a_file_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    filled(path)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(NotABusError, match="is damaged"):
        open_at(path)


def test_a_file_that_loses_its_table(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        other = sqlite3.connect(path)
        other.execute("DROP TABLE messages")
        other.execute("DROP TABLE leases")
        other.close()
        for call in bus.put("a"), bus.receive(), bus.counts():
            with pytest.raises(NotABusError, match="has lost a table"):
                await call

    with_bus(SQLiteBus(path, lease=60), story)


def test_many_processes_make_one_file(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    program = f"""
        import asyncio
        from ontime.bus import SQLiteBus
        async def main():
            async with SQLiteBus({str(path)!r}, lease=60, patience={SLOW}) as bus:
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


def test_closing_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    filled(path, 3)
    assert list(tmp_path.iterdir()) == [path]


# -- the disk ------------------------------------------------------------------------


def fill_up(path: Path, **settings: Any) -> None:
    """Put until the bus is full; check that it works and lost nothing."""

    async def story(bus: SQLiteBus) -> None:
        put: list[str] = []
        with pytest.raises(BusFullError, match=r"no room for .*; what is in it is"):
            while True:
                await bus.put(*[f"{len(put) + n}:{'x' * 5_000}" for n in range(4)])
                put += [str(len(put) + n) for n in range(4)]
        assert len(put) >= 8
        assert (await bus.counts()).total == len(put)  # all of a put() or none
        # What is there can be worked off, and then there is room again.
        for n in range(len(put)):
            one = await bus.receive()
            assert one is not None
            assert one.body.split(":")[0] == put[n]
            assert await bus.refresh(one)
            assert await bus.acknowledge(one)
        assert await bus.receive() is None
        await bus.put("x" * 5_000)
        assert await bus.counts() == Counts(1, 0)

    with_bus(SQLiteBus(path, lease=60, **settings), story)
    assert look_at(path)[0] == Counts(1, 0)


def test_a_bound_on_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    fill_up(path, max_bytes=200_000)
    assert path.stat().st_size <= 200_000


def test_receiving_does_not_make_the_file_longer(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    filled(path, 1000)
    size = path.stat().st_size
    assert look_at(path)[0] == Counts(1000, 0)  # and receives them
    assert path.stat().st_size == size


def test_a_file_that_is_greater_than_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    filled(path, 1000)
    size = path.stat().st_size

    async def story(bus: SQLiteBus) -> None:
        with pytest.raises(BusFullError, match="within 65,536 bytes"):
            await bus.put("x" * 10_000)
        assert await bus.counts() == Counts(1000, 0)
        assert await bus.receive() is not None

    with_bus(SQLiteBus(path, lease=60, max_bytes=65_536), story)
    assert path.stat().st_size == size


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on files")
def test_a_limit_of_the_system_on_files(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    said = run_program(f"""
        import asyncio, resource
        from ontime.bus import BusFullError, SQLiteBus
        async def main():
            async with SQLiteBus({str(path)!r}, lease=60) as bus:
                await bus.put("first", "second")
                one = await bus.receive()
                resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, -1))
                try:
                    for n in range(1000):
                        await bus.put("x" * 5_000)
                except BusFullError as error:
                    print(n, error)
        asyncio.run(main())
        """)
    count, text = said.split(" ", 1)
    assert int(count) > 10
    assert "there is no room for" in text
    counts, bodies = look_at(path)
    assert counts == Counts(int(count) + 1, 1)
    assert bodies[0] == "second"
    assert set(bodies[1:]) == {"x" * 5_000}


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


def test_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "bus.db"

    async def story(bus: SQLiteBus) -> int:
        put = 0
        ballast.write_bytes(b"x" * 50_000)
        with pytest.raises(BusFullError, match=r"no room for .*; what is in it is"):
            while True:
                await bus.put("x" * 5_000, "y" * 5_000)
                put += 2
        with pytest.raises(OSError, match="No space left"):  # to the last byte
            (small_disk / "more").write_bytes(b"x" * 1_000_000)
        with pytest.raises(BusFullError):
            await bus.put("x" * 5_000, "y" * 5_000)
        # Nothing is half written, and what is there stays there.
        assert await bus.counts() == Counts(put, 0)
        ballast.unlink()
        one = await bus.receive()
        assert one is not None
        assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(put - 1, 0)
        return put

    ballast = small_disk / "ballast"
    put = with_bus(SQLiteBus(path, lease=60), story)
    assert put >= 4
    (small_disk / "more").unlink()
    again = with_bus(SQLiteBus(path, lease=60), lambda bus: bus.counts())
    assert again == Counts(put - 1, 0)


def test_who_holds_a_message_can_go_on_when_the_disk_is_full(small_disk: Path) -> None:
    path = small_disk / "bus.db"
    filled(path, 10)

    async def story(bus: SQLiteBus) -> None:
        one = await bus.receive()
        assert one is not None
        for _ in range(20):  # a log that has been in use keeps its room
            assert await bus.refresh(one)
        with pytest.raises(OSError, match="No space left"):
            (small_disk / "ballast").write_bytes(b"x" * 1_000_000)
        for _ in range(300):
            assert await bus.refresh(one)
        assert await bus.acknowledge(one)
        for _ in range(9):
            one = await bus.receive()
            assert one is not None
            assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(0, 0)

    with_bus(SQLiteBus(path, lease=60), story)


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


def test_a_disk_without_room_for_a_bus(small_disk: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "ballast").write_bytes(b"x" * 1_000_000)
    with pytest.raises(BusError, match=r"bus\.db"):
        open_at(small_disk / "bus.db")
    (small_disk / "ballast").unlink()
    open_at(small_disk / "bus.db")


# -- the lock ------------------------------------------------------------------------


def test_a_locked_file_does_not_hold_the_loop(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        other = sqlite3.connect(path, isolation_level=None)
        for call in bus.receive(), bus.put("b"):
            other.execute("BEGIN IMMEDIATE")
            calling = asyncio.ensure_future(call)
            for _ in range(20):  # a call that blocked would fail in the first of them
                await asyncio.sleep(0.001)
            assert not calling.done()
            # When the lock goes away in time, the call goes on.
            other.rollback()
            await calling
        assert await bus.counts() == Counts(1, 1)
        other.close()

    with_bus(SQLiteBus(path, lease=600, patience=SLOW), story)


def test_a_file_that_stays_locked(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        await bus.put("a")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            BusUnavailableError, match=r"stayed locked by another process for 0\.3 s"
        ):
            await bus.receive()
        with pytest.raises(BusUnavailableError, match="stayed locked"):
            await bus.put("b")
        other.rollback()
        other.close()
        assert await bus.counts() == Counts(1, 0)

    with_bus(SQLiteBus(path, lease=60, patience=0.3), story)


def test_opening_a_locked_file(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"
    open_at(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BusUnavailableError, match="stayed locked"):
        open_at(path, patience=0.1)
    other.rollback()
    other.close()
    open_at(path, patience=0.1)


# -- time, and the log ---------------------------------------------------------------


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

    with_bus(SQLiteBus(path, lease=600, patience=SLOW), story)


def test_a_cancelled_put_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "bus.db"

    async def story(bus: SQLiteBus) -> None:
        for _ in range(20):
            putting = asyncio.create_task(bus.put(*"abcdef"))
            await asyncio.sleep(0.0005)
            putting.cancel()
        await asyncio.gather(putting, return_exceptions=True)

    with_bus(SQLiteBus(path, lease=60), story)
    assert look_at(path)[0].total % 6 == 0


def test_an_old_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 9))
    with pytest.raises(BusUnavailableError, match=r"needs 3\.35\.0: use a newer"):
        open_at(tmp_path / "bus.db")


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
