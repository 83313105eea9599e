"""What the rules know of asyncio and of the libraries beside it."""

from __future__ import annotations

from collections.abc import Mapping

from .names import Signature


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


#: A file that imports none of these is not looked at.
LIBRARIES = ("asyncio", "anyio", "trio", "janus", "tornado")

_NAMES = ("Queue", "LifoQueue", "PriorityQueue")
_QUEUE = Signature(0, "maxsize")
_STREAM = Signature(0, "max_buffer_size", zero=False)

#: What makes a channel, and where its bound is passed.
CHANNELS: Mapping[str, Signature] = {
    **{
        f"{module}.{name}": _QUEUE
        for module in ("asyncio", "asyncio.queues", "tornado.queues", "janus")
        for name in _NAMES
    },
    "anyio.create_memory_object_stream": _STREAM,
    "trio.open_memory_channel": _STREAM,
}

#: Those that return two ends.
PAIRS = frozenset(("anyio.create_memory_object_stream", "trio.open_memory_channel"))

#: What sleeps, and where the delay is passed; None: it always is one iteration.
SLEEPS: Mapping[str, Signature | None] = {
    "asyncio.sleep": Signature(0, "delay"),
    "asyncio.tasks.sleep": Signature(0, "delay"),
    "anyio.sleep": Signature(0, "delay"),
    "trio.sleep": Signature(0, "seconds"),
    "tornado.gen.sleep": Signature(0, "duration"),
    "anyio.lowlevel.checkpoint": None,
    "trio.lowlevel.checkpoint": None,
}

#: What ``from module import *`` binds that matters here.
STAR: Mapping[str, tuple[str, ...]] = {
    "asyncio": (*_NAMES, "sleep"),
    "asyncio.queues": _NAMES,
    "asyncio.tasks": ("sleep",),
}

#: Functions that wait for what they are given.
WRAPPERS = frozenset(("gather", "run", "run_until_complete", "shield", "wait_for"))

#: Calls that make a task.
SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))

#: Calls that only say something.
SAYS = words("print debug info warning error log")

#: Locks of threads.
LOCKS = frozenset(
    f"threading.{name}"
    for name in ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore")
)
