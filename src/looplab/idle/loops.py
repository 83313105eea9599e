"""Which event loops a process has, and which of them can be counted."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterable
from typing import Any

__all__ = [
    "Loop",
    "all_running",
    "checked",
    "is_running",
    "own_loop",
    "running_loops",
]

Loop = asyncio.AbstractEventLoop

#: Python 3.12 begins with some hundred frozen objects of its own.
_FROZEN_AT_START = gc.get_freeze_count()


def running_loops() -> list[Loop]:
    """The event loops of this process that are running, in any thread.

    Includes the one of the calling thread.  The garbage collector is asked for them, so
    that nobody has to hand them over.

    Raises:
        RuntimeError: ``gc.freeze()`` has hidden objects from the garbage collector
            since this module was imported, and loops may be among them.
    """
    if gc.get_freeze_count() > _FROZEN_AT_START:
        raise RuntimeError(
            "gc.freeze() has hidden objects of this process, and loops may be among "
            "them: call gc.unfreeze() first, or hand the loops over"
        )
    return [
        loop
        for loop in gc.get_objects()
        if issubclass(type(loop), asyncio.AbstractEventLoop) and is_running(loop)
    ]


def is_running(loop: Any) -> bool:
    """Whether a loop runs, as far as it can tell."""
    try:
        return bool(loop.is_running())
    except Exception:  # half made, or of a library with ideas of its own
        return False


def own_loop() -> Loop | None:
    """The loop that the calling thread runs, if there is one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def all_running() -> list[Loop]:
    """The running loops, of which there is one at least, and all can be counted."""
    loops = running_loops()
    if not loops:
        raise RuntimeError(
            "no event loop runs in this process: there is nothing to count. Count "
            "while it runs, or hand the loop over"
        )
    return checked(loops)


def checked(loops: Iterable[Any]) -> list[Loop]:
    """The loops, if the turns of each can be counted.

    Raises:
        TypeError: one is not an event loop, or its turns cannot be seen from Python.
        RuntimeError: one is closed.
    """
    loops = list(loops)
    for loop in loops:
        if not isinstance(loop, asyncio.AbstractEventLoop):
            raise TypeError(
                f"{loop!r} is not an event loop: hand over what "
                "asyncio.get_running_loop() returned, or nothing to watch all loops"
            )
        kind = type(loop)
        if not isinstance(loop, asyncio.BaseEventLoop) or _is_virtual(loop):
            raise TypeError(
                f"the turns of a {kind.__module__}.{kind.__qualname__} cannot be "
                "counted: use asyncio's own loop for this test"
            )
        if loop.is_closed():
            raise RuntimeError(f"{loop!r} is closed: count while it runs")
    return loops


def _is_virtual(loop: Loop) -> bool:
    """Whether one call of the loop's method runs many turns, as in looplab.clock.

    Where no such loop was ever made the module need not be there.
    """
    module = sys.modules.get("looplab.clock.loop")
    return module is not None and isinstance(loop, module.VirtualTimeLoop)
