"""One measurement of a priority loop, in a process of its own.

``python -m benchmarks.priority.worker WORK ROW SIZE`` prints one line of JSON:
``{"cpu": seconds, "version": ...}`` or ``{"why": ..., "detail": ...}``.  It times the
work only.  With one more word, ``bare``, the process ends where the work does.

``callbacks ROW SIZE`` prints ``{"cpu": ..., "version": null, "callbacks": ...}``: CPU
seconds of SIZE runs of experiment E5, and how many callbacks the loop ran in them.
``LOOK_EVERY`` in the environment sets how often the priority loop looks for I/O.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.metadata
import json
import os
import sys
from collections.abc import Callable, Coroutine
from time import process_time
from typing import Any
from unittest import mock

__all__ = [
    "ASYNKIT",
    "CHAINS",
    "CLIENTS",
    "IN_USE",
    "LONG_LEASE",
    "OURS",
    "STOCK",
    "WAYS",
    "WORKS",
    "main",
]

STOCK = "stock loop"
OURS = "PriorityEventLoop"
IN_USE = "PriorityEventLoop, priorities in use"
ASYNKIT = "asynkit"
CHAINS = 100  # callbacks, or tasks, that are ready at any time
CLIENTS = 10

# The ways to serve the most urgent first, and none.
WAYS = (STOCK, "protocol", "protocol, settle=1", "gate", "priority loop")
LONG_LEASE = 10_000  # seconds: the stock loop loses no message either, and works on
ENOUGH = 10**12  # callbacks


class NotDoneError(Exception):
    """The loop did not do the work that it was given."""


def new_loop(row: str) -> asyncio.AbstractEventLoop:
    """The loop of a row."""
    if row == STOCK:
        return asyncio.SelectorEventLoop()
    if row in (OURS, IN_USE):
        from looplab.priority import PriorityEventLoop

        every = os.environ.get("LOOK_EVERY")
        if every is None:
            return PriorityEventLoop()
        return PriorityEventLoop(look_every=float(every))
    from asynkit.experimental.priority import PrioritySelectorEventLoop

    loop: asyncio.AbstractEventLoop = PrioritySelectorEventLoop()
    return loop


async def soon(size: int) -> int:
    """Callbacks that schedule the next one."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    left, ran = size, 0

    def callback() -> None:
        nonlocal left, ran
        ran += 1
        if left:
            left -= 1
            loop.call_soon(callback)
        elif not done.done():
            done.set_result(None)

    left -= CHAINS
    for _ in range(CHAINS):
        loop.call_soon(callback)
    await done
    return ran


async def yields(size: int) -> int:
    """Tasks that give their turn back."""
    ran = 0

    async def one() -> None:
        nonlocal ran
        for _ in range(size // CHAINS):
            await asyncio.sleep(0)
            ran += 1

    await asyncio.gather(*(one() for _ in range(CHAINS)))
    return ran


async def echo(size: int) -> int:
    """Clients that send 64 bytes over TCP and wait for them to come back."""
    answered = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(64):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def client() -> None:
        nonlocal answered
        reader, writer = await asyncio.open_connection(*address)
        for _ in range(size // CLIENTS):
            writer.write(b"x" * 64)
            await reader.readexactly(64)
            answered += 1
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()[:2]
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    server.close()
    return answered


Work = Callable[[int], Coroutine[Any, Any, int]]
WORKS: dict[str, Work] = {"soon": soon, "yields": yields, "echo": echo}


def consume(row: str, size: int) -> float:
    """CPU seconds of the lease consumer with so many messages."""
    from looplab.priority import ByPriority, PriorityGate, PriorityProtocol
    from ontime.leases import LeaseSettings, consume

    schedulers = {
        "loop": ByPriority,
        "gate": PriorityGate,
        "protocol": PriorityProtocol,
    }
    settings = LeaseSettings(messages=size)
    settle()
    start = process_time()
    run = consume(settings, schedulers[row]())
    cpu = process_time() - start
    if run.processed != size:
        raise NotDoneError(f"{run.processed} of {size} messages were processed")
    return cpu


def urgent() -> Any:
    """The context of urgent code."""
    from looplab.priority.context import context_with

    return context_with(1)


def way(row: str) -> Any:
    """A new scheduler of a row."""
    from looplab.priority import ByPriority, PriorityGate, PriorityProtocol

    schedulers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        PriorityProtocol,
        lambda: PriorityProtocol(settle=1),
        PriorityGate,
        ByPriority,
    )
    return dict(zip(WAYS, schedulers, strict=True))[row]()


def replay(row: str) -> Any:
    """One run of experiment E5, with a lease that nobody can lose."""
    from ontime.leases import LeaseSettings, consume

    run = consume(LeaseSettings(lease=LONG_LEASE), way(row))
    if run.lost or run.processed != run.settings.messages:
        raise NotDoneError(f"{run.lost} messages were lost")
    return run


def count_callbacks(row: str) -> int:
    """How many callbacks the loop runs in experiment E5: the same in every run."""
    from looplab.clock import VirtualTimeLoop

    loops: list[Any] = []
    make = VirtualTimeLoop.__init__

    def make_counting(loop: Any, *args: Any, **options: Any) -> None:
        make(loop, *args, **options, max_steps=ENOUGH)
        loops.append(loop)

    with mock.patch.object(VirtualTimeLoop, "__init__", make_counting):
        replay(row)
    return sum(ENOUGH - loop._steps_left for loop in loops)


def rate(row: str, runs: int) -> dict[str, Any]:
    """CPU seconds of so many runs of experiment E5, and the callbacks in them."""
    callbacks = runs * count_callbacks(row)
    settle()
    start = process_time()
    for _ in range(runs):
        replay(row)
    cpu = process_time() - start
    return {"cpu": cpu, "version": None, "callbacks": callbacks}


def settle() -> None:
    """Keep what the imports made away from the garbage collector, then begin."""
    # A socket's buffer of 256 KiB comes from the system each time, until the C library
    # has seen a greater block go.  Some imports show it one; so does this, for all.
    bytes(bytearray(1 << 20))
    gc.collect()
    gc.freeze()


def measure(work: str, row: str, size: int) -> float:
    """CPU seconds of the work."""
    if work == "leases":
        return consume(row, size)
    loop = new_loop(row)

    async def main() -> tuple[int, float]:
        if row == IN_USE:
            # The work itself has priority 0: what waits elsewhere brings them into use.
            loop.call_later(3_600, int, context=urgent())
        settle()
        start = process_time()
        done = await WORKS[work](size)
        cpu = process_time() - start
        if sys.argv[4:] == ["bare"]:
            print(json.dumps({"cpu": cpu, "version": None}), flush=True)
            os._exit(0)
        await asyncio.sleep(0.05)  # the server's last lines
        return done, cpu

    try:
        done, cpu = loop.run_until_complete(main())
    finally:
        loop.close()
    if not size <= done < size + CHAINS:
        raise NotDoneError(f"{done} of {size} were done")
    return cpu


def answer(work: str, row: str, size: int) -> dict[str, Any]:
    """What the process prints."""
    try:
        if work == "callbacks":
            return rate(row, size)
        cpu = measure(work, row, size)
    except ModuleNotFoundError as error:
        return {"why": "not installed", "detail": str(error)}
    except Exception as error:
        kind = type(error).__name__
        return {"why": f"failed with {kind}", "detail": f"{kind}: {error}"}
    version = importlib.metadata.version("asynkit") if row == ASYNKIT else None
    return {"cpu": cpu, "version": version}


def main() -> None:
    """Measure what the command line names."""
    work, row, size = sys.argv[1:4]
    print(json.dumps(answer(work, row, int(size))))


if __name__ == "__main__":
    main()
