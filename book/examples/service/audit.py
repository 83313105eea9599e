"""The audit log: a thread with a loop of its own, which receives lines."""

from __future__ import annotations

import asyncio
import queue
import threading
import time

from .settings import Settings

__all__ = ["Audit"]

MOST_WAITING = 1_000


class Audit:
    """Takes lines from the loop of the service, and keeps the last ones.

    Use it inside ``with``.  Leaving the block waits until every line is kept.
    """

    def __init__(self, settings: Settings) -> None:
        self._polls = settings.has("poll")
        self._thread = threading.Thread(target=self._main, name="audit", daemon=True)
        self._ready = threading.Event()
        self._polled: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self.count = 0
        self.cpu = 0.0

    def __enter__(self) -> Audit:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._polls:
            self._polled.put(None)
        else:
            asyncio.run_coroutine_threadsafe(self._inbox.put(None), self._loop).result()
        self._thread.join()

    async def write(self, line: str) -> None:
        """Hand a line to the thread; wait if it has too many."""
        if self._polls:
            await asyncio.to_thread(self._polled.put, line)
        else:
            putting = self._inbox.put(line)
            handed = asyncio.run_coroutine_threadsafe(putting, self._loop)
            await asyncio.wrap_future(handed)

    def _main(self) -> None:
        asyncio.run(self._keep())

    async def _keep(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self._ready.set()
        while await (self._poll() if self._polls else self._inbox.get()) is not None:
            self.count += 1
            self.cpu = time.thread_time()

    async def _poll(self) -> str | None:
        while self._polled.empty():  # noqa: ASYNC110
            await asyncio.sleep(0)
        return self._polled.get_nowait()
