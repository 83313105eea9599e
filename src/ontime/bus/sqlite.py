"""A bus in a file: SQLite, no server."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from looplab._numbers import NS, count_of
from looplab.clock import VirtualTimeLoop
from ontime.bus.base import (
    Bus,
    BusError,
    BusFullError,
    BusUnavailableError,
    Counts,
    DeadLetter,
    Delivery,
    NotABusError,
    check_bodies,
    check_delivery,
)

__all__ = ["SQLiteBus"]

T = TypeVar("T")

_MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x4F546275  # "OTbu", in the header of the file
_VERSION = 2
_LEAST_SQLITE = (3, 35, 0)  # UPDATE … RETURNING
_LEAST_BYTES = 65_536
_CHECKPOINT_EVERY = 1_000  # short writes
_LONGEST_LOG = 4_000  # pages
_LONG_AGO = -(2**62)

# The number of deliveries is the token by which the bus knows a delivery.  Ids are
# never used again, or a late acknowledgement could hit another message.
#
# Leases have a table of their own, so that a refresh does not write a long body anew.
# A message that waits has a lease of long ago, which takes as much room as a new one:
# to receive messages does not make the file longer.
_SCHEMA = (
    "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL)",
    f"""
    CREATE TABLE leases (
        id INTEGER PRIMARY KEY,
        number INTEGER NOT NULL DEFAULT 0,
        leased_at INTEGER NOT NULL DEFAULT {_LONG_AGO},  -- both in nanoseconds
        lease INTEGER NOT NULL DEFAULT {2**60}
    )
    """,
    """
    CREATE TRIGGER message_put AFTER INSERT ON messages
    BEGIN INSERT INTO leases (id) VALUES (NEW.id); END
    """,
    """
    CREATE TRIGGER message_acknowledged AFTER DELETE ON leases
    BEGIN DELETE FROM messages WHERE id = OLD.id; END
    """,
    """
    CREATE TABLE dead (
        id INTEGER PRIMARY KEY,
        body TEXT NOT NULL,
        deliveries INTEGER NOT NULL
    )
    """,
    """
    CREATE TRIGGER message_died AFTER INSERT ON dead
    BEGIN DELETE FROM leases WHERE id = NEW.id; END
    """,
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)
# A lease that begins further ahead than it lasts was given before the clock was set
# back: it counts as run out, so that no message waits for the clock to catch up.
_HELD = "(abs(:now - leased_at) < lease)"
_RECEIVE = f"""
UPDATE leases SET number = number + 1, leased_at = :now, lease = :lease
WHERE id = (SELECT id FROM leases WHERE NOT {_HELD} ORDER BY id LIMIT 1)
RETURNING id, (SELECT body FROM messages WHERE messages.id = leases.id), number
"""
_REFRESH = f"""
UPDATE leases SET leased_at = :now, lease = :lease
WHERE id = :id AND number = :number AND {_HELD}
RETURNING id
"""
_ACKNOWLEDGE = """
DELETE FROM leases WHERE id = :id AND number = :number RETURNING id
"""
_GIVE_BACK = f"""
UPDATE leases SET leased_at = {_LONG_AGO}
WHERE id = :id AND number = :number AND {_HELD}
RETURNING id
"""
_DIE = """
INSERT INTO dead (id, body, deliveries)
SELECT id, body, :deliveries FROM messages
WHERE id = (SELECT id FROM leases WHERE id = :id AND number = :number)
RETURNING id
"""
_COUNT = f"""
SELECT count(*), coalesce(sum({_HELD}), 0), (SELECT count(*) FROM dead) FROM leases
"""
_DEAD = "SELECT id, body, deliveries FROM dead ORDER BY id LIMIT :limit"


class SQLiteBus(Bus):
    """A bus in a file of its own.  Several processes of one machine can share it.

    What blocks, and where: every call of SQLite blocks its thread.

    * :meth:`put` waits until the disk has the messages, and :meth:`counts` looks at all
      of them, which can take long.  They, and what looks at dead letters, run in a
      thread of the bus.
    * The others run on the thread of the
      loop.  They write to the file but do not wait for the disk, which takes about a
      tenth of a millisecond.  In another thread a refresh would be *later*: while the
      loop's thread computes, that thread waits for the interpreter's lock, and its
      answer waits for the computation that runs by then.  Where another process has
      the file locked, they do not block but try again, with a sleep in between.

    After a loss of power every message that was put is there.  Receipts, refreshes and
    acknowledgements of the last moments may be undone: those messages are delivered
    again.

    Where the disk is full, :meth:`put` fails with all of its messages.  Whoever works
    off the bus can go on as long as what they write has room in the file and its log;
    else they get the same error, and can go on when there is room.

    The time is that of the machine, so all processes agree; when its clock is set,
    leases last longer or shorter once.  On a :class:`~looplab.VirtualTimeLoop` the time
    is that loop's, nothing runs in a thread, and every call takes no time.

    Args:
        path: of the file, in a folder that exists.  It is made if it is missing; beside
            it SQLite keeps two more files.
        lease: seconds for which a message is handed out.
        patience: seconds for which a call goes on trying while the file is locked.
        max_deliveries: how often a message is delivered before it is put among the dead
            letters; ``None`` for any number.
        max_bytes: :meth:`put` lets the file grow no further than this; ``None`` for no
            bound but the disk's.

    Raises:
        TypeError: a value is of the wrong type.
        ValueError: *path* is empty or ``":memory:"``; a number is too small.

    Introduced in the chapter *Put the lease first*.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        lease: float,
        patience: float = 5.0,
        max_deliveries: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        super().__init__(lease=lease, patience=patience, max_deliveries=max_deliveries)
        self.path = _check_path(path)
        self._max_bytes = _check_bytes(max_bytes)
        self._clock: Callable[[], float] = time.time
        self._lease_ns = max(1, round(self.lease * NS))
        self._worker: ThreadPoolExecutor | None = None
        self._slow: sqlite3.Connection | None = None  # used in the worker
        self._short: sqlite3.Connection | None = None  # used on the loop's thread
        self._writes = 0
        self._checkpoint: asyncio.Future[Any] | None = None

    @property
    def name(self) -> str:
        """What kind of bus it is, in words."""
        return "SQLite"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r}, lease {self.lease:g} s>"

    # -- opening and closing ---------------------------------------------------------

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualTimeLoop):
            self._clock = loop.time
        else:
            self._clock = time.time
            self._worker = ThreadPoolExecutor(1, "looplab-bus")
        try:
            await self._in_worker(self._open_file)
        except BaseException:
            await self._close()
            raise

    async def _close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            self._close_file()
            return
        closing = asyncio.wrap_future(worker.submit(self._close_file))
        worker.shutdown(wait=False)
        await asyncio.shield(closing)

    def _close_file(self) -> None:
        for connection in self._short, self._slow:
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
        self._short = self._slow = None

    def _open_file(self) -> None:
        if sqlite3.sqlite_version_info < _LEAST_SQLITE:
            raise BusUnavailableError(
                f"this Python has SQLite {sqlite3.sqlite_version}, and the bus needs "
                f"{'.'.join(map(str, _LEAST_SQLITE))}: use a newer Python"
            )
        self._look_at_file()
        with self._explained():
            self._slow = slow = self._connect(self.patience)
            if self._max_bytes is not None:
                (page_size,) = slow.execute("PRAGMA page_size").fetchone()
                slow.execute(f"PRAGMA max_page_count = {self._max_bytes // page_size}")
            with self._transaction():
                self._make_tables()
            self._use_log()
            slow.execute("PRAGMA synchronous = FULL")
            (found,) = slow.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise NotABusError(f"{self.path} is damaged: {found}")
            self._short = short = self._connect(self.patience)
            short.execute("PRAGMA synchronous = NORMAL")
            short.execute("PRAGMA wal_autocheckpoint = 0")  # the worker does that
            short.execute("SELECT id FROM leases LIMIT 1").fetchall()
            short.execute("PRAGMA busy_timeout = 0")  # from now on never wait

    def _look_at_file(self) -> None:
        """Raise unless the file is a bus or missing or empty.  Do not touch it."""
        folder = self.path.parent
        if not folder.is_dir():
            raise BusUnavailableError(
                f"the folder of {self.path} does not exist: make {folder} first"
            )
        try:
            with self.path.open("rb") as file:
                head = file.read(100)
        except FileNotFoundError:
            return
        except OSError as error:
            raise BusUnavailableError(
                f"{self.path} cannot be read ({error.strerror}): give the path of a "
                "file, or of one to make"
            ) from error
        if not head:
            return
        if not head.startswith(_MAGIC) or len(head) < 100:
            raise self._no_bus("is no SQLite file")
        # Always in the file itself, never in the log only: see _open_file().
        version = int.from_bytes(head[60:64], "big")
        if int.from_bytes(head[68:72], "big") != _APPLICATION:
            raise self._no_bus("is the database of something else")
        if version != _VERSION:
            raise self._no_bus(f"is a bus of version {version}, not {_VERSION}")

    def _no_bus(self, what: str) -> NotABusError:
        return NotABusError(
            f"{self.path} {what}; it was left as it is: give another path"
        )

    def _connect(self, timeout: float) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=timeout, isolation_level=None, check_same_thread=False
        )

    def _make_tables(self) -> None:
        assert self._slow is not None
        (application,) = self._slow.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:  # else somebody was faster
            for statement in _SCHEMA:
                self._slow.execute(statement)

    def _use_log(self) -> None:
        """Have writers and readers not wait for each other."""
        assert self._slow is not None
        give_up = time.monotonic() + self.patience
        while True:
            try:
                (mode,) = self._slow.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                # SQLite does not wait here when two of them open a new file at once.
                if not _is_locked(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.01)
            else:
                break
        if mode != "wal":
            raise BusUnavailableError(
                f"{self.path} is on a file system on which SQLite cannot keep a log "
                f"(journal mode {mode}): give a path on a local disk"
            )

    # -- calls -----------------------------------------------------------------------

    async def put(self, *bodies: str) -> list[str]:
        self._check_open()
        check_bodies(bodies)
        return await self._in_worker(lambda: self._put(bodies))

    def _put(self, bodies: tuple[str, ...]) -> list[str]:
        with self._explained():
            try:
                return self._insert(bodies)
            except sqlite3.Error as error:
                if not _is_full(error):
                    raise
            self._empty_log()
            return self._insert(bodies)

    def _insert(self, bodies: tuple[str, ...]) -> list[str]:
        with self._transaction() as connection:
            return [
                str(
                    connection.execute(
                        "INSERT INTO messages (body) VALUES (?)", (body,)
                    ).lastrowid
                )
                for body in bodies
            ]

    async def receive(self) -> Delivery | None:
        most = math.inf if self.max_deliveries is None else self.max_deliveries
        while found := await self._write(_RECEIVE, {"lease": self._lease_ns}):
            ((id_, body, number),) = found
            if number <= most:
                return Delivery(str(id_), body, number)
            # It is this bus's for the time of a lease, so nobody else buries it.
            await self._write(_DIE, {"id": id_, "number": number, "deliveries": most})
        return None

    async def refresh(self, delivery: Delivery) -> bool:
        return bool(
            await self._write(_REFRESH, {"lease": self._lease_ns, **_key(delivery)})
        )

    async def acknowledge(self, delivery: Delivery) -> bool:
        return bool(await self._write(_ACKNOWLEDGE, _key(delivery)))

    async def give_back(self, delivery: Delivery) -> bool:
        key = _key(delivery)
        if not await self._write(_GIVE_BACK, key):
            return False
        if self.max_deliveries is not None and delivery.number >= self.max_deliveries:
            await self._write(_DIE, {"deliveries": delivery.number, **key})
        return True

    async def counts(self) -> Counts:
        now = round(self._clock() * NS)
        ((total, leased, dead),) = await self._read(_COUNT, {"now": now})
        return Counts(total - leased, leased, dead)

    async def dead_letters(self, limit: int = 100) -> list[DeadLetter]:
        rows = await self._read(_DEAD, {"limit": count_of(limit, "limit")})
        return [DeadLetter(str(id_), body, number) for id_, body, number in rows]

    async def bury(self, *ids: str) -> int:
        self._check_open()
        numbers = [(int(id_),) for id_ in ids if id_.isdecimal()]

        def delete() -> int:
            with self._explained(), self._transaction() as connection:
                sql = "DELETE FROM dead WHERE id = ?"
                return connection.executemany(sql, numbers).rowcount if numbers else 0

        return await self._in_worker(delete)

    async def _read(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one statement in the worker, where it may take long."""
        self._check_open()

        def read() -> list[Any]:
            assert self._slow is not None
            with self._explained():
                return self._slow.execute(sql, values).fetchall()

        return await self._in_worker(read)

    async def _write(self, sql: str, values: dict[str, Any]) -> list[Any]:
        rows = await self._do(sql, values)
        self._writes += 1
        if self._writes >= _CHECKPOINT_EVERY and self._worker:
            # Copies the log into the file and waits for the disk; not for this thread.
            self._writes = 0
            if self._checkpoint is None or self._checkpoint.done():
                self._checkpoint = asyncio.wrap_future(
                    self._worker.submit(self._copy_log)
                )
        return rows

    async def _do(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one statement on this thread; try again while the file is locked."""
        self._check_open()
        give_up, pause, emptied = None, 0.001, False
        while True:
            assert self._short is not None
            try:
                values["now"] = round(self._clock() * NS)
                return self._short.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                if _is_full(error) and not emptied:
                    emptied = True
                    await self._in_worker(self._empty_log)
                    continue
                if not _is_locked(error):
                    raise self._explain(error) from error
                now = time.monotonic()
                give_up = now + self.patience if give_up is None else give_up
                if now >= give_up:
                    raise self._explain(error) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.02)
            self._check_open()

    async def _in_worker(self, function: Callable[[], T]) -> T:
        if self._worker is None:  # on a virtual clock
            return function()
        return await asyncio.wrap_future(self._worker.submit(function))

    def _copy_log(self) -> None:
        if self._slow is None:
            return
        with contextlib.suppress(sqlite3.Error):  # whoever puts will hear of it
            # This way hinders nobody, but where writers never pause it never gets to
            # the end of the log; the other makes them try again for that moment.
            ((_, length, _),) = self._slow.execute(
                "PRAGMA wal_checkpoint(PASSIVE)"
            ).fetchall()
            if length > _LONGEST_LOG:
                self._slow.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    def _empty_log(self) -> None:
        """Use the log's room once more, where the disk is full."""
        if self._slow is not None:
            with contextlib.suppress(sqlite3.Error):
                self._slow.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, in the worker."""
        assert self._slow is not None
        self._slow.execute("BEGIN IMMEDIATE")
        try:
            yield self._slow
            self._slow.execute("COMMIT")
        except BaseException:
            if self._slow.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._slow.execute("ROLLBACK")
            raise

    # -- errors ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> BusError:
        code = getattr(error, "sqlite_errorcode", 0)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        said = f"SQLite says: {error}, {name}"
        if _is_locked(error):
            return BusUnavailableError(
                f"{self.path} stayed locked by another process for {self.patience:g} s "
                f"({said})"
            )
        if _is_full(error):
            bound = (
                "" if self._max_bytes is None else f" within {self._max_bytes:,} bytes"
            )
            return BusFullError(
                f"there is no room for {self.path}{bound}; what is in it is safe "
                f"({said})"
            )
        if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return NotABusError(f"{self.path} is damaged or no bus ({said})")
        if "no such" in str(error):
            return NotABusError(f"{self.path} has lost a table ({said})")
        return BusUnavailableError(f"{self.path} cannot be used ({said})")


# What SQLite says when a write fails for another reason than ENOSPC, such as a limit
# on the size of files, or when it cannot make its index of the log longer.
_NO_ROOM = frozenset({sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE})


def _is_full(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_FULL or code in _NO_ROOM


def _is_locked(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _key(delivery: Delivery) -> dict[str, Any]:
    check_delivery(delivery)
    return {"id": int(delivery.id), "number": delivery.number}


def _check_path(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"path is {path!r}, a {type(path).__name__}: give a string or a Path"
        )
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"path is {text!r}, of bytes: give a string or a Path")
    if not text or text == ":memory:" or "\0" in text:
        raise ValueError(
            f"path is {text!r}: give the path of a file, which others can open too"
        )
    return Path(text).absolute()


def _check_bytes(value: object) -> int | None:
    if value is None:
        return None
    return count_of(value, "max_bytes", least=_LEAST_BYTES, none="no bound")
