"""A bus in a Redis server: a stream with a consumer group."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from looplab.priority import priority
from ontime.bus.base import (
    Bus,
    BusError,
    BusFullError,
    BusUnavailableError,
    Counts,
    Delivery,
    NotABusError,
    check_bodies,
    check_delivery,
)
from ontime.bus.redis_scripts import (
    ACKNOWLEDGE,
    COUNT,
    COUNT_IDLE,
    EVERY,
    GIVE_BACK,
    OPEN,
    RECEIVE,
    REFRESH,
)

__all__ = ["RedisBus"]

T = TypeVar("T")

# In what the server says, or what the package makes of it.
_NO_ROOM = ("OOM", "OutOfMemory", "maxmemory", "MISCONF", "No space left")

_URGENT = 1_000_000_000  # above every priority of a program
_CONNECTIONS = 10_000
_OPENING_PATIENCE = 5.0  # seconds: nothing has been begun yet
_PAGE = 1_000


class RedisBus(Bus):
    """A bus in a Redis server, version 6.2 or later, through the package ``redis``.

    The messages are the entries of a stream.  A consumer group remembers who holds
    which entry and for how long it has been idle; an entry that has been idle for the
    time of the lease can be claimed by anybody.

    A call waits for the server's answer, not the thread.  On a
    :class:`~looplab.priority.PriorityEventLoop` the callback that reads an answer goes
    before everything else, whoever opened the connection: a pool hands the connection
    that a task of low priority has opened to one of high priority, whose answers would
    then wait behind all work of more than that low priority.

    How safe messages are is the server's matter.  With ``appendonly yes`` and
    ``appendfsync always`` they survive its end by ``kill -9`` and a loss of power.
    Without the second a server may put off its writing for two seconds where the disk
    is slow, and lose that.

    Args:
        url: of the server, such as ``"redis://localhost:6379/0"``.
        lease: seconds for which a message is handed out; Redis counts milliseconds,
            and a part of one counts as a whole.
        patience: seconds for which a call goes on trying while the server cannot be
            reached; to open the bus, 5 at most.  On a loop that is late, answers are
            late too: give it more than the loop's lateness.
        stream: the key of the stream.
        group: the name of the consumer group.
        urgent_answers: ``False`` leaves out what is said above of answers.

    Raises:
        ModuleNotFoundError: the package ``redis`` is missing.
        TypeError: a value is of the wrong type.
        ValueError: a time is not above 0 and finite; *url* is none; a name is empty.

    Introduced in the chapter *Put the lease first*.
    """

    def __init__(
        self,
        url: str = "redis://localhost:6379/0",
        *,
        lease: float,
        patience: float = 30.0,
        stream: str = "looplab",
        group: str = "consumers",
        urgent_answers: bool = True,
    ) -> None:
        super().__init__(lease=lease, patience=patience)
        self._package = _import_redis()
        for what, value in ("url", url), ("stream", stream), ("group", group):
            if not isinstance(value, str):
                raise TypeError(
                    f"{what} is {value!r}, a {type(value).__name__}: give a string"
                )
            if not value:
                raise ValueError(f"{what} is empty: give a name")
        self.stream, self.group = stream, group
        self.consumer = uuid4().hex
        self._lease_ms = math.ceil(round(self.lease * 1000, 6))
        self._url = url
        self._urgent = urgent_answers
        self._client: Any = None
        self._where = _where(self._new_pool())

    @property
    def name(self) -> str:
        """What kind of bus it is, in words."""
        return "Redis"

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self._where}, stream {self.stream!r}, "
            f"lease {self.lease:g} s>"
        )

    # -- opening and closing ---------------------------------------------------------

    def _new_pool(self) -> Any:
        from redis.asyncio import ConnectionPool
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        try:
            pool: Any = ConnectionPool.from_url(
                self._url,
                decode_responses=True,
                max_connections=_CONNECTIONS,
                retry=Retry(NoBackoff(), 0),  # _try() does that, and knows when to end
                socket_timeout=self.patience,
                socket_connect_timeout=self.patience,
            )
        except ValueError as error:
            raise ValueError(
                f"url is no address of a Redis server ({error}): write "
                'something like "redis://localhost:6379/0"'
            ) from error
        if self._urgent:
            pool.connection_class = _with_urgent_answers(pool.connection_class)
        return pool

    async def _open(self) -> None:
        from redis.asyncio import Redis

        self._client = client = Redis.from_pool(self._new_pool())
        try:
            await self._try(self._look_at_server, min(self.patience, _OPENING_PATIENCE))
            self._scripts = {text: client.register_script(text) for text in EVERY}
            await self._try(
                partial(self._call, OPEN), min(self.patience, _OPENING_PATIENCE)
            )
        except BaseException:
            await self._close()
            raise

    async def _look_at_server(self) -> None:
        server = await self._client.info("server")
        version = str(server.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2]) < (6, 2):
            raise NotABusError(
                f"Redis at {self._where} is of version {version}, and the bus needs 6.2"
            )
        memory = await self._client.info("memory")
        policy = str(memory.get("maxmemory_policy", ""))
        if policy.startswith("allkeys"):
            raise NotABusError(
                f"Redis at {self._where} throws messages away when its memory is full "
                f"(maxmemory-policy {policy}): set it to noeviction"
            )
        try:
            await self._client.xgroup_create(
                self.stream, self.group, "0", mkstream=True
            )
        except self._package.exceptions.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):  # it is there already
                raise

    async def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # -- calls -----------------------------------------------------------------------

    async def put(self, *bodies: str) -> list[str]:
        self._check_open()
        check_bodies(bodies)
        if not bodies:
            return []

        async def add() -> list[str]:
            async with self._client.pipeline(transaction=True) as pipe:
                for body in bodies:
                    pipe.xadd(self.stream, {"body": body})
                return [str(id_) for id_ in await pipe.execute()]

        return await self._try(add)

    async def receive(self) -> Delivery | None:
        found = await self._run(RECEIVE)
        return None if found is None else Delivery(*found)

    async def refresh(self, delivery: Delivery) -> bool:
        return bool(await self._about(REFRESH, delivery) == 1)

    async def acknowledge(self, delivery: Delivery) -> bool:
        return await self._once(ACKNOWLEDGE, delivery)

    async def give_back(self, delivery: Delivery) -> bool:
        return bool(await self._about(GIVE_BACK, delivery) == 1)

    async def counts(self) -> Counts:
        total, held = await self._run(COUNT)
        idle, start = 0, "-"
        while True:
            found, last = await self._run(COUNT_IDLE, start, _PAGE)
            idle += found
            if found < _PAGE:
                break
            start = f"({last}"
        leased = max(0, held - idle)
        return Counts(max(0, total - leased), leased)

    async def _about(
        self, script: str, delivery: Delivery, attempts: list[None] | None = None
    ) -> Any:
        check_delivery(delivery)
        return await self._run(script, delivery.id, delivery.number, attempts=attempts)

    async def _once(self, script: str, delivery: Delivery) -> bool:
        attempts: list[None] = []
        answer = await self._about(script, delivery, attempts)
        # An attempt whose answer was lost may have been the one that did it.
        return answer == 1 or (answer == -1 and len(attempts) > 1)

    async def _run(
        self, script: str, *args: Any, attempts: list[None] | None = None
    ) -> Any:
        self._check_open()

        async def call() -> Any:
            if attempts is not None:
                attempts.append(None)
            return await self._call(script, *args)

        return await self._try(call)

    async def _call(self, script: str, *args: Any) -> Any:
        return await self._scripts[script](
            keys=[self.stream],
            args=[self.group, self.consumer, self._lease_ms, *args],
        )

    async def _try(
        self, call: Callable[[], Awaitable[T]], patience: float | None = None
    ) -> T:
        """Call, and again while the server cannot be reached, up to the patience."""
        errors = self._package.exceptions
        patience = self.patience if patience is None else patience
        give_up = time.monotonic() + patience
        pause, attempts = 0.01, 0
        requests = _cancel_requests()
        while True:
            attempts += 1
            try:
                result = await call()
            except (errors.AuthenticationError, errors.AuthorizationError) as error:
                raise self._explain(error) from error
            except (
                errors.ConnectionError,  # with it: the server loads its file
                errors.TimeoutError,
                ConnectionError,
            ) as error:
                if time.monotonic() + pause >= give_up:
                    raise BusUnavailableError(
                        f"Redis at {self._where} could not be reached for "
                        f"{patience:g} s ({attempts} tried; {error}): "
                        "start it, or give the bus another url"
                    ) from error
            except errors.RedisError as error:
                raise self._explain(error) from error
            else:
                if _cancel_requests() == requests:
                    return result
            if _cancel_requests() != requests:
                # It came while a time-out ended the call, and was lost on the way.
                raise asyncio.CancelledError
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.25)

    def _explain(self, error: Exception) -> BusError:
        text = f"{type(error).__name__}: {error}"
        at = f"Redis at {self._where}"
        if any(sign in text for sign in _NO_ROOM):
            return BusFullError(f"{at} has no room; what is in it is safe: {text}")
        if "WRONGTYPE" in text:
            return NotABusError(
                f"the key {self.stream!r} of {at} is no stream; it was left as it is: "
                "give the bus another stream"
            )
        if "NOGROUP" in text:
            return NotABusError(
                f"the stream {self.stream!r} of {at} or its group {self.group!r} has "
                "been removed, and its messages with it"
            )
        return BusUnavailableError(f"{at} refuses: {text}")


def _cancel_requests() -> int:
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def _import_redis() -> Any:
    try:
        import redis
        import redis.asyncio
    except ImportError as error:
        raise ModuleNotFoundError(
            "RedisBus needs the package redis: pip install redis, or use SQLiteBus, "
            "which needs nothing",
            name="redis",
        ) from error
    return redis


def _where(pool: Any) -> str:
    """The address without user and password."""
    kwargs = pool.connection_kwargs
    if "path" in kwargs:
        return str(kwargs["path"])
    return f"{kwargs.get('host', 'localhost')}:{kwargs.get('port', 6379)}"


def _with_urgent_answers(connection_class: type[Any]) -> type[Any]:
    class UrgentConnection(connection_class):  # type: ignore[misc]
        async def connect(self) -> None:
            # The transport's callbacks keep the context in which it was made.
            with priority(_URGENT):
                await super().connect()

    return UrgentConnection
