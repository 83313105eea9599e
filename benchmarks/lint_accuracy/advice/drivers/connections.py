"""Programs with a slow client or handler at the other end of a connection."""

from __future__ import annotations

import asyncio
import contextlib
import io
import threading
from typing import Any

from sizes import ITEMS, PAUSE


async def starlette_wsgi() -> int:
    """A thread that makes an answer waits for a slow client, who gets all of it."""
    from starlette.middleware.wsgi import WSGIResponder

    made = sent = most = 0
    body = b""

    def app(environ: Any, start_response: Any) -> Any:
        nonlocal made
        start_response("200 OK", [("content-type", "text/plain")])
        for number in range(ITEMS):
            made = number
            yield f"{number},".encode()

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal sent, most, body
        if message["type"] == "http.response.body":
            body += message.get("body", b"")
            most = max(most, made - sent)
            sent += 1
            await asyncio.sleep(PAUSE)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b""}
    scope |= {"headers": [], "http_version": "1.1"}
    await WSGIResponder(app, scope)(receive, send)  # type: ignore[arg-type]
    assert body == b"".join(f"{number},".encode() for number in range(ITEMS))
    return most


async def quart_websocket() -> int:
    """A slow handler gets each message; a handler that has ended frees the rest."""
    from quart import Quart, websocket
    from quart.asgi import ASGIWebsocketConnection

    app, got = Quart("driver"), []

    @app.websocket("/")
    async def handler() -> None:
        for _ in range(ITEMS):
            got.append(await websocket.receive())
            await asyncio.sleep(PAUSE)

    read = 0

    async def receive() -> Any:
        nonlocal read
        if read >= ITEMS:
            await asyncio.Event().wait()
        read += 1
        return {"type": "websocket.receive", "text": str(read - 1)}

    async def send(message: Any) -> None:
        pass

    scope: Any = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
    scope |= {"scheme": "ws", "http_version": "1.1", "subprotocols": []}
    connection = ASGIWebsocketConnection(app, scope)
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, connection.queue.qsize())
            await asyncio.sleep(PAUSE)

    watcher = asyncio.create_task(watch())
    await connection(receive, send)
    watcher.cancel()
    assert got == [str(number) for number in range(ITEMS)]
    return most


async def websockets_cli() -> int:
    """All lines of standard input are sent, in order; the thread waits for each."""
    import websockets.cli as cli

    sent: list[str] = []
    lines = [str(number) for number in range(ITEMS)]
    read = most = 0

    class Connection:
        close_code, close_reason = 1000, ""

        async def send(self, message: str) -> None:
            nonlocal most
            most = max(most, read - len(sent))
            sent.append(message)
            await asyncio.sleep(PAUSE)

        async def close(self) -> None:
            pass

    async def connect(uri: str) -> Connection:
        return Connection()

    async def forever(websocket: Any) -> None:
        await asyncio.Event().wait()

    def read_lines(queue_for_sending: Any, notify_end_of_file: Any) -> None:
        nonlocal read
        for line in lines:
            read += 1
            queue_for_sending(line)
        while len(sent) < ITEMS:
            threading.Event().wait(PAUSE)
        notify_end_of_file()

    changed: Any = cli
    changed.connect, changed.print_incoming_messages = connect, forever
    changed.read_outgoing_messages = read_lines
    changed.print_over_input = lambda text: None
    with contextlib.redirect_stdout(io.StringIO()):
        await cli.interactive_client("ws://localhost")
    assert sent == lines
    return most
