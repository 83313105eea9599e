"""Put recording into this process: every loop that runs from now on is recorded.

:func:`install` is called by the shim that ``looplab trace`` puts before a program, and
by ``looplab attach`` in one that runs already.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
from asyncio import base_events
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from . import adapters
from .imports import after_import
from .options import VARIABLE, Options
from .session import Session, say

_loops: Any = base_events.BaseEventLoop
_session: Session | None = None
_stock_run_forever: Callable[[Any], None] | None = None
#: What cannot be recorded: the function that starts it, and what is said of it.
_UNSEEN = {
    # It puts a run_forever() of its own into each loop.
    "nest_asyncio": ("apply", "nest_asyncio, whose loops are not recorded"),
    "trio": ("run", "trio, which has no asyncio loop to record"),
}


def session() -> Session | None:
    """The recording of this process, or None."""
    return _session


def install(options: Options | None = None) -> Session:
    """Record every loop that runs from now on; the default are the options of the
    environment.  The second call returns what the first one did."""
    global _session, _stock_run_forever
    if _session is not None and not _session.stopped:
        return _session
    _session = Session(options or Options.from_json(os.environ[VARIABLE]))
    if _stock_run_forever is None:
        _stock_run_forever = _loops.run_forever
        _loops.run_forever = _run_forever
    _end_at_sigterm()
    _prepare()
    return _session


@cache
def _prepare() -> None:
    """Once in a process: meet frameworks and forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_before_fork, after_in_parent=_after_fork, after_in_child=_forked
        )
    adapters.install()
    after_import("uvloop", _meet_uvloop)
    for name, (function, what) in _UNSEEN.items():
        after_import(name, partial(_meet, function, what))


def _end_at_sigterm() -> None:
    """A SIGTERM that would end the process at once ends the recording first.

    A server that stops in order often sends itself the signal again when it is done.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, frame: object) -> None:
    if _session is not None:
        with contextlib.suppress(Exception):
            _session.stop()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def uninstall() -> None:
    """Stop recording and leave asyncio as it was.  Adapters stay; they cost little."""
    global _session, _stock_run_forever
    if _session is not None:
        _session.stop()
        _session = None
    if _stock_run_forever is not None:
        _loops.run_forever = _stock_run_forever
        _stock_run_forever = None
    if signal.getsignal(signal.SIGTERM) is _terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run_forever(loop: Any) -> None:
    stock, current = _stock_run_forever or _loops.run_forever, _session
    is_virtual = hasattr(loop, "time_ns")
    if current is None or is_virtual:
        stock(loop)
        return
    current.loop_starts(loop)
    try:
        stock(loop)
    finally:
        current.loop_stops(loop)


def _before_fork() -> None:
    """The file must not be half written: the lock of its buffer would stay locked."""
    if _session is not None:
        _session.hold()


def _after_fork() -> None:
    if _session is not None:
        _session.release()


def _forked() -> None:
    """In a forked process: what it records goes into a file of its own."""
    global _session
    if _session is not None:
        _session.forget()
        _session = Session(_session.options)


def _meet_uvloop(module: Any) -> None:
    if _session is not None:
        module.Loop = asyncio.SelectorEventLoop
        say("uvloop is replaced by asyncio's own loop while it is recorded")


def _meet(function: str, what: str, module: Any) -> None:
    """Say, when *function* of *module* is called, that the program runs *what*."""
    stock = getattr(module, function)

    def called(*args: Any, **options: Any) -> Any:
        if _session is not None:
            say(f"the program runs {what}")
        return stock(*args, **options)

    setattr(module, function, called)


def attach_here(text: str) -> None:
    """Record the loops of this process that run, and those that will."""
    recording = install(Options.from_json(text))
    running = asyncio.events._get_running_loop()
    # The loops of other threads are known to nobody but the collector.
    for loop in gc.get_objects():
        if not isinstance(loop, asyncio.BaseEventLoop) or not loop.is_running():
            continue
        if loop is running or loop._thread_id == threading.get_ident():  # type: ignore[attr-defined]
            recording.loop_starts(loop)
        else:
            loop.call_soon_threadsafe(recording.loop_starts, loop)
