"""LAG201: a ``while`` loop that idles with ``sleep(0)``."""

from __future__ import annotations

from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from ..polls import poll
from .lag203 import THREAD

RULE = Rule("LAG201", "polling with sleep(0)")

_POLLS = (
    "sleep(0) in a while loop polls and keeps a core busy: await get(), wait() or a "
    "future that the other side sets"
)


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` with which a loop asks again and again."""
    for call in file.sleeps.zero:
        polled = poll(file.sleeps, call)
        if polled is not None and polled.thread:
            yield Report(call, THREAD.format(delay=0), "lag203-thread")
        elif polled is not None:
            yield Report(call, _POLLS)
