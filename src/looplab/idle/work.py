"""What a callback of a loop will run, in words."""

from __future__ import annotations

import asyncio
from pathlib import PurePath
from typing import Any

__all__ = ["work_of"]

#: A task is shown at the line of the program, not at one of these libraries'.
_LIBRARIES = ("asyncio", "anyio")


def work_of(handle: asyncio.Handle) -> str:
    """The task and the line of it, or the name of the callback."""
    callback = getattr(handle, "_callback", None)
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        name = getattr(callback, "__qualname__", None) or type(callback).__qualname__
        return f"callback {name}"
    place = ""
    step: Any = task.get_coro()
    while step is not None:
        frame = getattr(step, "cr_frame", None) or getattr(step, "gi_frame", None)
        if frame is not None:
            file = PurePath(frame.f_code.co_filename)
            if not place or not set(file.parts) & set(_LIBRARIES):
                name = frame.f_code.co_name
                place = f"{file.name}:{frame.f_lineno} in {name}"
        step = getattr(step, "cr_await", None) or getattr(step, "gi_yieldfrom", None)
    return (
        f"task {task.get_name()!r} at {place}" if place else f"task {task.get_name()!r}"
    )
