"""A bus in a file: SQLite, no server."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from looplab._numbers import NS
from looplab.clock import VirtualTimeLoop
from ontime.bus.base import (
    Bus,
    Counts,
    Delivery,
    check_bodies,
    check_delivery,
)
from ontime.bus.sqlite_file import LONG_AGO, BusFile, is_full, is_locked

__all__ = ["SQLiteBus"]

T = TypeVar("T")

_CHECKPOINT_EVERY = 1_000  # short writes

_RECEIVE = """
UPDATE leases SET number = number + 1, until = :now + :lease
WHERE id = (SELECT id FROM leases WHERE until <= :now ORDER BY id LIMIT 1)
RETURNING id, (SELECT body FROM messages WHERE messages.id = leases.id), number
"""
_REFRESH = """
UPDATE leases SET until = :now + :lease
WHERE id = :id AND number = :number AND until > :now
RETURNING id
"""
_ACKNOWLEDGE = """
DELETE FROM leases WHERE id = :id AND number = :number RETURNING id
"""
_GIVE_BACK = f"""
UPDATE leases SET until = {LONG_AGO}
WHERE id = :id AND number = :number AND until > :now
RETURNING id
"""
_COUNT = "SELECT count(*), coalesce(sum(until > :now), 0) FROM leases"


class SQLiteBus(Bus):
    """A bus in a file of its own.  Several processes of one machine can share it.

    What blocks, and where: every call of SQLite blocks its thread.

    * :meth:`put` waits until the disk has the messages, and :meth:`counts` looks at all
      of them, which can take long.  They run in a thread of the bus.
    * The others run on the thread of the
      loop.  They write to the file but do not wait for the disk, which takes about a
      tenth of a millisecond.  In another thread a refresh would be *later*: while the
      loop's thread computes, that thread waits for the interpreter's lock, and its
      answer waits for the computation that runs by then.  Where another process has
      the file locked, they do not block but try again, with a sleep in between.

    After a loss of power every message that was put is there.  Receipts, refreshes and
    acknowledgements of the last moments may be undone: those messages are delivered
    again.

    Where the disk is nearly full, :meth:`put` fails with all of its messages, and
    leaves so much room that those in the bus can be received, renewed and acknowledged.
    If another program takes that room too, whoever works them off gets the same error,
    and can go on when there is room.

    The time is that of the machine, so all processes agree; when its clock is set,
    leases last longer or shorter by as much.  On a :class:`~looplab.VirtualTimeLoop`
    the time is that loop's, nothing runs in a thread, and every call takes no time.

    Args:
        path: of the file, in a folder that exists.  It is made if it is missing; beside
            it SQLite keeps two more files.
        lease: seconds for which a message is handed out.
        patience: seconds for which a call goes on trying while the file is locked.
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
        max_bytes: int | None = None,
    ) -> None:
        super().__init__(lease=lease, patience=patience)
        self._file = BusFile(path, patience=self.patience, max_bytes=max_bytes)
        self.path = self._file.path
        self._clock: Callable[[], float] = time.time
        self._lease_ns = max(1, round(self.lease * NS))
        self._worker: ThreadPoolExecutor | None = None
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
            await self._in_worker(self._file.open)
        except BaseException:
            await self._close()
            raise

    async def _close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            self._file.close()
            return
        closing = asyncio.wrap_future(worker.submit(self._file.close))
        worker.shutdown(wait=False)
        await asyncio.shield(closing)

    # -- calls -----------------------------------------------------------------------

    async def put(self, *bodies: str) -> list[str]:
        self._check_open()
        check_bodies(bodies)
        return await self._in_worker(lambda: self._file.put(bodies))

    async def receive(self) -> Delivery | None:
        rows = await self._write(_RECEIVE, {"lease": self._lease_ns})
        if not rows:
            return None
        ((id_, body, number),) = rows
        return Delivery(str(id_), body, number)

    async def refresh(self, delivery: Delivery) -> bool:
        return bool(
            await self._write(_REFRESH, {"lease": self._lease_ns, **_key(delivery)})
        )

    async def acknowledge(self, delivery: Delivery) -> bool:
        return bool(await self._write(_ACKNOWLEDGE, _key(delivery)))

    async def give_back(self, delivery: Delivery) -> bool:
        return bool(await self._write(_GIVE_BACK, _key(delivery)))

    async def counts(self) -> Counts:
        now = round(self._clock() * NS)
        self._check_open()
        rows = await self._in_worker(lambda: self._file.read(_COUNT, {"now": now}))
        ((total, leased),) = rows
        return Counts(total - leased, leased)

    async def _write(self, sql: str, values: dict[str, Any]) -> list[Any]:
        rows = await self._do(sql, values)
        self._writes += 1
        if self._writes >= _CHECKPOINT_EVERY and self._worker:
            # Copies the log into the file and waits for the disk; not for this thread.
            self._writes = 0
            if self._checkpoint is None or self._checkpoint.done():
                self._checkpoint = asyncio.wrap_future(
                    self._worker.submit(self._file.copy_log)
                )
        return rows

    async def _do(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one statement on this thread; try again while the file is locked."""
        self._check_open()
        clock = asyncio.get_running_loop().time
        give_up, pause, emptied = None, 0.001, False
        while True:
            tried = clock()
            try:
                values["now"] = round(self._clock() * NS)
                return self._file.write(sql, values)
            except sqlite3.Error as error:
                if is_full(error) and not emptied:
                    emptied = True
                    await self._in_worker(self._file.empty_log)
                    continue
                if not is_locked(error):
                    raise self._file.explain(error) from error
                if give_up is None:
                    give_up = clock() + self.patience
                elif tried >= give_up:
                    raise self._file.explain(error) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.02)
            self._check_open()

    async def _in_worker(self, function: Callable[[], T]) -> T:
        if self._worker is None:  # on a virtual clock
            return function()
        return await asyncio.wrap_future(self._worker.submit(function))


def _key(delivery: Delivery) -> dict[str, Any]:
    check_delivery(delivery)
    return {"id": int(delivery.id), "number": delivery.number}
