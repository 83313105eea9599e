"""Priority in a server: the middleware, the helpers, and loops without priorities."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Any

import pytest
import uvicorn

from looplab.priority import (
    PriorityMiddleware,
    current_priority,
    priority,
    start_server,
)
from tests.fast.looplab.priority.priority_loops import HOST, on


async def answer(send: Any, text: str) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text.encode()})


def by_path(scope: Any) -> int:
    return 0 if scope["path"].startswith("/batch") else 5


@contextlib.asynccontextmanager
async def served(app: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """The port of an application that uvicorn serves."""
    with socket.create_server((HOST, 0)) as listening:
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        monkeypatch.setattr(server, "capture_signals", nullcontext)  # pytest's
        with priority(9):
            serving = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield listening.getsockname()[1]
        server.should_exit = True
        await serving


async def ask(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    )
    text = await reader.read()
    writer.close()
    return text.decode()


def test_an_urgent_request_overtakes_thirty_that_are_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In what order they end, whatever the machine: each long one yields ten times."""
    ended: list[str] = []
    begun = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal begun
        if scope["path"] == "/batch":
            begun += 1
            assert current_priority() == 0
            while "/now" not in ended:  # for ever, if nobody overtakes it
                await asyncio.sleep(0)
        ended.append(scope["path"])
        await answer(send, "done")

    async def main() -> list[str]:
        middleware = PriorityMiddleware(app, by_path)
        async with served(middleware, monkeypatch) as port:
            with priority(9):
                asking = [asyncio.create_task(ask(port, "/batch")) for _ in range(30)]
                while begun < 30:
                    await asyncio.sleep(0.001)
                asking.append(asyncio.create_task(ask(port, "/now")))
                await asyncio.gather(*asking)
        return ended

    with priority(9):
        assert on(main) == ["/now", *["/batch"] * 30]


# ---------------------------------------------------------------- asyncio's servers


def test_a_server_accepts_high_and_handles_low() -> None:
    levels: list[int] = []

    async def handle(reader: Any, writer: Any) -> None:
        levels.append(current_priority())
        writer.write((await reader.readline()).upper())
        writer.close()

    async def main() -> list[bytes]:
        got = []
        for level in (0, 3, lambda writer: 4):
            server = await start_server(handle, HOST, 0, level=level)
            address = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"hello\n")
            got.append(await reader.read())
            writer.close()
            server.close()
        assert current_priority() == 0
        return got

    assert on(main) == [b"HELLO\n"] * 3
    assert levels == [0, 3, 4]
