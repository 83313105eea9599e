"""Priority in a server: the middleware, the helpers, and loops without priorities."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import warnings
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Any

import pytest
import uvicorn

from looplab.priority import (
    PriorityEventLoop,
    PriorityGate,
    PriorityMiddleware,
    current_priority,
    priority,
    run,
    start_server,
)
from tests.fast.looplab.priority.priority_loops import HOST, on, stock


async def answer(send: Any, text: str) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text.encode()})


async def tell_level(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with its priority."""
    if scope["type"] == "http":
        await answer(send, f"level {current_priority()}")


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


def test_each_request_has_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[str]:
        app = PriorityMiddleware(tell_level, by_path)
        async with served(app, monkeypatch) as port:
            return [await ask(port, path) for path in ("/batch", "/now")]

    batch, urgent = on(main)
    assert "level 0" in batch
    assert "level 5" in urgent


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


def test_the_lifespan_is_left_alone() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["type"], current_priority()))

    async def main() -> None:
        with priority(4):
            await PriorityMiddleware(app, 0)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on(main)
        on(main, loop=stock)
    assert seen == [("lifespan", 4)] * 2


# ---------------------------------------------------------------- without priorities


def test_on_a_stock_loop_the_middleware_warns_once_and_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> list[str]:
        app = PriorityMiddleware(tell_level, by_path)
        async with served(app, monkeypatch) as port:
            return [await ask(port, path) for path in ("/batch", "/now", "/now")]

    with pytest.warns(RuntimeWarning, match="has no priorities") as caught:
        answers = on(main, loop=stock)
    assert len([one for one in caught if one.category is RuntimeWarning]) == 1
    assert "PriorityEventLoop, or give it a PriorityGate" in str(caught[0].message)
    for level, text in zip((0, 5, 5), answers, strict=True):
        assert f"level {level}" in text


def test_a_gate_stands_in_for_the_loop() -> None:
    order: list[str] = []
    gate = PriorityGate()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(3):
            order.append(scope["path"])
            await gate.turn()

    async def main() -> None:
        middleware = PriorityMiddleware(app, by_path, gate=gate)
        scopes = [{"type": "http", "path": path} for path in ("/batch", "/now")]
        await asyncio.gather(
            *(middleware(scope, None, None) for scope in scopes)  # type: ignore[arg-type]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        on(main, loop=stock)
    assert order == [*["/now"] * 3, *["/batch"] * 3]


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


def test_a_program_runs_at_the_priority_of_what_accepts() -> None:
    async def main() -> tuple[int, type]:
        return current_priority(), type(asyncio.get_running_loop())

    assert run(main()) == (9, PriorityEventLoop)
    assert run(main(), accept=3) == (3, PriorityEventLoop)


# ---------------------------------------------------------------- bad input


def test_a_function_that_returns_no_level_fails_its_request() -> None:
    async def main() -> None:
        middleware = PriorityMiddleware(tell_level, lambda scope: None)  # type: ignore[arg-type, return-value]
        await middleware({"type": "http", "path": "/"}, None, None)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match=r"level of a request as .* got None"):
        on(main)
