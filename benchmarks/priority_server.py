"""Urgent requests beside busy ones: ``python -m benchmarks.priority_server``.

uvicorn serves an application to 30 connections that always have a long request under
way, and to one that asks for something urgent now and then.  It prints, for each way to
run the server, how long the urgent requests took and how many long ones were answered,
beside the stock loop in the same run.

The server is a process of its own, and so are the clients, so that a slow client is not
taken for a slow server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from looplab._numbers import percentile
from ontime.measuring.tables import aligned
from tools.common import ToolError, ended, say

HOST = "127.0.0.1"
BUSY = 30
STEPS, STEP = 10, 0.0005  # of a long request: computations, and seconds of each
STOCK = "stock loop"
LOOP = "PriorityEventLoop"
UVLOOP = "uvloop"
GATE = "uvloop, PriorityGate"
WAYS = (STOCK, LOOP, UVLOOP, GATE)
P99_AT_MOST, THROUGHPUT_AT_LEAST = 0.1, 0.9  # of the stock loop's in the same run
PATIENCE = 300.0  # seconds until a server must listen
EVERY = 0.1  # seconds between two urgent requests


# ---------------------------------------------------------------- the server


def application(gate: Any) -> Any:
    """An ASGI application with a long and a short answer."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/batch":
            for _ in range(STEPS):
                until = time.thread_time() + STEP
                while time.thread_time() < until:
                    pass
                await (asyncio.sleep(0) if gate is None else gate.turn())
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    return app


def level_of(scope: Any) -> int:
    """What can wait is lowered."""
    return 0 if scope["path"] == "/batch" else 5


def serve(way: str, descriptor: int) -> None:
    """Serve on a socket that listens, until the process is ended."""
    import uvicorn

    from looplab.priority import PriorityGate, PriorityMiddleware, run

    gate = PriorityGate() if way == GATE else None
    app = application(gate)
    if way in (LOOP, GATE):
        app = PriorityMiddleware(app, level_of, gate=gate)
    config = uvicorn.Config(
        app, log_level="error", lifespan="off", timeout_keep_alive=3600
    )
    listening = socket.socket(fileno=descriptor)
    serving = uvicorn.Server(config).serve([listening])
    if way == LOOP:
        run(serving)
        return
    factory: Any = asyncio.SelectorEventLoop
    if way in (UVLOOP, GATE):
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serving)


# ---------------------------------------------------------------- the clients


@contextlib.contextmanager
def server(way: str) -> Iterator[int]:
    """A server in a process of its own; yields its port."""
    with socket.create_server((HOST, 0), backlog=128) as listening:
        words = [sys.executable, "-m", "benchmarks.priority_server", "--serve", way]
        process = subprocess.Popen(
            [*words, str(listening.fileno())], pass_fds=[listening.fileno()]
        )
        port = listening.getsockname()[1]
    try:
        yield port
    finally:
        process.kill()
        process.wait()


async def ask(reader: Any, writer: Any, path: str) -> None:
    """Send a request over a connection that stays, and read the answer."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(2)


async def load(port: int, seconds: float) -> tuple[list[float], float]:
    """Keep the server busy; what urgent requests took, and how many long came a second.

    Raises:
        OSError: the server does not listen, or not in time.
        EOFError: it ended.
        ExceptionGroup: one of these, once the clients ask.
    """
    answered = 0
    urgent: list[float] = []
    busy = True

    async def ask_long() -> None:
        nonlocal answered
        reader, writer = await asyncio.open_connection(HOST, port)
        while busy:
            await ask(reader, writer, "/batch")
            answered += 1
        writer.close()

    async def ask_urgent() -> None:
        began = time.monotonic()
        # A new connection each time: to accept it is a part of the wait.
        reader, writer = await asyncio.open_connection(HOST, port)
        await ask(reader, writer, "/now")
        urgent.append(time.monotonic() - began)
        writer.close()

    # The first answer comes when the server listens.
    async with asyncio.timeout(PATIENCE):
        await ask(*await asyncio.open_connection(HOST, port), "/now")
    async with asyncio.TaskGroup() as clients:
        for _ in range(BUSY):
            clients.create_task(ask_long())
        while answered < BUSY:  # noqa: ASYNC110 - the state, whatever the machine
            await asyncio.sleep(0.01)
        began, already = time.monotonic(), answered
        async with asyncio.TaskGroup() as asking:
            # At a fixed rate, however slow the answers are: each way has the same load.
            for _ in range(max(1, round(seconds / EVERY))):
                asking.create_task(ask_urgent())
                await asyncio.sleep(EVERY)
        throughput = (answered - already) / (time.monotonic() - began)
        busy = False
    return urgent, throughput


def run() -> None:
    """Measure, and print the table, each way beside the stock loop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each way")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    options = parser.parse_args()
    rows = [["", "p50 ms", "p99 ms", "ratio", "long/s", "ratio"]]
    ratios = {}
    for way in [STOCK, *(way for way in options.ways if way != STOCK)]:
        try:
            with server(way) as port:
                urgent, long = asyncio.run(load(port, options.seconds))
        except (OSError, EOFError, ExceptionGroup) as error:
            raise ToolError(
                f"the server of {way!r} does not answer: {error!r}"
            ) from error
        late = percentile(urgent, 99)
        if way == STOCK:
            stock = late, long
        by = ratios[way] = late / stock[0], long / stock[1]
        times = [f"{1e3 * percentile(urgent, 50):.1f}", f"{1e3 * late:.1f}"]
        rows.append([way, *times, f"{by[0]:.3f}", f"{long:.1f}", f"{by[1]:.2f}"])
    say(aligned(rows))
    if LOOP in ratios:
        late, long = ratios[LOOP]
        met = late <= P99_AT_MOST and long >= THROUGHPUT_AT_LEAST
        say(
            f"Aim of {LOOP}: p99 at most {P99_AT_MOST:g} of the stock loop's, "
            f"throughput at least {THROUGHPUT_AT_LEAST:g}: "
            f"{'met' if met else 'not met'}."
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(ended(run))
