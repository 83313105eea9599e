"""LAG201: a ``while`` loop that idles with ``sleep(0)``."""

from __future__ import annotations

from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from ..sleeps import is_set_by_thread
from .lag203 import THREAD

RULE = Rule("LAG201", "polling with sleep(0)")

_POLLS = (
    "sleep(0) in a while loop polls and keeps a core busy: await get(), wait() or a "
    "future that the other side sets"
)


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` that a loop can go round with."""
    sleeps = file.sleeps
    for call in sleeps.zero:
        loops = sleeps.polled(call)
        if not loops or sleeps.undrained(call):
            continue
        if any(is_set_by_thread(file.objects, loop) for loop in loops):
            yield Report(call, THREAD.format(delay=0), "lag203-thread")
        else:
            yield Report(call, _POLLS)
