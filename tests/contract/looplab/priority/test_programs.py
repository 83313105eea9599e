"""Real programs on the priority loop: servers, TLS, processes, signals, threads.

The loop runs CPython's own tests elsewhere; here it meets the libraries of others.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import trustme
import uvicorn
from aiohttp import web
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from looplab.priority import (
    PriorityEventLoop,
    UnsupportedLoopError,
    current_priority,
    deadline,
    priority,
)
from looplab.priority import loop as loop_module
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import HOST, PATIENCE, POLICIES, on

SOURCE = Path(__file__).parents[4] / "src"
OPEN_FILES = Path("/proc/self/fd")


@asynccontextmanager
async def spinning(level: int) -> AsyncIterator[None]:
    """Keep callbacks of a priority ready all the time."""
    going = True

    async def spin() -> None:
        while going:
            await asyncio.sleep(0)

    with priority(level):
        task = asyncio.create_task(spin())
    try:
        yield
    finally:
        going = False
        await task


# ---------------------------------------------------------------- servers


async def ask(
    port: int, *, path: str = "/", context: ssl.SSLContext | None = None
) -> str:
    """Ask a server over HTTP and return all that it answers."""
    reader, writer = await asyncio.open_connection(HOST, port, ssl=context)
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await reader.read()
    writer.close()
    return answer.decode()


@POLICIES
@pytest.mark.parametrize("http", ["h11", "httptools"])
def test_uvicorn_serves_starlette(
    policy: Any, http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if http == "httptools":
        pytest.importorskip("httptools")

    async def level(request: Any) -> JSONResponse:
        return JSONResponse({"priority": current_priority()})

    async def threaded(request: Any) -> JSONResponse:
        return JSONResponse({"sum": await run_in_threadpool(sum, [1, 2, 3])})

    async def stream(request: Any) -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            for _ in range(5):
                await asyncio.sleep(0.001)
                yield b"part "

        return StreamingResponse(parts())

    app = Starlette(
        routes=[
            Route("/", level),
            Route("/threaded", threaded),
            Route("/stream", stream),
        ]
    )

    async def main() -> list[str]:
        with socket.create_server((HOST, 0)) as listening:
            port = listening.getsockname()[1]
            server = uvicorn.Server(
                uvicorn.Config(app, http=http, log_level="error", lifespan="off")
            )
            monkeypatch.setattr(server, "capture_signals", nullcontext)  # pytest's
            with priority(2):
                serving = asyncio.create_task(server.serve([listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            answers = await asyncio.gather(
                *(ask(port) for _ in range(10)),
                ask(port, path="/threaded"),
                ask(port, path="/stream"),
            )
            server.should_exit = True
            await serving
        return answers

    *levels, summed, streamed = on(main, policy)
    assert all('{"priority":2}' in answer for answer in levels)
    assert '{"sum":6}' in summed
    assert streamed.count("part ") == 5


@POLICIES
def test_aiohttp_talks_to_aiohttp(policy: Any) -> None:
    async def main() -> list[Any]:
        async def echo(request: Any) -> Any:
            return web.json_response({"sent": await request.text()})

        async def talk(request: Any) -> Any:
            socket_ = web.WebSocketResponse()
            await socket_.prepare(request)
            async for message in socket_:
                await socket_.send_str(message.data.upper())
            return socket_

        app = web.Application()
        app.router.add_post("/", echo)
        app.router.add_get("/talk", talk)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, HOST, 0)
        await site.start()
        port = runner.addresses[0][1]
        url = f"http://{HOST}:{port}/"

        async with aiohttp.ClientSession() as session:

            async def post(number: int) -> Any:
                async with session.post(url, data=f"text {number}") as response:
                    return (await response.json())["sent"]

            got = await asyncio.gather(*(post(number) for number in range(20)))
            async with session.ws_connect(f"{url}talk") as ws:
                await ws.send_str("hello")
                got.append((await ws.receive()).data)
        await runner.cleanup()
        return got

    assert on(main, policy) == [*(f"text {number}" for number in range(20)), "HELLO"]


@POLICIES
def test_tls_echo(policy: Any) -> None:
    authority = trustme.CA()
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(here)
    there = ssl.create_default_context()
    authority.configure_trust(there)
    sent = os.urandom(300_000)

    async def main() -> list[bytes]:
        async def echo(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write(await reader.readexactly(len(sent)))
            await writer.drain()
            writer.close()
            await writer.wait_closed()

        async def one() -> bytes:
            reader, writer = await asyncio.open_connection(HOST, port, ssl=there)
            writer.write(sent)
            got = await reader.readexactly(len(sent))
            writer.close()
            await writer.wait_closed()
            return got

        server = await asyncio.start_server(echo, HOST, 0, ssl=here)
        port = server.sockets[0].getsockname()[1]
        async with server:
            return list(await asyncio.gather(*(one() for _ in range(3))))

    assert on(main, policy) == [sent] * 3


def test_datagrams_and_unix_sockets(tmp_path: Path) -> None:
    class Echo(asyncio.DatagramProtocol):
        def connection_made(self, transport: Any) -> None:
            self.transport = transport

        def datagram_received(self, data: bytes, address: Any) -> None:
            self.transport.sendto(data.upper(), address)

    class Client(asyncio.DatagramProtocol):
        def __init__(self) -> None:
            self.got = asyncio.get_running_loop().create_future()

        def datagram_received(self, data: bytes, address: Any) -> None:
            self.got.set_result(data)

    async def main() -> list[bytes]:
        here = asyncio.get_running_loop()
        server, _ = await here.create_datagram_endpoint(Echo, local_addr=(HOST, 0))
        client, protocol = await here.create_datagram_endpoint(
            Client, remote_addr=server.get_extra_info("sockname")
        )
        client.sendto(b"datagram")
        answers = [await protocol.got]
        client.close()
        server.close()

        path = str(tmp_path / "socket")

        def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"unix")
            writer.close()

        unix = await asyncio.start_unix_server(answer, path)
        reader, writer = await asyncio.open_unix_connection(path)
        answers.append(await reader.read())
        writer.close()
        unix.close()
        return answers

    assert on(main) == [b"DATAGRAM", b"unix"]


async def pair() -> list[Any]:
    """A connection of this loop with itself: reader and writer of both ends."""
    made = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(
        lambda *streams: made.set_result(streams), HOST, 0
    )
    ends = [
        *await asyncio.open_connection(*server.sockets[0].getsockname()),
        *await made,
    ]
    server.close()
    return ends


@POLICIES
def test_an_urgent_task_reads_what_less_urgent_code_has_opened(policy: Any) -> None:
    async def main() -> list[bytes]:
        assert current_priority() == 0
        ends = await pair()  # all are kept: a stream that nobody holds is closed
        reader, writer = ends[0], ends[3]

        async def read() -> list[bytes]:
            async with spinning(9):
                lines = []
                for number in range(5):
                    writer.write(f"{number}\n".encode())
                    lines.append(await reader.readline())
            return lines

        with priority(9):
            lines = await asyncio.create_task(read())
        writer.close()
        return lines

    assert on(main, policy) == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]


def test_io_that_keeps_coming_starves_nobody() -> None:
    async def main() -> tuple[int, int]:
        here = asyncio.get_running_loop()
        receiving, sending = socket.socketpair()
        reads = 0

        def readable() -> None:  # it leaves the data there
            nonlocal reads
            reads += 1

        here.add_reader(receiving, readable)
        sending.send(b"x")
        turns = 0
        with priority(1):
            while turns < 1_000:
                await asyncio.create_task(asyncio.sleep(0))
                turns += 1
        here.remove_reader(receiving)
        receiving.close()
        sending.close()
        return reads, turns

    reads, turns = on(main)
    assert turns == 1_000
    assert reads > 10


# ---------------------------------------------------------------- processes, signals


@POLICIES
def test_subprocesses(policy: Any) -> None:
    async def main() -> list[Any]:
        code = "import sys; print(sys.stdin.read()[::-1], end=''); sys.exit(3)"

        async def one(number: int) -> Any:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                code,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await process.communicate(f"abc{number}".encode())
            return out.decode(), process.returncode

        return list(await asyncio.gather(*(one(number) for number in range(3))))

    assert on(main, policy) == [("0cba", 3), ("1cba", 3), ("2cba", 3)]


class Ending(asyncio.SubprocessProtocol):
    """Notes the end of a process in the order in which it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.told.append(f"pipe {fd}")

    def process_exited(self) -> None:
        self.told.append("exit")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append("end")


@POLICIES
def test_the_end_of_a_process_is_told_in_order(policy: Any) -> None:
    # Less urgent code closes the pipe.  What tells of it may not stay behind while
    # the loop is busy, since a thread tells the loop of the exit.
    async def main() -> list[str]:
        here = asyncio.get_running_loop()
        with priority(2), deadline(here.time()):
            transport, protocol = await here.subprocess_exec(
                Ending, "cat", stdin=asyncio.subprocess.PIPE, stdout=None, stderr=None
            )

        async def hold_up() -> None:
            until = here.time() + PATIENCE
            while "end" not in protocol.told and here.time() < until:
                await asyncio.sleep(0)

        tasks = []

        def keep_busy() -> None:
            with priority(1), deadline(here.time() + 1):
                tasks.append(asyncio.create_task(hold_up()))

        with priority(0), deadline(here.time() + 1_000):
            stdin = transport.get_pipe_transport(0)
            assert stdin is not None
            stdin.close()
            here.call_soon(keep_busy)
        while "end" not in protocol.told:
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
        transport.close()
        return protocol.told

    assert on(main, policy) == ["pipe 0", "exit", "end"]


PROGRAM = """
import asyncio, sys
from looplab.priority import PriorityEventLoop, priority

async def main():
    try:
        print("ready", flush=True)
        {wait}
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise

with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
    with priority(5):
        try:
            runner.run(main())
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    "wait", ["await asyncio.sleep(60)", "while True: await asyncio.sleep(0)"]
)
def test_an_interrupt_ends_the_runner_in_order(wait: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(wait=wait)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
    assert out == "cancelled\ninterrupted\n"
    assert program.returncode == 0


# ---------------------------------------------------------------- threads


@POLICIES
def test_threads_lose_no_callback_and_keep_their_order(policy: Any) -> None:
    each = 2_000

    async def main() -> list[tuple[int, int]]:
        here = asyncio.get_running_loop()
        done = asyncio.Event()
        ran: list[tuple[int, int]] = []

        def note(thread: int, number: int) -> None:
            ran.append((thread, number))
            if len(ran) == 4 * each:
                done.set()

        def work(thread: int) -> None:
            for number in range(each):
                here.call_soon_threadsafe(note, thread, number, context=context_with(1))

        async with spinning(1):
            assert current_priority() == 1, "below that it would wait for ever"
            threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            await done.wait()
            for thread in threads:
                thread.join()
        return ran

    with priority(1):
        ran = on(main, policy)
    assert set(Counter(ran).values()) == {1}
    for thread in range(4):
        numbers = [number for who, number in ran if who == thread]
        assert numbers == list(range(each))


def test_executors_answer_while_urgent_callbacks_never_end() -> None:
    async def main() -> list[int]:
        here = asyncio.get_running_loop()
        with priority(9):
            async with spinning(9):
                one = await asyncio.create_task(asyncio.to_thread(sum, [1, 2]))
                other = await asyncio.wrap_future(
                    here.run_in_executor(None, sum, [3, 4])
                )
        return [one, other]

    with priority(9):
        assert on(main) == [3, 7]


def test_a_coroutine_comes_from_another_thread() -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()

        async def answer() -> int:
            await asyncio.sleep(0.001)
            return current_priority() + 40

        def work() -> int:
            return asyncio.run_coroutine_threadsafe(answer(), here).result(PATIENCE)

        with priority(2):
            return await asyncio.to_thread(work)

    assert on(main) == 42, "to_thread() takes the context along"


# ---------------------------------------------------------------- contexts, debug


def test_callbacks_run_in_the_context_they_were_given() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="none")

    async def main() -> list[Any]:
        here = asyncio.get_running_loop()
        seen: list[Any] = []

        def note() -> None:
            seen.append((name.get(), current_priority()))

        name.set("outer")
        inner = contextvars.copy_context()
        inner.run(name.set, "inner")
        here.call_soon(note)
        here.call_soon(note, context=inner)
        here.call_later(0, note, context=inner)
        bare = contextvars.Context()
        here.call_soon(note, context=bare)

        async def child() -> None:
            note()
            with priority(4):
                await asyncio.create_task(grandchild())
                name.set("changed")
            note()

        async def grandchild() -> None:
            note()

        await asyncio.sleep(0.01)
        await asyncio.create_task(child(), context=contextvars.Context())
        await asyncio.create_task(child(), context=inner)
        seen.append(name.get())
        return seen

    assert on(main) == [
        ("outer", 0),
        ("inner", 0),
        ("none", 0),
        ("inner", 0),
        ("none", 0),
        ("none", 4),
        ("changed", 0),
        ("inner", 0),
        ("inner", 4),
        ("changed", 0),
        "outer",
    ]


def test_debug_mode_watches_as_on_the_stock_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        here = asyncio.get_running_loop()
        here.slow_callback_duration = 0.01
        here.call_soon(time.sleep, 0.02)
        await asyncio.sleep(0.01)
        handle: Any = here.call_soon(print)
        assert "main" in str(handle._source_traceback[-1])
        handle.cancel()
        with pytest.raises(TypeError, match="coroutines cannot be used"):
            here.call_soon_threadsafe(main)
        errors: list[Any] = []
        with pytest.raises(RuntimeError, match="Non-thread-safe"):
            await asyncio.to_thread(here.call_soon, errors.append, 1)

    on(main, debug=True)
    assert "Executing <Handle sleep(0.02)" in caplog.text


def test_without_priorities_the_order_is_the_stock_one() -> None:
    async def main() -> list[str]:
        here = asyncio.get_running_loop()
        order: list[str] = []
        here.call_soon(order.append, "soon")
        here.call_soon_threadsafe(order.append, "threadsafe")
        here.call_soon(order.append, "bare", context=contextvars.Context())
        here.call_soon(order.append, "soon again")
        thread = threading.Thread(
            target=here.call_soon_threadsafe, args=(order.append, "thread")
        )
        thread.start()
        thread.join()
        here.call_soon(order.append, "after the thread")
        await asyncio.sleep(0.001)
        return order

    with asyncio.Runner() as runner:
        stock = runner.run(main())
    assert on(main) == stock
    assert len(stock) == 6


def test_an_error_in_a_callback_does_not_stop_the_loop() -> None:
    async def main() -> list[Any]:
        here = asyncio.get_running_loop()
        seen: list[Any] = []
        here.set_exception_handler(lambda _, facts: seen.append(facts["exception"]))
        here.call_soon(lambda: 1 / 0)
        here.call_soon(seen.append, "next")
        await asyncio.sleep(0.001)
        return seen

    error, after = on(main)
    assert isinstance(error, ZeroDivisionError)
    assert after == "next"


# ---------------------------------------------------------------- a changed Python


def test_it_refuses_a_loop_whose_attributes_have_other_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loop_module, "_NEEDED", ("_timers_of_another_python",))
    with pytest.raises(UnsupportedLoopError, match="_timers_of_another_python"):
        PriorityEventLoop()


def test_a_refused_loop_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    if not OPEN_FILES.exists():
        pytest.skip("this system does not list the open files of a process")
    gc.collect()  # it may close what other tests have left
    opened = len(list(OPEN_FILES.iterdir()))
    monkeypatch.setattr(loop_module, "_NEEDED", ("_missing",))
    for _ in range(5):
        with pytest.raises(UnsupportedLoopError):
            PriorityEventLoop()
    assert len(list(OPEN_FILES.iterdir())) == opened
