"""Where threads are: the line that a slow callback is at, and what the others do.

A look takes the interpreter for some microseconds.  While a call into C keeps the
interpreter, no look is possible; the first one after it still finds the caller's line,
and stands for all the time that passed.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .naming import is_own, is_pythons, is_recorders
from .tags import recorders

__all__ = [
    "Stack",
    "sample_stack",
    "source_line",
    "watch_collector",
    "where_others_are",
]

_DEEP = 400  # frames on the way out to the program
_KEPT = 24  # frames of a stack that are looked at
_FILES = 5000  # of which is remembered whose they are
_ENDS = frozenset(["_run", "_run_once", "run_forever", "run_until_complete"])
# A thread that is in one of these waits for work.
_WAITING = frozenset(
    [
        ("threading.py", "wait"),
        ("threading.py", "join"),
        ("threading.py", "_wait_for_tstate_lock"),
        ("queue.py", "get"),
        ("thread.py", "_worker"),
        ("selectors.py", "select"),
        ("selectors.py", "_select"),
        ("connection.py", "_recv"),
        ("connection.py", "wait"),
        ("socket.py", "accept"),
        ("socketserver.py", "serve_forever"),
        ("poll.py", "poll"),
    ]
)
_PAUSE_NS = 1_000_000  # a shorter pause of the collector is not worth a line

#: Code objects, and at which instruction of each a thread was; the innermost first.
Stack = tuple[tuple[CodeType, ...], tuple[int, ...]]


def sample_stack(frame: FrameType | None) -> Stack:
    """Return where a thread is, for :func:`source_line`, which takes longer.

    The frames go out to the first one of the program itself, which is what a report
    names, and never beyond the callback.  Where there is none they go to the first one
    that is not Python's own.
    """
    seen: list[FrameType] = []
    end = 0
    deep = 0
    while frame is not None and deep < _DEEP:
        deep += 1
        code = frame.f_code
        try:
            whose = _whose[code.co_filename]
        except KeyError:
            whose = _learnt(code.co_filename)
        if whose == _LOOPS and code.co_name in _ENDS:
            break
        if len(seen) == _KEPT:
            seen.pop()  # both ends say most
        seen.append(frame)
        if whose == _OWN and code.co_name != "<module>":  # who imports it says more
            end = len(seen)
            break
        if whose >= _LIBRARYS and not end:
            end = len(seen)
        frame = frame.f_back
    kept = seen[: end or 1]
    return tuple([frame.f_code for frame in kept]), tuple(
        [frame.f_lasti for frame in kept]
    )


_PYTHONS, _LOOPS, _LIBRARYS, _OWN = range(4)
_whose: dict[str, int] = {}  # code, by the file


def _learnt(file: str) -> int:
    if is_own(file):
        whose = _OWN
    elif file.endswith(("events.py", "clock.py", "loop.py")):
        whose = _LOOPS
    elif is_pythons(file) or is_recorders(file):
        whose = _PYTHONS  # a report names neither where there is another
    else:
        whose = _LIBRARYS
    if len(_whose) >= _FILES:
        _whose.clear()
    _whose[file] = whose
    return whose


def source_line(code: CodeType, place: int) -> int:
    """Return the line of an instruction."""
    for begin, end, line in code.co_lines():
        if begin <= place < end and line is not None:
            return line
    return code.co_firstlineno


def where_others_are(
    frames: dict[int, FrameType], without: set[int]
) -> list[tuple[str, tuple[CodeType, int]]]:
    """Return (name, place) of the threads that are not waiting for work."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    busy = []
    for ident, frame in frames.items():
        if ident in without:
            continue
        code = frame.f_code
        if (code.co_filename.rpartition(os.sep)[2], code.co_name) in _WAITING:
            continue
        place = _callers_place(frame)
        busy.append((names.get(ident, f"thread {ident}"), place))
    return busy


def _callers_place(frame: FrameType) -> tuple[CodeType, int]:
    """The innermost place that is not in the standard library."""
    outer: FrameType | None = frame
    while outer is not None:
        if not outer.f_code.co_filename.startswith(_STDLIB):
            return outer.f_code, outer.f_lineno or outer.f_code.co_firstlineno
        outer = outer.f_back
    return frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno


_STDLIB = (os.__file__.rpartition(os.sep)[0] + os.sep, "<frozen")


def watch_collector() -> Callable[[], None]:
    """Note the garbage collector's pauses of recorded loops; return what undoes it."""
    began: dict[int, int] = {}

    def noticed(phase: str, info: dict[str, int]) -> None:
        ident = threading.get_ident()
        recorder: Any = recorders.get(ident)
        if recorder is None:
            return
        if phase == "start":
            began[ident] = time.monotonic_ns()
            return
        held = time.monotonic_ns() - began.pop(ident, time.monotonic_ns())
        if held >= _PAUSE_NS and (callback := recorder.running()[0]) >= 0:
            recorder.pauses.append((callback, held, info["generation"]))

    gc.callbacks.append(noticed)

    def undo() -> None:
        if noticed in gc.callbacks:
            gc.callbacks.remove(noticed)

    return undo
