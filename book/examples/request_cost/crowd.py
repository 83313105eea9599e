"""CPU time of a request that waits twice, with many requests under way at once.

``python -m request_cost.crowd WAY CLIENTS [SPREAD]`` prints the CPU microseconds of one
request.  WAY is ``sequence`` or ``gather``. Each of CLIENTS tasks sends one request
after the other, and a request waits twice for about 10 ms: with a SPREAD of 0.3 each
wait is longer or shorter by up to 30 %, and no two clients begin at the same moment.
With 0 all are in step.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["WAYS", "cpu_of_a_request"]

WAIT = 0.010  # seconds
REQUESTS = 2000  # in all, or a few for each client
HERE = Path(__file__).resolve().parent


async def sequence(first: float, second: float) -> None:
    """The two waits one after the other."""
    await asyncio.sleep(first)
    await asyncio.sleep(second)


async def gather(first: float, second: float) -> None:
    """The two waits at once."""
    await asyncio.gather(asyncio.sleep(first), asyncio.sleep(second))


WAYS = {"sequence": sequence, "gather": gather}


async def measure(way: str, clients: int, spread: float) -> float:
    """CPU seconds of one request."""
    each = max(3, min(100, REQUESTS // clients))
    choose = random.Random(clients)

    async def client(begins: float, waits: list[tuple[float, float]]) -> None:
        if begins:
            await asyncio.sleep(begins)
        for first, second in waits:
            await WAYS[way](first, second)

    def wait() -> float:
        return WAIT * (1 + spread * choose.uniform(-1, 1))

    crowd = [  # drawn before: the choice is no part of the cost
        client(
            2 * WAIT * choose.random() if spread else 0.0,
            [(wait(), wait()) for _ in range(each)],
        )
        for _ in range(clients)
    ]
    await asyncio.gather(*(WAYS[way](WAIT, WAIT) for _ in range(clients)))  # warm up
    before = time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for coroutine in crowd:
            tasks.create_task(coroutine)
    return (time.process_time() - before) / (each * clients)


def cpu_of_a_request(way: str, clients: int, spread: float = 0.0) -> float:
    """The same in a fresh process."""
    command = [sys.executable, "-m", "request_cost.crowd"]
    command += [way, str(clients), str(spread)]
    printed = subprocess.check_output(command, cwd=HERE.parent, text=True)
    return float(printed) / 1e6


if __name__ == "__main__":
    chosen = float(sys.argv[3]) if sys.argv[3:] else 0.0
    print(asyncio.run(measure(sys.argv[1], int(sys.argv[2]), chosen)) * 1e6)
