"""The doors to the world, which are closed while a test of ``tests/fast`` runs.

A fast test has a virtual clock, a fake, or data: what it finds cannot depend on how
busy the machine is. So a real clock, a wait, a socket, a thread or a process raises
:class:`DoorError` there, in the test and in the code under test alike. A test that
needs one belongs in ``tests/contract``.
"""

from __future__ import annotations

import _thread
import functools
import multiprocessing.process
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["FAST", "DoorError", "closed_doors", "install"]

FAST = Path(__file__).parent / "fast"

CLOCKS = [
    f"{clock}{unit}"
    for clock in (
        "clock_gettime",
        "monotonic",
        "perf_counter",
        "process_time",
        "thread_time",
        "time",
    )
    for unit in ("", "_ns")
]

#: What Python tells of itself before it does it, and what that is for a reader.
EVENTS = {
    "os.exec": "a process",
    "os.fork": "a process",
    "os.forkpty": "a process",
    "os.posix_spawn": "a process",
    "os.spawn": "a process",
    "os.system": "a process",
    "socket.__new__": "a socket",
    "socket.getaddrinfo": "a look-up of an address",
    "subprocess.Popen": "a process",
}

#: These time the tests themselves, or date a line of a log.
EXEMPT = {"_pytest", "execnet", "hypothesis", "logging", "pluggy", "xdist"}

#: Packages whose modules may hold a clock by a name of their own.
OURS = {"livecells", "looplab", "ontime"}

_closed_for: str | None = None


class DoorError(pytest.fail.Exception):
    """A fast test went through a door; no ``except Exception`` hides it."""


def _refuse(door: str) -> None:
    raise DoorError(
        f"{door} in a fast test ({_closed_for}): give it the virtual clock or a fake, "
        "or move the test to tests/contract, where tests may touch the world"
    )


def _guarded(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def door(*args: Any) -> Any:
        if _closed_for is not None:
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if caller.partition(".")[0] not in EXEMPT:
                _refuse(f"{name}() was called")
        return original(*args)

    return door


def _hear(event: str, _: tuple[Any, ...]) -> None:
    if _closed_for is not None and event in EVENTS:
        _refuse(f"{EVENTS[event]} was started ({event})")


def install() -> None:
    """Put a guard at every door; what has been imported already gets it too."""
    guarded: dict[int, Callable[..., Any]] = {}
    for name in (*CLOCKS, "sleep"):
        if hasattr(time, name):  # not every system has each
            original = getattr(time, name)
            guarded[id(original)] = _guarded(f"time.{name}", original)
            setattr(time, name, guarded[id(original)])
    # A plugin of pytest's may have been loaded before, with clocks of its own.
    for module in [*sys.modules.values()]:
        if getattr(module, "__name__", "").partition(".")[0] in OURS:
            for name, value in [*vars(module).items()]:
                if id(value) in guarded:
                    setattr(module, name, guarded[id(value)])
    os.times = _guarded("os.times", os.times)
    sys.addaudithook(_hear)
    # Not every Python tells of these.
    start = _guarded("start_new_thread", _thread.start_new_thread)
    _thread.start_new_thread = start
    process, thread = multiprocessing.process.BaseProcess, threading.Thread
    process.start = _guarded("Process.start", process.start)  # type: ignore[method-assign]
    thread.start = _guarded("Thread.start", thread.start)  # type: ignore[method-assign]


@contextmanager
def closed_doors(test: str) -> Iterator[None]:
    """Close every door while ``test`` runs."""
    global _closed_for
    _closed_for = test
    try:
        yield
    finally:
        _closed_for = None
