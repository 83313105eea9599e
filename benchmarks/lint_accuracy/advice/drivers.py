"""Programs that use the libraries: ``python drivers.py NAME``.

Each works as it is and with the advice applied.  It asserts that nothing is lost, out
of order or left waiting, and prints the most of what the finding is about: items in a
channel, iterations of a loop, tasks.
"""

# Each imports the library that it uses, and is run where that is installed.

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import json
import logging
import sys
import textwrap
import threading
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ITEMS = 300
PAUSE = 0.001


async def broadcaster_memory() -> int:
    """Who publishes keeps the pace of the listener, and each message arrives."""
    from broadcaster._backends.memory import MemoryBackend

    backend = MemoryBackend("memory://")
    await backend.connect()
    await backend.subscribe("news")

    async def publish() -> None:
        for number in range(ITEMS):
            await backend.publish("news", number)

    task = asyncio.create_task(publish())
    most, got = 0, []
    for _ in range(ITEMS):
        got.append((await backend.next_published()).message)
        most = max(most, backend._published.qsize())
        await asyncio.sleep(PAUSE)
    await task
    assert got == list(range(ITEMS))
    return most


async def broadcaster_fanout() -> int:
    """A reader that reads gets all; one that does not stops nobody, and can leave."""
    from broadcaster import Broadcast

    async with (
        Broadcast("memory://") as broadcast,
        broadcast.subscribe("news") as reader,
        broadcast.subscribe("news") as idle,
    ):
        for number in range(3000):
            await broadcast.publish("news", number)
            assert (await asyncio.wait_for(reader.get(), 10)).message == number
        most: int = idle._queue.qsize()
    return most


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


async def crawlee_merge() -> int:
    """Two generators are merged; who stops early is not kept waiting."""
    merge = function_of("crawlee", "_utils/sitemap.py", "_merge_async_generators")
    made = 0

    async def numbers(start: int) -> AsyncIterator[int]:
        nonlocal made
        for number in range(start, start + ITEMS):
            made += 1
            yield number

    got, most = [], 0
    async for number in merge(numbers(0), numbers(1000)):
        got.append(number)
        most = max(most, made - len(got))
        await asyncio.sleep(0)
    assert sorted(got) == [*range(ITEMS), *range(1000, 1000 + ITEMS)]
    early = merge(numbers(0), numbers(1000))
    await early.__anext__()
    await early.aclose()

    async def fails() -> AsyncIterator[int]:
        yield 1
        raise OSError

    assert [x async for x in merge(fails(), fails())] == [1, 1]
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


async def ipykernel_debugger() -> int:
    """Messages that are read arrive; those that nobody reads do not pile up."""
    from ipykernel.debugger import DebugpyMessageQueue

    queue = DebugpyMessageQueue(lambda event: None, logging.getLogger("driver"))

    def frame(number: int) -> str:
        text = json.dumps({"type": "response", "seq": number})
        return f"Content-Length: {len(text)}\r\n\r\n{text}"

    for number in range(ITEMS):
        queue.put_tcp_frame(frame(number))
        assert (await queue.get_message())["seq"] == number
    logging.disable()
    for number in range(3000):
        queue.put_tcp_frame(frame(number))
    return int(queue.message_queue.qsize())


async def litestar_memory() -> int:
    """publish() keeps the pace of who reads, and each event arrives."""
    from litestar.channels.backends.memory import MemoryChannelsBackend

    backend = MemoryChannelsBackend(history=3)
    await backend.on_startup()
    await backend.subscribe(["news"])

    async def publish() -> None:
        for number in range(ITEMS):
            await backend.publish(str(number).encode(), ["news", "other"])

    task = asyncio.create_task(publish())
    got, most = [], 0
    async for _, data in backend.stream_events():
        got.append(int(data))
        assert backend._queue is not None
        most = max(most, backend._queue.qsize())
        await asyncio.sleep(PAUSE)
        if len(got) == ITEMS:
            break
    await task
    assert got == list(range(ITEMS))
    assert await backend.get_history("news", 3) == [b"297", b"298", b"299"]
    return most


async def litestar_plugin() -> int:
    """Events arrive; a backend that stands still does not fill memory."""
    from litestar.channels import ChannelsPlugin
    from litestar.channels.backends.memory import MemoryChannelsBackend

    plugin = ChannelsPlugin(MemoryChannelsBackend(), channels=["news"])
    async with plugin:
        async with plugin.start_subscription(["news"]) as subscriber:
            for number in range(ITEMS):
                plugin.publish(str(number), "news")
                event = await anext(subscriber.iter_events())
                assert event == str(number).encode()
        most = 0
        with contextlib.suppress(RuntimeError):  # it refuses more
            for number in range(3000):
                plugin.publish(str(number), "news")
                assert plugin._pub_queue is not None
                most = max(most, plugin._pub_queue.qsize())
    return most


async def litestar_emitter() -> int:
    """Each event reaches its listener; more than can wait are refused."""
    from litestar.events import listener
    from litestar.events.emitter import SimpleEventEmitter

    got: list[int] = []
    all_here = asyncio.Event()

    @listener("news")
    async def heard(number: int) -> None:
        got.append(number)
        if len(got) == ITEMS:
            all_here.set()

    most = 0
    async with SimpleEventEmitter([heard]) as emitter:
        for number in range(ITEMS):
            emitter.emit("news", number)
        await all_here.wait()
        with contextlib.suppress(RuntimeError):
            for number in range(3000):
                emitter.emit("news", number)
                most += 1
    assert got[:ITEMS] == list(range(ITEMS))
    return most


async def jupyter_server_poll() -> int:
    """Messages of a thread arrive, a wait ends in time, and the loop does not spin."""
    from queue import Empty

    from jupyter_server.gateway.managers import ChannelQueue

    queue = ChannelQueue("shell", None, logging.getLogger("driver"))  # type: ignore[arg-type]
    loop = asyncio.get_running_loop()

    def send() -> None:
        for number in range(20):
            threading.Event().wait(0.01)
            queue.put({"msg_id": str(number), "msg_type": "x"})

    select, calls = loop._selector.select, 0  # type: ignore[attr-defined]

    def counted(timeout: Any = None) -> Any:
        nonlocal calls
        calls += 1
        return select(timeout)

    loop._selector.select = counted  # type: ignore[attr-defined]
    thread = threading.Thread(target=send)
    thread.start()
    for number in range(20):
        message = await queue.get_msg(timeout=10)
        assert message["msg_id"] == str(number)
    thread.join()
    try:
        await queue.get_msg(timeout=0.05)
    except Empty:
        pass
    else:
        raise AssertionError("a message that nobody sent")
    queue.put({"msg_id": "last", "msg_type": "x"})
    assert (await queue.get_msg())["msg_id"] == "last"
    return calls


async def langchain_gather() -> int:
    """All results in order, no more at once than asked for."""
    source = ("langchain_core", "runnables/utils.py")
    gated = function_of(*source, "gated_coro")
    gather = function_of(*source, "gather_with_concurrency", gated_coro=gated)
    now = most_now = most = 0

    async def work(number: int) -> int:
        nonlocal now, most_now, most
        now += 1
        most_now = max(most_now, now)
        most = max(most, len(asyncio.all_tasks()))
        await asyncio.sleep(PAUSE)
        now -= 1
        return number * number

    results = await gather(5, *(work(number) for number in range(ITEMS)))
    assert results == [number * number for number in range(ITEMS)]
    assert most_now == 5
    assert await gather(None, work(2), work(3)) == [4, 9]
    try:
        await gather(2, fails(), work(1))
    except OSError:
        pass
    else:
        raise AssertionError("an error is lost")
    return most


async def fails() -> None:
    """A coroutine that fails."""
    raise OSError


def function_of(package: str, file: str, name: str, **names: Any) -> Any:
    """One function of a file whose other imports are not at hand."""
    for folder in sys.path:
        path = Path(folder, package, file)
        if path.is_file():
            break
    else:
        spec = find_spec(package)
        raise FileNotFoundError(f"{package}/{file}: {spec}")
    text = path.read_text(encoding="utf-8")
    (node,) = [
        one for one in ast.parse(text).body if getattr(one, "name", None) == name
    ]
    source = "from __future__ import annotations\n"
    source += textwrap.dedent(ast.get_source_segment(text, node) or "")
    space: dict[str, Any] = {"asyncio": asyncio, "logger": logging.getLogger("x")}
    space |= {"Any": Any, **names}
    logging.disable()
    exec(compile(source, str(path), "exec"), space)
    return space[name]


def main(name: str) -> None:
    """Run one, within a minute."""
    print(asyncio.run(asyncio.wait_for(globals()[name](), 60)))


if __name__ == "__main__":
    main(sys.argv[1])
