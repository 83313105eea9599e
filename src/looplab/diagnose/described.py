"""What a callback is: the name of its task, and its code."""

from __future__ import annotations

from functools import partial
from types import CodeType, FunctionType
from typing import Any

__all__ = ["code_of_coroutine", "describe"]

# The callbacks that run a step of a task: of C and of Python tasks.
_STEPS = frozenset(
    ["task_wakeup", "__step", "__wakeup", "_Task__step", "_Task__wakeup"]
)


def describe(callback: Any) -> tuple[str | None, Any]:
    """Return the name of the task and what the callback is: a code object or a name."""
    if type(callback) is FunctionType:
        return None, callback.__code__
    owner = getattr(callback, "__self__", None)
    if owner is not None:
        if (
            type(callback).__name__ == "TaskStepMethWrapper"
            or getattr(callback, "__name__", "") in _STEPS
        ):
            try:
                return owner.get_name(), code_of_coroutine(owner.get_coro())
            except AttributeError:  # not a task after all
                pass
        protocol = getattr(owner, "_protocol", None)
        if protocol is not None:
            return None, _of_protocol(protocol, callback)
    while isinstance(callback, partial):
        callback = callback.func
    code = getattr(callback, "__code__", None)
    if type(code) is CodeType:
        return None, code
    name = getattr(callback, "__qualname__", None)
    return None, name if isinstance(name, str) else type(callback).__qualname__


def _of_protocol(protocol: Any, callback: Any) -> Any:
    """A transport is plumbing: what its data is for says the protocol."""
    name = getattr(callback, "__name__", "")
    kind = type(protocol)
    if name == "_read_ready":
        method = getattr(kind, "data_received", None) or getattr(
            kind, "buffer_updated", None
        )
        code = getattr(method, "__code__", None)
        return code if type(code) is CodeType else f"{kind.__qualname__}.data_received"
    return f"{kind.__qualname__} ({name})"


def code_of_coroutine(coro: Any) -> Any:
    """Return the code object of a coroutine, or its name if it has none."""
    for name in ("cr_code", "gi_code", "ag_code"):
        code = getattr(coro, name, None)
        if type(code) is CodeType:
            return code
    label = getattr(coro, "__qualname__", None)
    return label if isinstance(label, str) else type(coro).__qualname__
