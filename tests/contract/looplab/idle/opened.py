"""Loops in threads of their own, that poll or wait."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Opened", "Poller", "in_thread", "wait", "wait_until"]


def wait_until(condition: Callable[[], object]) -> None:
    while not condition():
        time.sleep(0.001)


@dataclass
class Opened:
    """A loop in a thread, and the way to end it."""

    loop: asyncio.AbstractEventLoop
    over: asyncio.Event
    thread: threading.Thread

    def end(self) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join()


@contextmanager
def in_thread(work: Callable[[], Any], *, name: str = "mine") -> Iterator[Opened]:
    """A loop in a thread: runs *work()* until the end of the block."""
    ready: queue.Queue[Any] = queue.Queue()

    async def main() -> None:
        over = asyncio.Event()
        ready.put((asyncio.get_running_loop(), over))
        task = asyncio.create_task(work(), name="work")
        await over.wait()
        task.cancel()

    thread = threading.Thread(target=lambda: asyncio.run(main()), name=name)
    thread.start()
    opened = Opened(*ready.get(), thread)
    try:
        yield opened
    finally:
        opened.end()


class Poller:
    """Asks again and again."""

    def __init__(self) -> None:
        self.asked = 0

    async def poll(self) -> None:
        while True:
            self.asked += 1
            await asyncio.sleep(0)

    def asks(self, times: int) -> Callable[[], bool]:
        """Whether it has asked so often again, since the first look."""
        began: list[int] = []

        def enough() -> bool:
            began.append(self.asked)
            return self.asked >= began[0] + times

        return enough


async def wait() -> None:
    await asyncio.Event().wait()
