"""Whether this Python's event loop is the one that the priority loop was made for."""

from __future__ import annotations

import asyncio
import sys
from asyncio import base_subprocess, selector_events
from typing import Any

__all__ = ["NEEDED", "UnsupportedLoopError", "check_stock_loop"]


class UnsupportedLoopError(RuntimeError):
    """This Python's event loop is not the one that the priority loop was made for."""


# What the stock loop must have for this one to work, and where.
NEEDED = (
    "_clock_resolution",
    "_ready",
    "_scheduled",
    "_selector",
    "_timer_cancelled_count",
)
_METHODS = (
    "_add_callback",
    "_add_callback_signalsafe",
    "_check_callback",
    "_check_closed",
    "_make_subprocess_transport",
    "_process_events",
    "_remove_reader",
    "_remove_writer",
    "_run_once",
    "_start_serving",
    "_write_to_self",
)
_HANDLE = {
    "__weakref__",
    "_args",
    "_callback",
    "_cancelled",
    "_context",
    "_loop",
    "_repr",
    "_source_traceback",
}
_USED_BY_RUN_ONCE = ("_ready", "_scheduled", "_process_events", "popleft", "append")


def check_stock_loop() -> None:
    """Raise unless asyncio's loop is built as this module expects.

    Raises:
        UnsupportedLoopError: it is not.
    """
    base: Any = asyncio.SelectorEventLoop
    missing = [name for name in _METHODS if not hasattr(base, name)]
    code = getattr(getattr(base, "_run_once", None), "__code__", None)
    if code is not None:
        missing += [
            f"{name} in _run_once()"
            for name in _USED_BY_RUN_ONCE
            if name not in code.co_names
        ]
    if not hasattr(base_subprocess.BaseSubprocessTransport, "_call"):
        missing.append("_call() of subprocesses")
    transport: Any = getattr(selector_events, "_SelectorSocketTransport", None)
    if not hasattr(transport, "_call_connection_lost"):
        missing.append("_call_connection_lost() of connections")
    if set(asyncio.Handle.__slots__) != _HANDLE:
        missing.append("Handle of the known slots")
    if missing or code is None:
        raise UnsupportedLoopError(
            "PriorityEventLoop puts a queue of its own into asyncio's selector loop, "
            f"and in Python {sys.version.split()[0]} that loop has no "
            f"{', '.join(missing) or '_run_once() in Python'}: use a Python from 3.11 "
            "to 3.14, or PriorityGate, which needs no private part of asyncio"
        )
