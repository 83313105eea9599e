"""A bus in a file: SQLite, no server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from looplab._numbers import NS
from looplab.clock import VirtualTimeLoop
from ontime.bus.base import Bus, BusFullError, BusUnavailableError, Counts, Delivery

__all__ = ["SQLiteBus"]

T = TypeVar("T")

_PATIENCE = 5.0  # seconds for which a call tries while the file is locked
_COPY_EVERY = 1_000  # short writes, until the log is copied into the file
# Bytes that put() leaves free on the disk.  To work a message off changes a few pages,
# which go into the log; where the log finds no more room it is copied and begun anew.
_RESERVE = 131_072
_LONG_AGO = -(2**62)  # nanoseconds

# The number of deliveries is the token by which the bus knows a delivery.  Ids are
# never used again, or a late acknowledgement could hit another message.  Leases have a
# table of their own, so that a refresh does not write a long body anew.  A message that
# waits has a lease of long ago: to receive it does not make the file longer.
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS bus_messages
    (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS bus_leases (
    id INTEGER PRIMARY KEY,
    number INTEGER NOT NULL DEFAULT 0,
    until INTEGER NOT NULL DEFAULT {_LONG_AGO}  -- nanoseconds
);
CREATE TRIGGER IF NOT EXISTS bus_put AFTER INSERT ON bus_messages
    BEGIN INSERT INTO bus_leases (id) VALUES (NEW.id); END;
CREATE TRIGGER IF NOT EXISTS bus_acknowledged AFTER DELETE ON bus_leases
    BEGIN DELETE FROM bus_messages WHERE id = OLD.id; END;
COMMIT;
"""
_PUT = "INSERT INTO bus_messages (body) VALUES (?)"
_RECEIVE = """
UPDATE bus_leases SET number = number + 1, until = :now + :lease
WHERE id = (SELECT id FROM bus_leases WHERE until <= :now ORDER BY id LIMIT 1)
RETURNING id, (SELECT body FROM bus_messages WHERE id = bus_leases.id), number
"""
_REFRESH = """
UPDATE bus_leases SET until = :now + :lease
WHERE id = :id AND number = :number AND until > :now RETURNING id
"""
_ACKNOWLEDGE = "DELETE FROM bus_leases WHERE id = :id AND number = :number RETURNING id"
_COUNT = "SELECT count(*), coalesce(sum(until > :now), 0) FROM bus_leases"


class SQLiteBus(Bus):
    """A bus in a file of its own.  Several processes of one machine can share it.

    What blocks, and where: every call of SQLite blocks its thread.

    * :meth:`put` waits until the disk has the messages, and :meth:`counts` looks at all
      of them, which can take long.  They run in a thread of the bus.
    * The others run on the thread of the loop.  They write to the file but do not wait
      for the disk.  In another thread a refresh would be *later*: while the loop's
      thread computes, that thread waits for the interpreter's lock, and its answer
      waits for the computation that runs by then.  Where another process has the file
      locked, they do not block but try again, with a sleep in between.

    After a loss of power every message that was put is there.  Receipts, refreshes and
    acknowledgements of the last moments may be undone: those messages are delivered
    again.  Where the disk is nearly full, :meth:`put` fails with all of its messages,
    and leaves so much room that those in the bus can be worked off.

    The time is that of the machine, so all processes agree.  On a
    :class:`~looplab.VirtualTimeLoop` the time is that loop's, nothing runs in a thread,
    and every call takes no time.

    Args:
        path: of the file, in a folder that exists.  It is made if it is missing; beside
            it SQLite keeps two more files.
        lease: seconds for which a message is handed out.

    Introduced in the chapter *Put the lease first*.
    """

    name = "SQLite"

    def __init__(self, path: str | os.PathLike[str], *, lease: float) -> None:
        super().__init__(lease=lease)
        self.path = Path(path).absolute()
        self._lease_ns = max(1, round(self.lease * NS))
        self._clock: Callable[[], float] = time.time
        self._worker: ThreadPoolExecutor | None = None
        # One waits for locks and for the disk, in the worker; the other never waits.
        self._slow: sqlite3.Connection
        self._quick: sqlite3.Connection
        self._writes = 0

    def __repr__(self) -> str:
        return f"<SQLiteBus {str(self.path)!r}, lease {self.lease:g} s>"

    # -- opening and closing ---------------------------------------------------------

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualTimeLoop):
            self._clock = loop.time
        else:
            self._worker = ThreadPoolExecutor(1, "looplab-bus")
        with self._explained():
            self._slow = self._connection(_PATIENCE)
            self._quick = self._connection(0)
            await self._in_worker(self._prepare)

    async def _close(self) -> None:
        for name in "_quick", "_slow":
            if connection := vars(self).pop(name, None):
                await self._in_worker(connection.close)
        if self._worker is not None:
            self._worker.shutdown(wait=False)
            self._worker = None

    def _connection(self, patience: float) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=patience, isolation_level=None, check_same_thread=False
        )

    def _prepare(self) -> None:
        # SQLite does not wait for this lock when two open a new file at once.
        for _ in range(round(_PATIENCE / 0.01)):
            try:
                self._slow.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if not _is_locked(error):
                    raise
                time.sleep(0.01)
        self._slow.execute("PRAGMA synchronous = FULL")
        self._slow.executescript(_SCHEMA)
        self._quick.execute("PRAGMA synchronous = NORMAL")
        self._quick.execute("PRAGMA wal_autocheckpoint = 0")  # the worker does that

    # -- calls -----------------------------------------------------------------------

    async def put(self, *bodies: str) -> list[str]:
        def insert() -> list[str]:
            self._check_room(bodies)
            slow = self._slow
            slow.execute("BEGIN IMMEDIATE")
            with slow:  # commits, or rolls back
                return [str(slow.execute(_PUT, [body]).lastrowid) for body in bodies]

        with self._explained():
            return await self._in_worker(insert)

    async def receive(self) -> Delivery | None:
        for id_, body, number in await self._write(_RECEIVE):
            return Delivery(str(id_), body, number)
        return None

    async def refresh(self, delivery: Delivery) -> bool:
        return bool(await self._write(_REFRESH, delivery))

    async def acknowledge(self, delivery: Delivery) -> bool:
        return bool(await self._write(_ACKNOWLEDGE, delivery))

    async def counts(self) -> Counts:
        now = {"now": round(self._clock() * NS)}
        with self._explained():
            total, leased = await self._in_worker(
                lambda: self._slow.execute(_COUNT, now).fetchone()
            )
        return Counts(total - leased, leased)

    async def _write(self, sql: str, delivery: Delivery | None = None) -> list[Any]:
        """Run one short statement on this thread; try again while it is locked."""
        values: dict[str, Any] = {"lease": self._lease_ns}
        if delivery is not None:
            values |= {"id": int(delivery.id), "number": delivery.number}
        clock, pause, emptied = asyncio.get_running_loop().time, 0.001, False
        give_up = clock() + _PATIENCE
        while True:
            try:
                values["now"] = round(self._clock() * NS)
                with self._explained():
                    rows = self._quick.execute(sql, values).fetchall()
                break
            except BusFullError:
                if emptied:
                    raise
                emptied = True
                await self._in_worker(self._copy_log)
            except BusUnavailableError as error:
                if not _is_locked(error.__cause__) or clock() >= give_up:
                    raise
                await asyncio.sleep(pause)
                pause = min(2 * pause, 0.02)
        self._writes += 1
        if self._writes % _COPY_EVERY == 0 and self._worker is not None:
            self._worker.submit(self._copy_log)  # waits for the disk, in its thread
        return rows

    async def _in_worker(self, function: Callable[[], T]) -> T:
        if self._worker is None:  # on a virtual clock
            return function()
        # Shielded: a call that is cancelled ends whole, before the file is closed.
        future = asyncio.wrap_future(self._worker.submit(function))
        return await asyncio.shield(future)

    # -- the disk --------------------------------------------------------------------

    def _check_room(self, bodies: tuple[str, ...]) -> None:
        """Refuse what would leave too little room to work the messages off."""
        sizes = [len(body.encode()) for body in bodies]
        # Each is written into the log and copied from there into the file, both times
        # in whole pages.
        needed = _RESERVE + 2 * sum(size + min(size, 4_096) for size in sizes)
        free = shutil.disk_usage(self.path.parent).free
        log = Path(f"{self.path}-wal")
        if free < needed + (log.stat().st_size if log.exists() else 0):
            self._copy_log()  # what it holds may still have to go into the file
            free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise BusFullError(
                f"there is no room for {self.path}: the disk has {free:,} bytes left, "
                f"and {needed:,} are needed so that what is in the bus can be worked "
                "off; what is in it is safe"
            )

    def _copy_log(self) -> None:
        """Copy the log into the file and use its room once more."""
        with contextlib.suppress(sqlite3.Error):  # who puts will hear of it
            self._slow.execute("PRAGMA wal_checkpoint(RESTART)")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0)
            # A limit on the size of files, or on the log's index, has its own name.
            no_room = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
            if code & 0xFF == sqlite3.SQLITE_FULL or code in no_room:
                raise BusFullError(
                    f"there is no room for {self.path}; what is in it is safe ({error})"
                ) from error
            raise BusUnavailableError(
                f"{self.path} cannot be used ({error})"
            ) from error


def _is_locked(error: BaseException | None) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
