"""What a callback is: the name of its task, and its code."""

from __future__ import annotations

from functools import partial
from types import BuiltinMethodType, CodeType, CoroutineType, FunctionType, MethodType
from typing import Any

from looplab.trace.labels import STEPS, coroutine_name

# Learnt where they are met, since to find them takes most of the time.
#: The types of callback that run a step of a task, as far as they were met.
STEP_WRAPPERS: set[type] = set()
_of_plumbing: dict[tuple[Any, type], Any] = {}
_KNOWN = 500  # who makes classes on and on does not fill the memory


def describe(callback: Any) -> tuple[str | None, Any]:
    """Return the name of the task and what the callback is: a code object or a name."""
    kind = type(callback)
    if kind is BuiltinMethodType:
        name = callback.__name__
        if name != "task_wakeup":
            key = name, type(callback.__self__)
            try:
                return None, _of_plumbing[key]
            except KeyError:
                return None, _remembered(key, _describe_rarer(callback)[1])
    elif kind not in STEP_WRAPPERS:
        if kind is FunctionType:
            return None, callback.__code__
        if kind is not MethodType:
            return _describe_rarer(callback)
        function = callback.__func__
        protocol = getattr(callback.__self__, "_protocol", None)
        # A method may be made of anything; only a function surely has a hash.
        if protocol is None or type(function) is not FunctionType:
            return _describe_rarer(callback)
        kind = type(protocol)
        try:
            return None, _of_plumbing[function, kind]
        except KeyError:
            return None, _remembered((function, kind), _of_protocol(kind, callback))
    owner = callback.__self__
    try:
        coro = owner.get_coro()
        if type(coro) is CoroutineType:
            return owner.get_name(), coro.cr_code
    except AttributeError:  # not a task after all
        pass
    return _describe_rarer(callback)


def _remembered(key: tuple[Any, type], what: Any) -> Any:
    if len(_of_plumbing) >= _KNOWN:
        _of_plumbing.clear()
    _of_plumbing[key] = what
    return what


def _describe_rarer(callback: Any) -> tuple[str | None, Any]:
    owner = getattr(callback, "__self__", None)
    is_wrapper = type(callback).__name__ == "TaskStepMethWrapper"
    if owner is not None and (is_wrapper or getattr(callback, "__name__", "") in STEPS):
        try:
            step = owner.get_name(), code_of_coroutine(owner.get_coro())
        except AttributeError:  # not a task after all
            pass
        else:
            if is_wrapper:
                STEP_WRAPPERS.add(type(callback))
            return step
    protocol = getattr(owner, "_protocol", None)
    if protocol is not None:
        return None, _of_protocol(type(protocol), callback)
    while isinstance(callback, partial):
        callback = callback.func
    code = getattr(callback, "__code__", None)
    if type(code) is CodeType:
        return None, code
    name = getattr(callback, "__qualname__", None)
    return None, name if isinstance(name, str) else type(callback).__qualname__


def _of_protocol(kind: type, callback: Any) -> Any:
    """A transport is plumbing: what its data is for says the protocol."""
    name = getattr(callback, "__name__", "")
    if name == "_read_ready":
        method = getattr(kind, "data_received", None) or getattr(
            kind, "buffer_updated", None
        )
        code = getattr(method, "__code__", None)
        return code if type(code) is CodeType else f"{kind.__qualname__}.data_received"
    return f"{kind.__qualname__} ({name})"


def code_of_coroutine(coro: Any) -> Any:
    """Return the code object of a coroutine, or its name if it has none."""
    codes = (getattr(coro, name, None) for name in ("cr_code", "gi_code", "ag_code"))
    code = next((code for code in codes if type(code) is CodeType), None)
    return coroutine_name(coro) if code is None else code
