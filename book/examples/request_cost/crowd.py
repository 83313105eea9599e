"""CPU time of a request that waits twice, with many requests under way at once.

``python -m request_cost.crowd WAY CLIENTS`` prints the CPU microseconds of one request.
WAY is ``sequence`` or ``gather``. Each of CLIENTS tasks sends one request after the
other, and a request waits twice for 10 ms.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["WAYS", "cpu_of_a_request"]

WAIT = 0.010  # seconds
REQUESTS = 2000  # in all, or a few for each client
HERE = Path(__file__).resolve().parent


async def sequence() -> None:
    """The two waits one after the other."""
    await asyncio.sleep(WAIT)
    await asyncio.sleep(WAIT)


async def gather() -> None:
    """The two waits at once."""
    await asyncio.gather(asyncio.sleep(WAIT), asyncio.sleep(WAIT))


WAYS = {"sequence": sequence, "gather": gather}


async def measure(way: str, clients: int) -> float:
    """CPU seconds of one request."""
    request = WAYS[way]
    each = max(3, min(100, REQUESTS // clients))

    async def client() -> None:
        for _ in range(each):
            await request()

    async def crowd() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(clients):
                tasks.create_task(client())

    await asyncio.gather(*(request() for _ in range(clients)))  # warm up
    before = time.process_time()
    await crowd()
    return (time.process_time() - before) / (each * clients)


def cpu_of_a_request(way: str, clients: int) -> float:
    """The same in a fresh process.

    Raises:
        KeyError: there is no such way.
        ValueError: there is no client.
    """
    if way not in WAYS:
        raise KeyError(f"{way!r} is no way: give one of {', '.join(WAYS)}")
    if clients < 1:
        raise ValueError(f"{clients} clients send no request: give 1 or more")
    command = [sys.executable, "-m", "request_cost.crowd", way, str(clients)]
    printed = subprocess.check_output(command, cwd=HERE.parent, text=True)
    return float(printed) / 1e6


if __name__ == "__main__":
    print(asyncio.run(measure(sys.argv[1], int(sys.argv[2]))) * 1e6)
