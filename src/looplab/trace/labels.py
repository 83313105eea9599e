"""What a callback is called in a trace: its task, and the name of its code."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

__all__ = ["coroutine_name", "describe"]


def describe(handle: asyncio.Handle) -> tuple[str | None, str, int | None] | None:
    """Return task name, label and ``None`` for the due time; ``None`` if cancelled."""
    if handle._cancelled:
        return None
    callback: Any = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if owner is not None and (
        type(callback).__name__ == "TaskStepMethWrapper"
        or getattr(callback, "__name__", "") in _STEPS
    ):
        try:
            return owner.get_name(), coroutine_name(owner.get_coro()), None
        except AttributeError:  # not a task after all
            pass
    while isinstance(callback, partial):
        callback = callback.func
    try:
        label = callback.__qualname__
    except AttributeError:
        label = type(callback).__qualname__
    return None, label, None


# The callbacks that run a step of a task: of C and of Python tasks.
_STEPS = frozenset(
    ["task_wakeup", "__step", "__wakeup", "_Task__step", "_Task__wakeup"]
)


def coroutine_name(coro: Any) -> str:
    name = getattr(coro, "__qualname__", None)
    return name if isinstance(name, str) else type(coro).__qualname__
