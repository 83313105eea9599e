"""Real programs on the priority loop: servers, TLS, processes, signals, threads.

The loop runs CPython's own tests elsewhere; here it meets the libraries of others.
"""

from __future__ import annotations

import asyncio
import contextvars
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from looplab.priority import (
    current_priority,
    deadline,
    priority,
)
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


# ---------------------------------------------------------------- contexts, debug


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
