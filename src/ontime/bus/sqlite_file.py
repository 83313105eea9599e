"""The file of a bus: its tables, how it is opened, and what can go wrong with it.

Everything here blocks the thread that calls it; :mod:`.sqlite` says which one does.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from looplab._numbers import count_of
from ontime.bus.base import (
    BusError,
    BusFullError,
    BusUnavailableError,
    NotABusError,
)

__all__ = ["LONG_AGO", "BusFile", "is_full", "is_locked"]

_MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x4F546275  # "OTbu", in the header of the file
_VERSION = 3
_LEAST_SQLITE = (3, 35, 0)  # UPDATE … RETURNING
_LEAST_BYTES = 65_536
_LONGEST_LOG = 4_000  # pages
# Bytes that put() leaves free on the disk.  To work a message off changes a few pages,
# which go into the log; where the log finds no more room it is copied and begun anew.
_RESERVE = 131_072
LONG_AGO = -(2**62)  # nanoseconds

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
        until INTEGER NOT NULL DEFAULT {LONG_AGO}  -- nanoseconds
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
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)


class BusFile:
    """Two connections to a file.

    One is for what may take long and waits for locks and for the disk; the other never
    waits.

    Args:
        path: of the file.
        patience: seconds for which to wait while the file is locked.
        max_bytes: it grows no further than this; ``None`` for no bound but the disk's.

    Raises:
        TypeError: a value is of the wrong type.
        ValueError: *path* names no file that others can open; *max_bytes* is too small.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, patience: float, max_bytes: int | None
    ) -> None:
        self.path = _check_path(path)
        if max_bytes is not None:
            count_of(max_bytes, "max_bytes", least=_LEAST_BYTES, none="no bound")
        self._patience = patience
        self._max_bytes = max_bytes
        self._slow: sqlite3.Connection | None = None
        self._short: sqlite3.Connection | None = None

    # -- opening and closing ---------------------------------------------------------

    def open(self) -> None:
        """Open the file, and make it if there is none."""
        if sqlite3.sqlite_version_info < _LEAST_SQLITE:
            raise BusUnavailableError(
                f"this Python has SQLite {sqlite3.sqlite_version}, and the bus needs "
                f"{'.'.join(map(str, _LEAST_SQLITE))}: use a newer Python"
            )
        self._look_at_file()
        with self._explained():
            self._slow = slow = self._connect(self._patience)
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
            self._short = short = self._connect(self._patience)
            short.execute("PRAGMA synchronous = NORMAL")
            short.execute("PRAGMA wal_autocheckpoint = 0")  # the worker does that
            short.execute("SELECT id FROM leases LIMIT 1").fetchall()
            short.execute("PRAGMA busy_timeout = 0")  # from now on never wait

    def close(self) -> None:
        """Close the file.  The second call does nothing."""
        for connection in self._short, self._slow:
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
        self._short = self._slow = None

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
        attempts = itertools.count()
        while True:
            try:
                (mode,) = self._slow.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                # SQLite does not wait here when two of them open a new file at once.
                if not is_locked(error) or next(attempts) * 0.01 > self._patience:
                    raise
                time.sleep(0.01)
            else:
                break
        if mode != "wal":
            raise BusUnavailableError(
                f"{self.path} is on a file system on which SQLite cannot keep a log "
                f"(journal mode {mode}): give a path on a local disk"
            )

    # -- reading and writing ---------------------------------------------------------

    def write(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one short statement; do not wait.

        Raises:
            sqlite3.Error: see :func:`is_locked` and :func:`is_full`.
        """
        assert self._short is not None
        return self._short.execute(sql, values).fetchall()

    def read(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one statement that may take long."""
        assert self._slow is not None
        with self._explained():
            return self._slow.execute(sql, values).fetchall()

    def put(self, bodies: tuple[str, ...]) -> list[str]:
        """Add messages, all or none, and return their ids."""
        self._check_room(bodies)
        with self._explained():
            try:
                return self._insert(bodies)
            except sqlite3.Error as error:
                if not is_full(error):
                    raise
            self.empty_log()
            return self._insert(bodies)

    def _check_room(self, bodies: tuple[str, ...]) -> None:
        """Refuse what would leave too little room to work the messages off."""
        sizes = [len(body.encode()) for body in bodies]
        # Each is written into the log and copied from there into the file, both times
        # in whole pages.
        needed = _RESERVE + 2 * sum(size + min(size, 4_096) for size in sizes)
        free = shutil.disk_usage(self.path.parent).free
        log = Path(f"{self.path}-wal")
        if free < needed + (log.stat().st_size if log.exists() else 0):
            self.empty_log()  # what it holds may still have to go into the file
            free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise BusFullError(
                f"there is no room for {self.path}: the disk has {free:,} bytes left, "
                f"and {needed:,} are needed so that what is in the bus can be worked "
                "off; what is in it is safe"
            )

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

    def copy_log(self) -> None:
        """Copy the log into the file, so that the log stays short."""
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

    def empty_log(self) -> None:
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
            raise self.explain(error) from error

    def explain(self, error: sqlite3.Error) -> BusError:
        """Return the error of the bus that *error* means."""
        code = getattr(error, "sqlite_errorcode", 0)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        said = f"SQLite says: {error}, {name}"
        if is_locked(error):
            return BusUnavailableError(
                f"{self.path} stayed locked by another process for "
                f"{self._patience:g} s ({said})"
            )
        if is_full(error):
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


def is_full(error: sqlite3.Error) -> bool:
    """Whether there was no room for what was written."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_FULL or code in _NO_ROOM


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another process had the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


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
