"""Coroutine functions for test_cost.py to measure; it imports little, to be quick."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any


async def raises() -> None:
    raise ValueError("no good\nat all")


async def waits_for_ever() -> None:
    await asyncio.Event().wait()


async def spins() -> None:
    while True:
        pass


async def dies() -> None:
    os._exit(3)


async def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def leaves(path: str) -> None:
    """Start a process and wait; a link leads to its number."""
    sleeps = "import asyncio; asyncio.run(asyncio.sleep(100))"
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", sleeps)
    # A link is there at once and whole.
    await asyncio.to_thread(Path(path).symlink_to, str(child.pid))
    await asyncio.sleep(100)


def sign(path: str, name: str) -> None:
    with Path(path).open("a") as file:
        file.write(f"{name} {os.getpid()}\n")


async def signs_first(path: str) -> None:
    sign(path, "first")


async def signs_second(path: str) -> None:
    sign(path, "second")


async def speaks() -> None:
    print("{}" * 100)
    print("{}" * 100, file=sys.stderr)


async def double(number: int) -> int:
    assert number == 21
    return 2 * number


async def agen() -> Any:
    yield 1


async def in_two_threads() -> None:
    await asyncio.to_thread(sum, range(100_000))


def plain() -> None: ...


def mark() -> None:
    os.environ["MARKED"] = "yes"


async def wants_the_mark() -> None:
    assert os.environ["MARKED"] == "yes"


class Thing:
    async def method(self) -> None: ...

    @staticmethod
    async def static() -> None: ...


async def only_alone() -> None:
    task = asyncio.current_task()
    assert task is not None
    if "only_alone" in repr(task.get_coro()):
        raise RuntimeError("not in a task of mine")


async def fails_in_pyperf() -> None:
    if "pyperf" in sys.modules:
        raise OSError("later")


async def _replaced() -> None: ...


replaced = _replaced


async def _replaced() -> None: ...  # type: ignore[no-redef]


_seen: list[float] = []


async def slow_at_first() -> None:
    if not _seen:
        _seen.append(sum(number * number for number in range(1_000_000)))
