"""The published test: websockets that are opened at once through a test client.

This program runs inside one of the pinned environments.  It does its work and prints
one JSON object; with ``--wait`` it first prints ``ready`` and waits for a line on its
standard input.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import starlette.testclient
from fastapi import FastAPI, WebSocket
from fastapi.testclient import TestClient

app = FastAPI()


@app.websocket("/ws")
async def endpoint(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.receive()


client = TestClient(app)


def the_test(clients: int, inside: Callable[[], None] | None = None) -> float:
    """Have that many websockets open at once; the seconds until they are closed."""
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        for _ in range(clients):
            stack.enter_context(client.websocket_connect("/ws"))
        if inside is not None:
            inside()
    return time.perf_counter() - started


def sleep_for_real() -> None:
    """Experiment D6: the polling receive, with a sleep that waits."""

    async def receive(self: Any) -> Any:
        while self._receive_queue.empty():  # noqa: ASYNC110 - it is the experiment
            await anyio.sleep(0.001)
        return self._receive_queue.get()

    starlette.testclient.WebSocketTestSession._asgi_receive = receive


def timed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the test, and then again and again.

    The first run is that of a fresh process, which also imports the loop's back end;
    the others are warm repeats.
    """
    seconds: list[float] = []
    first = the_test(arguments.clients)
    end = time.perf_counter() + arguments.budget
    while len(seconds) < arguments.runs and time.perf_counter() < end:
        seconds.append(round(the_test(arguments.clients), 6))
    return {"first": round(first, 6), "seconds": seconds}


def idle(arguments: argparse.Namespace) -> dict[str, Any]:
    """How often the loops turn, and what they burn, while no one sends anything."""
    from looplab.idle import count_turns

    figures: dict[str, Any] = {}

    def wait() -> None:
        time.sleep(0.1)  # what the opening has left to do
        burned = time.process_time()
        with count_turns() as turns:
            time.sleep(arguments.seconds)
        # The sleeper may wake late: the loops hold the GIL.
        figures["seconds"] = round(turns.seconds, 6)
        figures["cpu"] = round(time.process_time() - burned, 6)
        figures["turns"] = turns.total

    the_test(arguments.clients, wait)
    return figures


def stacks(arguments: argparse.Namespace) -> dict[str, Any]:
    """Dump the stacks of all threads once, in the first test, after some seconds.

    Once only: the watchdog reads the stacks of threads that are running, and a dump
    that repeats while threads start and end can crash the interpreter.
    """
    with Path(arguments.file).open("w+", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(arguments.delay, file=file)
        took = the_test(arguments.clients)
        faulthandler.cancel_dump_traceback_later()
        return {"dumped": file.seek(0, os.SEEK_END) > 0, "took": round(took, 6)}


def allow_core() -> None:
    """Have the system write a core file when this process is aborted."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def versions() -> dict[str, str]:
    names = ["fastapi", "starlette", "anyio"]
    figures = {name: importlib.metadata.version(name) for name in names}
    return {"python": sys.version.split()[0], **figures}


WORK = {"timed": timed, "idle": idle, "stacks": stacks}


def main() -> None:
    parser = argparse.ArgumentParser(description="The published test.")
    parser.add_argument("work", choices=[*WORK, "versions"])
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--delay", type=float, default=0.01)
    parser.add_argument("--file")
    parser.add_argument("--real-sleep", action="store_true")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--wait", action="store_true")
    arguments = parser.parse_args()
    if arguments.work == "versions":
        print(json.dumps(versions()))
        return
    if arguments.real_sleep:
        sleep_for_real()
    if arguments.core:
        allow_core()
    if arguments.wait:
        print("ready", flush=True)
        sys.stdin.readline()
    print(json.dumps(WORK[arguments.work](arguments)), flush=True)


if __name__ == "__main__":
    main()
