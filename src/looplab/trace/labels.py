"""What a callback is called in a trace: its task, and the name of its code."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

__all__ = ["STEPS", "coroutine_name", "describe"]


def describe(handle: asyncio.Handle) -> tuple[str | None, str] | None:
    """Return the name of the task and the label; ``None`` if *handle* is cancelled."""
    if handle._cancelled:
        return None
    callback: Any = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if owner is not None and (
        type(callback).__name__ == "TaskStepMethWrapper"
        or getattr(callback, "__name__", "") in STEPS
    ):
        try:
            return owner.get_name(), coroutine_name(owner.get_coro())
        except AttributeError:  # not a task after all
            pass
    while isinstance(callback, partial):
        callback = callback.func
    label = getattr(callback, "__qualname__", None)
    return None, type(callback).__qualname__ if label is None else label


#: The callbacks that run a step of a task: of C and of Python tasks.
STEPS = frozenset(["task_wakeup", "__step", "__wakeup", "_Task__step", "_Task__wakeup"])


def coroutine_name(coro: Any) -> str:
    """The qualified name of a coroutine, or of its class."""
    name = getattr(coro, "__qualname__", None)
    return name if isinstance(name, str) else type(coro).__qualname__
