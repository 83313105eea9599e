"""The ways in which a task on a loop can wait for what another thread sends."""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib
import importlib.util
import math
import queue
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

__all__ = ["INBOXES", "WAYS", "Inbox", "Question", "missing"]


@dataclass(frozen=True, slots=True)
class Question:
    """A message of the caller, and where the answer goes."""

    message: Any
    answer: concurrent.futures.Future[Any]


class Inbox(ABC):
    """Takes messages from any thread and gives them to a task of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop

    @abstractmethod
    def put(self, item: Question) -> None: ...

    @abstractmethod
    async def get(self) -> Question: ...

    async def close(self) -> None:
        """On the loop, when nothing more will be taken."""
        return


class _Poll(Inbox):
    """Ask in every iteration whether something is there."""

    pause = 0.0

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.queue: queue.Queue[Question] = queue.Queue()

    def put(self, item: Question) -> None:
        self.queue.put(item)

    async def get(self) -> Question:
        while self.queue.empty():  # noqa: ASYNC110 - this is the case
            await asyncio.sleep(self.pause)
        return self.queue.get_nowait()


class _Nap(_Poll):
    """The quick fix: the same with a real sleep."""

    pause = 0.001


class _Queue(Inbox):
    """The loop's own queue; the caller asks the loop to put the message into it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        # No bound: one caller, who waits for each answer.
        self.queue: asyncio.Queue[Question] = asyncio.Queue()  # noqa: LAG101

    def put(self, item: Question) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, item)

    async def get(self) -> Question:
        return await self.queue.get()


class _Event(_Poll):
    """A thread queue, and an event of the loop that says when to look into it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.arrived = asyncio.Event()

    def put(self, item: Question) -> None:
        self.queue.put(item)
        self.loop.call_soon_threadsafe(self.arrived.set)

    async def get(self) -> Question:
        while self.queue.empty():
            self.arrived.clear()
            await self.arrived.wait()
        return self.queue.get_nowait()


class _AnyIO(Inbox):
    """A pair of memory object streams of anyio."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        anyio = importlib.import_module("anyio")
        self.sender, self.receiver = anyio.create_memory_object_stream(math.inf)

    def put(self, item: Question) -> None:
        self.loop.call_soon_threadsafe(self.sender.send_nowait, item)

    async def get(self) -> Question:
        return await self.receiver.receive()  # type: ignore[no-any-return]

    async def close(self) -> None:
        self.sender.close()
        self.receiver.close()


class _Janus(Inbox):
    """A queue of janus, which has one side for threads and one for tasks."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.queue: Any = importlib.import_module("janus").Queue()

    def put(self, item: Question) -> None:
        self.queue.sync_q.put(item)

    async def get(self) -> Question:
        return await self.queue.async_q.get()  # type: ignore[no-any-return]

    async def close(self) -> None:
        await self.queue.aclose()


INBOXES: dict[str, type[Inbox]] = {
    "poll": _Poll,
    "nap": _Nap,
    "queue": _Queue,
    "event": _Event,
    "anyio": _AnyIO,  # these two need a package of that name
    "janus": _Janus,
}

#: The ways in which a session's task can wait.
WAYS: tuple[str, ...] = tuple(INBOXES)


def missing(way: str) -> str:
    """Why *way* cannot run here, as a sentence; empty if it can."""
    if way not in ("anyio", "janus") or importlib.util.find_spec(way) is not None:
        return ""
    return f"the way {way!r} needs the package {way}: pip install {way}"
