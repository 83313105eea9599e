"""A protocol is told of its connection first and of the end last, whoever ends it.

On asyncio's own loop that is so because both are scheduled in this order.  Here code of
another priority comes between the two.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from asyncio import sslproto
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context
from typing import Any

import pytest
import trustme

from looplab.priority import (
    PriorityEventLoop,
    deadline,
    priority,
)
from tests.fast.looplab.priority.priority_loops import HOST, POLICIES, on, stock

KNOWS_ITS_CLIENTS = pytest.mark.skipif(
    not hasattr(asyncio.base_events.Server, "abort_clients"),
    reason="servers know their clients from Python 3.13 on",
)


@contextmanager
def urgent(level: int = 9) -> Iterator[None]:
    """Urgent by any policy: of a higher level, due earlier."""
    with priority(level), deadline(asyncio.get_running_loop().time() - 100 * level):
        yield


class Told(asyncio.Protocol):
    """Notes what it is told."""

    def __init__(self, told: list[str]) -> None:
        self.told = told

    def connection_made(self, transport: Any) -> None:
        self.told.append("made")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append("lost")


@pytest.fixture
def contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS for a server and for its clients."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return server, client


@pytest.fixture
def tls_told(monkeypatch: pytest.MonkeyPatch) -> dict[Any, list[str]]:
    """What each TLS layer was told, in order."""
    told: dict[Any, list[str]] = {}

    def watch(name: str, word: str) -> None:
        real = getattr(sslproto.SSLProtocol, name)

        def noted(layer: Any, *args: Any) -> None:
            told.setdefault(layer, []).append(word)
            real(layer, *args)

        monkeypatch.setattr(sslproto.SSLProtocol, name, noted)

    watch("connection_made", "made")
    watch("connection_lost", "lost")
    return told


# ---------------------------------------------------------------- servers


async def end_clients_at_birth(
    how: str,
    told: list[str],
    *,
    context: ssl.SSLContext | None = None,
    serve_at: int | None = None,
) -> str:
    """A server's clients are ended between the making of a transport and the news."""
    here = asyncio.get_running_loop()

    def factory() -> Told:
        with urgent():
            here.call_soon(getattr(server, how))
        return Told(told)

    server = await here.create_server(
        factory, HOST, 0, ssl=context, start_serving=serve_at is None
    )
    if serve_at is not None:
        with urgent(serve_at):
            await asyncio.create_task(server.start_serving())
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert await reader.read() == b""  # until the server has closed it
    writer.close()
    server.close()
    await server.wait_closed()
    return repr(server)


@KNOWS_ITS_CLIENTS
@POLICIES
@pytest.mark.parametrize("how", ["abort_clients", "close_clients"])
@pytest.mark.parametrize("serve_at", [None, 3])
def test_a_server_tells_of_a_client_before_it_ends_it(
    policy: Any, how: str, serve_at: int | None
) -> None:
    told: list[str] = []

    async def main() -> str:
        return await end_clients_at_birth(how, told, serve_at=serve_at)

    assert on(main, policy).startswith("<Server sockets=")
    assert told == ["made", "lost"]
    on(main, loop=stock)
    assert told == ["made", "lost"] * 2, "as on the stock loop"


@KNOWS_ITS_CLIENTS
@POLICIES
@pytest.mark.parametrize("how", ["abort_clients", "close_clients"])
def test_so_does_a_server_with_tls(
    policy: Any,
    how: str,
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    tls_told: dict[Any, list[str]],
) -> None:
    async def main() -> None:
        await end_clients_at_birth(how, [], context=contexts[0])

    on(main, policy)
    assert list(tls_told.values()) == [["made", "lost"]]


@KNOWS_ITS_CLIENTS
def test_a_server_without_a_priority_ends_its_clients_in_order() -> None:
    told: list[str] = []

    async def main() -> None:
        here = asyncio.get_running_loop()

        def factory() -> Told:
            with urgent():
                here.call_soon(server.abort_clients)
            return Told(told)

        server: Any = await here.create_server(factory, HOST, 0, start_serving=False)
        here.call_soon(server._start_serving, context=Context())
        while not server.is_serving():
            await asyncio.sleep(0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()
        server.close()

    on(main)
    assert told == ["made", "lost"]


@pytest.mark.skipif(
    hasattr(asyncio.base_events.Server, "abort_clients"), reason="they know them here"
)
def test_servers_that_do_not_know_their_clients_stay_what_they_are() -> None:
    async def main() -> tuple[type, bool]:
        server = await asyncio.start_server(lambda *_: None, HOST, 0)
        server.close()
        return type(server), hasattr(server, "abort_clients")

    assert on(main) == (asyncio.base_events.Server, False)


# ---------------------------------------------------------------- TLS over a connection


@POLICIES
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("how", ["abort", "close"])
def test_an_urgent_end_waits_for_the_beginning_of_tls(
    policy: Any,
    layers: int,
    how: str,
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    tls_told: dict[Any, list[str]],
) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()

        async def serve(reader: Any, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        server = await asyncio.start_server(
            serve, HOST, 0, ssl=contexts[0] if layers == 2 else None
        )
        transport: Any
        transport, protocol = await here.create_connection(
            asyncio.Protocol,
            *server.sockets[0].getsockname(),
            ssl=contexts[1] if layers == 2 else None,
        )
        below = transport if layers == 1 else transport._ssl_protocol._transport
        with urgent():
            here.call_soon(getattr(below, how))
        await here.start_tls(transport, protocol, contexts[1], server_hostname=HOST)
        await asyncio.sleep(0.01)
        assert "_call_connection_lost" not in vars(below), "it is taken off again"
        server.close()
        return sum(
            "handshake" in repr(timer) and not timer.cancelled()
            for timer in here._scheduled  # type: ignore[attr-defined]
        )

    assert on(main, policy) == 0, "nobody waits for a handshake any more"
    ours = [told for layer, told in tls_told.items() if not layer._server_side]
    assert ours == [["made", "lost"]] * layers


def test_when_tls_is_given_up_the_connection_ends_before_the_loop_stops(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    made: list[Any] = []
    kept: list[Any] = []  # a stream that nobody holds is closed

    async def main() -> None:
        here = asyncio.get_running_loop()
        server = await asyncio.start_server(
            lambda *streams: kept.append(streams), HOST, 0
        )  # it is silent
        made.extend(
            await here.create_connection(
                asyncio.Protocol, *server.sockets[0].getsockname()
            )
        )
        server.close()
        async with asyncio.timeout(0.05):
            await here.start_tls(made[0], made[1], contexts[1], server_hostname=HOST)

    loop = PriorityEventLoop()
    try:
        with pytest.raises(TimeoutError):
            loop.run_until_complete(main())
        assert made[0]._sock is None, "as on the stock loop"
    finally:
        loop.close()


def test_tls_over_a_connection_that_has_ended_is_refused_as_on_the_stock_loop(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    async def main() -> str:
        with pytest.raises(TypeError, match="is not supported by start_tls") as caught:
            await asyncio.get_running_loop().start_tls(
                asyncio.Transport(), asyncio.Protocol(), contexts[1]
            )
        return str(caught.value)[:20]

    assert on(main) == on(main, loop=stock)


# ---------------------------------------------------------------- subprocesses


class Ending(asyncio.SubprocessProtocol):
    """Notes the life of a process in the order in which it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def connection_made(self, transport: Any) -> None:
        self.told.append("made")

    def process_exited(self) -> None:
        self.told.append("exit")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append("end")


class HeldUp(PriorityEventLoop):
    """Holds up what is not urgent from when a process's beginning is scheduled on."""

    protocol: Ending | None = None

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, **options: Any
    ) -> asyncio.Handle:
        handle = super().call_soon(callback, *args, **options)
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, Ending) and callback.__name__ == "connection_made":
            HeldUp.protocol = owner
            with urgent():
                super().call_soon(self.hold_up, self.time() + 1)
        return handle

    def hold_up(self, until: float) -> None:
        assert self.protocol is not None
        if not self.protocol.told and self.time() < until:
            super().call_soon(self.hold_up, until)


@POLICIES
def test_a_process_that_ends_at_once_is_told_in_order(policy: Any) -> None:
    # The news of the exit may come from a thread, which knows no priority.
    async def main() -> list[str]:
        here = asyncio.get_running_loop()
        with ExitStack() as stack:
            stack.enter_context(priority(1))
            stack.enter_context(deadline(here.time() + 1_000))
            transport, protocol = await here.subprocess_exec(
                Ending, "true", stdin=None, stdout=None, stderr=None
            )
        while "end" not in protocol.told:
            await asyncio.sleep(0.01)
        transport.close()
        return protocol.told

    with asyncio.Runner(loop_factory=lambda: HeldUp(policy=policy)) as runner:
        assert runner.run(main()) == ["made", "exit", "end"]


class Late(PriorityEventLoop):
    """Connects a pipe when the process at its other end has ended."""

    async def connect_read_pipe(self, protocol_factory: Any, pipe: Any) -> Any:
        while not select.select([pipe], [], [], 1)[0]:
            pass
        return await super().connect_read_pipe(protocol_factory, pipe)


@POLICIES
def test_a_pipe_that_ends_before_it_is_noted_is_not_waited_for(policy: Any) -> None:
    # A look between two callbacks finds the end; the stock loop looks one round later.
    async def main() -> list[str]:
        here = asyncio.get_running_loop()
        with priority(1), deadline(here.time() + 1_000):
            transport, protocol = await here.subprocess_exec(
                Ending, "true", stdin=None, stderr=None
            )
        async with asyncio.timeout(20):
            while "end" not in protocol.told:
                await asyncio.sleep(0.01)
        transport.close()
        return protocol.told

    def late() -> Late:
        return Late(policy=policy, look_every=0)

    with asyncio.Runner(loop_factory=late) as runner:
        assert runner.run(main()) == ["made", "exit", "end"]
