"""A FastAPI service that answers so many requests under one tool, and ends.

``python serve.py TOOL COUNT FOLDER STRETCH``.  It asks itself from a process that it
starts, so that the client's instructions are not counted.  STRETCH lengthens the pauses
between samples, for a counter that slows the program.  Prints how long it took.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOOLS = "none", "recording", "streaming", "streaming, no samples"
CLIENT = """
import socket, sys
port, count = int(sys.argv[1]), int(sys.argv[2])
sock = socket.create_connection(("127.0.0.1", port))
ask = b"GET /items/3 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
for _ in range(count):
    sock.sendall(ask)
    text = b""
    while not text.endswith(b"}"):
        text += sock.recv(65536)
sock.close()
"""


def start(tool: str, folder: Path, stretch: float) -> Callable[[], None]:
    """Start *tool* in this process; return what ends it and saves what it has."""
    if tool.startswith("streaming"):
        from looplab.diagnose import hook
        from looplab.diagnose.options import Options

        sample = 0.0 if "no" in tool else 0.005 * stretch
        hook.install(Options(str(folder / "t.jsonl"), sample=sample))
        return hook.uninstall
    return lambda: None


async def serve(tool: str, count: int, stretch: float) -> None:
    """Answer *count* requests of a client in another process."""
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/items/{number}")
    async def item(number: int) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"number": number, "tags": ["a", "b"], "price": 9.5}

    if tool == "recording":
        from looplab.diagnose.arrival import arrival_asker
        from looplab.diagnose.stock import LoopRecorder

        loop: Any = asyncio.get_running_loop()
        recorder = LoopRecorder(loop, arrival=arrival_asker(loop._selector))

        def forget() -> None:
            recorder.notes.clear()
            loop.call_later(0.25 * stretch, forget)  # as often as it is written

        forget()
    # Without the server around it, which looks ten times a second whether it shall end:
    # a counter that slows the program would count that more often a request.
    config = uvicorn.Config(app, log_level="critical", lifespan="off")
    config.load()
    state = uvicorn.Server(config).server_state
    listener = await asyncio.get_running_loop().create_server(
        lambda: config.http_protocol_class(
            config=config, server_state=state, app_state={}
        ),
        "127.0.0.1",
        0,
    )
    # One full collection more or less would be one in a hundred of what is counted.
    gc.collect()
    gc.freeze()
    port = listener.sockets[0].getsockname()[1]
    words = [os.environ["CLIENT_PYTHON"], "-c", CLIENT, str(port), str(count)]
    client = await asyncio.create_subprocess_exec(*words)
    if await client.wait():
        raise SystemExit("the client failed")
    listener.close()


def slow_down(stretch: float) -> None:
    """Let what happens by the clock happen as often a request as without a counter."""
    from looplab.diagnose import session, stock

    stock.SLOW_NS = round(stock.SLOW_NS * stretch)
    session.WRITE_EVERY *= stretch
    session._BRIEF *= stretch


def main() -> None:
    """Serve under the tool and say how long it took."""
    tool, count, folder, stretch = sys.argv[1:5]
    if float(stretch) > 1:
        slow_down(float(stretch))
    began = time.perf_counter()
    end = start(tool, Path(folder), float(stretch))
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(serve(tool, int(count), float(stretch)))
    end()
    print(time.perf_counter() - began)


if __name__ == "__main__":
    main()
