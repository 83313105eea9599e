"""Services with one planted fault each, on FastAPI and on aiohttp.

``FAULT`` names the fault and ``FIXED`` how it is fixed, if it is.  Each service has
``/ping``, which does next to nothing, and ``/work``, which has the fault.
Run with ``python planted.py fastapi|aiohttp PORT``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable

FAULT = os.environ.get("FAULT", "")
FIXED = os.environ.get("FIXED", "")
SIZE = float(os.environ.get("SIZE", "1"))
JOBS: asyncio.Queue[None] = asyncio.Queue(maxsize=1)
DATA = [{"n": n, "text": "x" * 20, "more": [n] * 5} for n in range(30_000)]
PIECE = 0.004


def hash_it() -> None:
    """Hash a password: C code that releases the interpreter lock."""
    hashlib.pbkdf2_hmac("sha256", b"word", b"salt", int(60_000 * SIZE))


def dump_it() -> None:
    """Write JSON: C code that keeps the interpreter lock."""
    json.dumps(DATA[: int(len(DATA) * SIZE)])


def sleep_it() -> None:
    """Sleep where nobody else can run."""
    time.sleep(0.06 * SIZE)


def spin(seconds: float) -> None:
    """Compute for some CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def job() -> None:
    """One of a storm."""
    spin(PIECE * SIZE)


async def worker() -> None:
    """Takes jobs of a storm one at a time."""
    while True:
        await JOBS.get()
        await job()
        await asyncio.sleep(0)


async def limited(gate: asyncio.Semaphore) -> None:
    """One of a storm: it waits for nothing, so nobody else has a turn."""
    async with gate:
        await job()


async def storm() -> None:
    """Start many jobs at once, or hand them to a worker."""
    gate = asyncio.Semaphore(4)
    for _ in range(20):
        if FIXED == "workers":
            await JOBS.put(None)
        else:
            work = limited(gate) if FIXED == "semaphore" else job()
            asyncio.create_task(work)  # noqa: RUF006 - that is the fault


PLAIN: dict[str, Callable[[], None]] = {
    "hash": hash_it,
    "json": dump_it,
    "sleep": sleep_it,
}


async def work() -> None:
    """What ``/work`` does."""
    if FAULT in PLAIN:
        if FIXED == "thread":
            await asyncio.to_thread(PLAIN[FAULT])
        else:
            PLAIN[FAULT]()
    elif FAULT == "storm":
        await storm()


def on_fastapi(port: int) -> None:
    """Serve with FastAPI and uvicorn."""
    from contextlib import asynccontextmanager

    import uvicorn
    from fastapi import FastAPI

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(worker())
        yield
        task.cancel()

    app = FastAPI(lifespan=lifespan)

    @app.get("/ping")
    async def ping() -> str:
        return "pong"

    @app.get("/work")
    async def do_work() -> str:
        await work()
        return "done"

    uvicorn.run(app, port=port, log_level="warning")


def on_aiohttp(port: int) -> None:
    """Serve with aiohttp."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="pong")

    async def do_work(request: web.Request) -> web.Response:
        await work()
        return web.Response(text="done")

    async def started(app: web.Application) -> None:
        app["worker"] = asyncio.create_task(worker())

    app = web.Application()
    app.add_routes([web.get("/ping", answer), web.get("/work", do_work)])
    app.on_startup.append(started)
    web.run_app(app, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    serve = {"fastapi": on_fastapi, "aiohttp": on_aiohttp}[sys.argv[1]]
    serve(int(sys.argv[2]))
