"""A bus in a file: SQLite, no server."""

from __future__ import annotations

import asyncio
import math
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from looplab._numbers import NS, count_of
from looplab.clock import VirtualTimeLoop
from ontime.bus.base import (
    Bus,
    Counts,
    DeadLetter,
    Delivery,
    check_bodies,
    check_delivery,
)
from ontime.bus.sqlite_file import LONG_AGO, BusFile, is_full, is_locked

__all__ = ["SQLiteBus"]

T = TypeVar("T")

_CHECKPOINT_EVERY = 1_000  # short writes

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
UPDATE leases SET leased_at = {LONG_AGO}
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

        return await self._in_worker(lambda: self._file.bury(numbers))

    async def _read(self, sql: str, values: dict[str, Any]) -> list[Any]:
        """Run one statement in the worker, where it may take long."""
        self._check_open()
        return await self._in_worker(lambda: self._file.read(sql, values))

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
        give_up, pause, emptied = None, 0.001, False
        while True:
            tried = time.monotonic()
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
                    give_up = time.monotonic() + self.patience
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
