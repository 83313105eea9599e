"""Run one tangled program on the virtual-time loop and print its trace.

    python determinism_program.py SRC SEED

First the memory is filled with junk that depends on the seed, and with the tasks of
another loop.
"""

from __future__ import annotations

import os
import random
import sys

sys.path.insert(0, sys.argv[1])

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from looplab.clock import burn, run

dice = random.Random(int(sys.argv[2]))
JUNK: list[object] = [bytearray(dice.randrange(600)) for _ in range(2_000)]
for _ in range(dice.randrange(600)):
    JUNK.pop(dice.randrange(len(JUNK)))
other = asyncio.new_event_loop()
JUNK.extend(other.create_task(asyncio.sleep(1)) for _ in range(dice.randrange(60)))


def program(trace: list[str]) -> Any:
    loop: asyncio.AbstractEventLoop
    open_generators: list[AsyncIterator[int]] = []
    JUNK.append(open_generators)  # so that the loop's shutdown finds them open

    def say(what: str) -> None:
        trace.append(f"{loop.time():.9f} {what}")

    async def work(name: str, seconds: float, fail: bool = False) -> str:
        try:
            await asyncio.sleep(seconds)
            burn(0.0001)
            if fail:
                raise ValueError(name)
        except asyncio.CancelledError:
            say(f"{name} cancelled")
            await asyncio.sleep(0)
            say(f"{name} cleaned")
            raise
        else:
            say(f"{name} done")
            return name

    async def numbers(name: str) -> AsyncIterator[int]:
        try:
            while True:
                await asyncio.sleep(0.001)
                yield 1
        finally:
            await asyncio.sleep(0)
            say(f"{name} closed")

    async def groups() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for i in range(40):
                    group.create_task(work(f"child {i}", 0.001 * (i % 7 + 1), i == 23))
        except* ValueError as failed:
            say(f"failed {failed.exceptions}")

    async def waits() -> None:
        first = {asyncio.create_task(work(f"wait {i}", 0.002)) for i in range(30)}
        done, pending = await asyncio.wait(
            first, timeout=0.0025, return_when=asyncio.FIRST_COMPLETED
        )
        say(f"{[task.get_name() for task in done]} before")
        say(f"{[task.get_name() for task in pending]} left")
        for task in pending:
            task.cancel()
        futures = {loop.create_future() for _ in range(20)}
        for number, future in enumerate(futures):
            future.add_done_callback(lambda _, number=number: say(f"future {number}"))
            loop.call_soon(future.set_result, number)
        await asyncio.wait(futures)

    async def completed() -> None:
        works = [asyncio.create_task(work(f"each {i}", 0.003)) for i in range(25)]
        for each in asyncio.as_completed(works):
            say(f"{await each} came")

    async def main() -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        await groups()
        await waits()
        await completed()
        for i in range(12):
            generator = numbers(f"generator {i}")
            open_generators.append(generator)
            await anext(generator)
        # What is left to be cancelled has numbers that collide in a set.
        for i in range(1_000):
            each = asyncio.create_task(work(f"left {i}", 0.0 if i % 64 else 1e6))
            if i % 64:
                await each

    return main()


lines: list[str] = []
run(program(lines))
print("\n".join(lines), flush=True)
os._exit(0)  # the junk needs no clearing up
