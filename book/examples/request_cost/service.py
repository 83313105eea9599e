"""A small web service: each request does some parts, in one of two ways.

``python -m request_cost.service SECONDS`` prints its port and serves on the loopback
interface until its standard input is closed, or until that many seconds have passed.
"""

import asyncio
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

RECORD = {"id": 1, "name": "a name", "tags": ["a", "b", "c"], "price": 12.5}


async def part(rounds: int) -> int:
    """One part of a request; with no rounds it returns at once."""
    for _ in range(rounds):
        json.loads(json.dumps(RECORD))
    return rounds


async def sequence(request: Request) -> JSONResponse:
    """The parts one after the other."""
    count, rounds = request.path_params["count"], request.path_params["rounds"]
    done = [await part(rounds) for _ in range(count)]
    return JSONResponse({"parts": len(done)})


async def gather(request: Request) -> JSONResponse:
    """The parts at once, a task for each."""
    count, rounds = request.path_params["count"], request.path_params["rounds"]
    done = await asyncio.gather(*(part(rounds) for _ in range(count)))
    return JSONResponse({"parts": len(done)})


async def cpu(request: Request) -> JSONResponse:
    """The CPU seconds of this process so far, and how often it had to sleep."""
    sleeps = None
    if resource is not None:
        sleeps = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    return JSONResponse({"cpu": time.process_time(), "sleeps": sleeps})


APP = Starlette(
    routes=[
        Route("/sequence/{count:int}/{rounds:int}", sequence),
        Route("/gather/{count:int}/{rounds:int}", gather),
        Route("/cpu", cpu),
    ]
)


def main() -> None:
    """Serve."""
    seconds = float(sys.argv[1])
    config = uvicorn.Config(
        APP,
        loop="asyncio",
        log_level="error",
        lifespan="off",
        timeout_keep_alive=3600,  # a client that rests keeps its connections
    )
    server = uvicorn.Server(config)

    def end_after(wait: Callable[[], object]) -> None:
        wait()
        server.should_exit = True
        time.sleep(2)
        os._exit(1)  # it hangs, and nobody is there to see it

    # asyncio switches Nagle's delay off only where the protocol is given.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # who comes early waits
        print(listener.getsockname()[1], flush=True)
        # The parent is gone when standard input is closed.
        for wait in partial(os.read, 0, 1), partial(time.sleep, seconds):
            threading.Thread(target=end_after, args=(wait,), daemon=True).start()
        server.run(sockets=[listener])


if __name__ == "__main__":
    main()
