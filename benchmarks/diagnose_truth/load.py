"""The client: sends requests when they are due, whatever became of those before.

Run in a process of its own, with the standard library only: ``python load.py PORT
SECONDS SEED METHOD:PATH:RATE…``.  A latency counts from the moment at which the request
was due, so that a server that stalls cannot make the client ask less.  Prints
``path,seconds`` for each request.
"""

from __future__ import annotations

import asyncio
import random
import sys


async def ask(port: int, method: str, path: str, due: float = 0) -> tuple[str, float]:
    """Ask on a connection of its own when it is due; the path and the seconds since."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(due - loop.time())
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        writer.write(f"{head}Connection: close\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        status = await reader.readline()
        if b" 200 " not in status:
            raise ValueError(f"{path} answered {status!r}")
        await reader.read()
    finally:
        writer.close()
    return path, loop.time() - due


async def wait_until_up(port: int, method: str, path: str) -> None:
    """Ask until the server answers."""
    while True:
        try:
            await ask(port, method, path)
        except (OSError, ValueError):
            await asyncio.sleep(0.1)
        else:
            return


async def main(port: int, seconds: float, seed: int, wanted: list[str]) -> None:
    """Send all and print what each took."""
    dice = random.Random(seed)
    plan: list[tuple[float, str, str]] = []
    parts = [each.split(":") for each in wanted]
    await asyncio.wait_for(wait_until_up(port, *parts[0][:2]), 120)
    for method, path, rate in parts:
        at = dice.expovariate(float(rate))
        while at < seconds:
            plan.append((at, method, path))
            at += dice.expovariate(float(rate))
    start = asyncio.get_running_loop().time() + 0.5
    tasks = [
        asyncio.create_task(ask(port, method, path, start + at))
        for at, method, path in plan
    ]
    for path, took in await asyncio.gather(*tasks):
        print(f"{path},{took:.6f}")


if __name__ == "__main__":
    first, *rest = sys.argv[1:]
    asyncio.run(main(int(first), float(rest[0]), int(rest[1]), rest[2:]))
