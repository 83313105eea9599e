"""LAG203: a loop that polls with a short delay, or polls a queue."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule, shorten
from ..polls import poll

RULE = Rule("LAG203", "polling with a short delay")

_DELAY = (
    "sleep({delay}) in a loop asks again and again: await an event or a future that "
    "the other side sets"
)
_TAKES = (
    "sleep({delay}) in a loop polls {name}: await get() of an asyncio.Queue, which "
    "returns as soon as there is an item"
)
_TAKES_THREAD = (
    "sleep({delay}) in a loop polls a queue of threads: await asyncio.to_thread("
    "{name}.get), or fill an asyncio.Queue"
)
THREAD = (
    "sleep({delay}) asks for what a thread does: there loop.call_soon_threadsafe("
    "event.set), here await event.wait()"
)

_THREAD_QUEUES = frozenset(
    f"{module}.{name}"
    for module in ("queue", "multiprocessing")
    for name in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue")
)


def check(file: File) -> Iterator[Report]:
    """Each short sleep with which a loop asks again and again."""
    for call, seconds in file.sleeps.short.items():
        polled = poll(file.sleeps, call) if seconds else None
        if polled is None:
            continue
        section, template, name = "", _DELAY, ""
        if polled.taken is not None:
            name = ast.unparse(polled.taken)
            is_thread = file.objects.kinds(polled.taken) & _THREAD_QUEUES
            template = _TAKES_THREAD if is_thread else _TAKES
        elif polled.thread:
            section, template = "lag203-thread", THREAD
        template = template.replace("{delay}", f"{seconds:g}")
        yield Report(call, shorten(template, name, "queue"), section)
