"""A bus in a Redis server: a stream with a consumer group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from looplab.priority import priority
from ontime.bus.base import Bus, BusFullError, BusUnavailableError, Counts, Delivery

__all__ = ["RedisBus"]

_GROUP = "consumers"
_PATIENCE = 30.0  # seconds for which a call waits for its answer
_NO_ROOM = ("OOM", "OutOfMemory", "maxmemory", "MISCONF", "No space left")
_URGENT = 1_000_000_000  # above every priority of a program

# Each script is one step for the server: nothing comes between its lines.  The key is
# the stream; the first arguments are the group, the consumer and the lease in
# milliseconds.  An entry whose lease has run out is claimed before a new one is read.
_RECEIVE = """
local entry
local cursor = '0-0'
repeat
  local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor,
                             'COUNT', 1)
  cursor, entry = claimed[1], claimed[2][1]
until entry or cursor == '0-0'
if not entry then
  local fresh = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', 1,
                           'STREAMS', KEYS[1], '>')
  if not fresh then return false end
  entry = fresh[1][2][1]
end
local held = redis.call('XPENDING', KEYS[1], ARGV[1], entry[1], entry[1], 1)[1]
return {entry[1], entry[2][2], held[4]}
"""
# Only for the consumer, and the delivery, that holds the entry.
_HOLDS = """
local held = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1)[1]
if not held or held[2] ~= ARGV[2] or held[4] ~= tonumber(ARGV[5]) then return 0 end
"""
# JUSTID leaves the number of deliveries as it is.
_REFRESH = f"""{_HOLDS} if held[3] >= tonumber(ARGV[3]) then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[4], 'JUSTID')
return 1
"""
_ACKNOWLEDGE = f"""{_HOLDS}
redis.call('XACK', KEYS[1], ARGV[1], ARGV[4])
return redis.call('XDEL', KEYS[1], ARGV[4])
"""
_COUNT = """
local held = redis.call('XPENDING', KEYS[1], ARGV[1])[1]
local idle = 0
if held > 0 then
  idle = #redis.call('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[3], '-', '+', held)
end
return {redis.call('XLEN', KEYS[1]), held - idle}
"""


class RedisBus(Bus):
    """A bus in a Redis server, version 6.2 or later, through the package ``redis``.

    The messages are the entries of a stream.  A consumer group remembers who holds
    which entry and for how long it has been idle; an entry that has been idle for the
    time of the lease can be claimed by anybody.

    On a :class:`~looplab.priority.PriorityEventLoop` the callback that reads an answer
    goes before everything else, whoever opened the connection: the pool may hand one
    that a task of low priority has opened to a task of high priority.

    How safe messages are is the server's matter.  With ``appendonly yes`` and
    ``appendfsync always`` they survive its end by ``kill -9`` and a loss of power; with
    a ``maxmemory-policy`` other than ``noeviction`` it throws them away when its memory
    is full.

    Args:
        url: of the server, such as ``"redis://localhost:6379/0"``.
        lease: seconds for which a message is handed out; Redis counts milliseconds,
            and a part of one counts as a whole.
        stream: the key of the stream.

    Introduced in the chapter *Put the lease first*.
    """

    name = "Redis"

    def __init__(
        self,
        url: str = "redis://localhost:6379/0",
        *,
        lease: float,
        stream: str = "looplab",
    ) -> None:
        super().__init__(lease=lease)
        import redis.asyncio  # only where there is a server

        self._errors = redis.exceptions
        self._lease_ms = math.ceil(round(self.lease * 1000, 6))
        self.stream, self._consumer = stream, uuid4().hex
        self._pool = redis.asyncio.ConnectionPool.from_url(
            url,
            decode_responses=True,
            # A call that was repeated could not tell what the first attempt has done.
            retry=redis.asyncio.retry.Retry(redis.backoff.NoBackoff(), 0),
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
        )
        self._pool.connection_class = _with_urgent_answers(self._pool.connection_class)
        self._client: Any = redis.asyncio.Redis(connection_pool=self._pool)

    def __repr__(self) -> str:
        kwargs = self._pool.connection_kwargs  # without user and password
        where = f"{kwargs.get('host', 'localhost')}:{kwargs.get('port', 6379)}"
        return f"<RedisBus {kwargs.get('path', where)}, stream {self.stream!r}>"

    async def _open(self) -> None:
        with self._explained():
            try:
                await self._client.xgroup_create(self.stream, _GROUP, "0", True)
            except self._errors.ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):  # it is there already
                    raise

    async def _close(self) -> None:
        await self._pool.disconnect()

    async def put(self, *bodies: str) -> list[str]:
        with self._explained():
            async with self._client.pipeline(transaction=True) as pipe:
                for body in bodies:
                    pipe.xadd(self.stream, {"body": body})
                return [str(id_) for id_ in await pipe.execute()]

    async def receive(self) -> Delivery | None:
        answer = await self._run(_RECEIVE)
        return None if answer is None else Delivery(*answer)

    async def refresh(self, delivery: Delivery) -> bool:
        return bool(await self._run(_REFRESH, delivery.id, delivery.number))

    async def acknowledge(self, delivery: Delivery) -> bool:
        return bool(await self._run(_ACKNOWLEDGE, delivery.id, delivery.number))

    async def counts(self) -> Counts:
        total, leased = await self._run(_COUNT)
        return Counts(total - leased, leased)

    async def _run(self, script: str, *about: str | int) -> Any:
        args = [_GROUP, self._consumer, self._lease_ms, *about]
        with self._explained():
            return await self._client.register_script(script)([self.stream], args)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (self._errors.RedisError, OSError) as error:
            text = f"{type(error).__name__}: {error}"
            if any(sign in text for sign in _NO_ROOM):
                raise BusFullError(
                    f"{self!r} has no room; what is in it is safe: {text}"
                ) from error
            raise BusUnavailableError(
                f"{self!r} does not serve ({text}): start the server, or give the bus "
                "another url"
            ) from error


def _with_urgent_answers(connection_class: type[Any]) -> type[Any]:
    class UrgentConnection(connection_class):  # type: ignore[misc]
        async def connect(self) -> None:
            # The transport's callbacks keep the context in which it was made.
            with priority(_URGENT):
                await super().connect()

    return UrgentConnection
