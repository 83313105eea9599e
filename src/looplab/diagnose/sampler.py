"""What the sampler's thread sees: where threads are, and where waiting came from.

A look takes the interpreter for some microseconds.  While a call into C keeps the
interpreter, no look is possible; the first one after it still finds the caller's line,
and stands for all the time that passed.  A fast request pays nothing for any of it.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .naming import is_own, is_pythons, is_recorders
from .tags import recorders

_DEEP = 400  # frames on the way out to the program
_KEPT = 24  # frames of a stack that are looked at
_ENDS = frozenset(["_run", "_run_once", "run_forever", "run_until_complete"])
_LOOPS = ("events.py", "clock.py", "loop.py")  # where they are
# A thread that is in one of these waits for work.
_WAITING = {
    "threading.py": {"wait", "join", "_wait_for_tstate_lock"},
    "queue.py": {"get"},
    "thread.py": {"_worker"},
    "selectors.py": {"select", "_select"},
    "connection.py": {"_recv", "wait"},
    "socket.py": {"accept"},
    "socketserver.py": {"serve_forever"},
    "poll.py": {"poll"},
}
_PAUSE_NS = 1_000_000  # a shorter pause of the collector is not worth a line
_SPARSE = 3  # one look in so many at callbacks that began just before it
_LONG_NS = 5_000_000  # a callback that runs so long makes other threads of interest
_LATE_NS = 4_000_000  # a look is late if it comes so much after its time
_SILENT_NS = 25_000_000  # and so late that something kept the interpreter
_SHORT_NS = 1_000_000  # of a core, in one look
_BUSY_NS = 200_000  # a thread that used so much is looked at again
_USED_NS = 500_000  # and one that used so much may explain a wait
_EVERY = 50  # looks between two readings of threads that rest
_TASKS = 64  # looked at in one look
_UNDER_WAY_NS = 10_000_000  # a younger request may be done at any moment

#: Code objects, and at which instruction of each a thread was; the innermost first.
Stack = tuple[tuple[CodeType, ...], tuple[int, ...]]
_Place = tuple[CodeType, int]


def sample_stack(frame: FrameType | None) -> Stack:
    """Return where a thread is, for :func:`source_line`, which takes longer.

    The frames go out to the first one of the program itself, which is what a report
    names, and never beyond the callback.  Where there is none they go to the first one
    that is not Python's own.
    """
    seen: list[FrameType] = []
    end = deep = 0
    while frame is not None and deep < _DEEP:
        deep += 1
        code = frame.f_code
        file, own = code.co_filename, is_own(code.co_filename)
        if not own and code.co_name in _ENDS and file.endswith(_LOOPS):
            break
        if len(seen) == _KEPT:
            seen.pop()  # both ends say most
        seen.append(frame)
        if own and code.co_name != "<module>":  # who imports it says more
            end = len(seen)
            break
        # A report names neither Python nor the recorder where there is another.
        if not end and (own or not (is_pythons(file) or is_recorders(file))):
            end = len(seen)
        frame = frame.f_back
    return _stack(seen[: end or 1])


def source_line(code: CodeType, place: int) -> int:
    """Return the line of an instruction."""
    lines = list(code.co_lines())  # (begin, end, line), without a gap
    *_, line = lines[bisect_left(lines, (place + 1,)) - 1]
    return code.co_firstlineno if line is None else line


def _waits(frame: FrameType) -> bool:
    """Whether a thread waits for work."""
    file = frame.f_code.co_filename.rpartition(os.sep)[2]
    return frame.f_code.co_name in _WAITING.get(file, ())


def _stack(frames: list[Any]) -> Stack:
    codes = tuple([frame.f_code for frame in frames])
    return codes, tuple([frame.f_lasti for frame in frames])


def _callers_place(frame: FrameType) -> _Place:
    """The innermost place that is not in the standard library."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code.co_filename.startswith(_STDLIB):
        outer = outer.f_back
    frame = outer or frame
    return frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno


_STDLIB = (os.__file__.rpartition(os.sep)[0] + os.sep, "<frozen")


def watch_collector() -> Callable[[], None]:
    """Note the garbage collector's pauses of recorded loops; return what undoes it."""
    began: dict[int, int] = {}

    def noticed(phase: str, info: object) -> None:
        ident = threading.get_ident()
        recorder: Any = recorders.get(ident)
        if recorder is None:
            return
        if phase == "start":
            began[ident] = time.monotonic_ns()
            return
        held = time.monotonic_ns() - began.pop(ident, time.monotonic_ns())
        if held >= _PAUSE_NS and (callback := recorder.running()[0]) >= 0:
            recorder.pauses.append((callback, held))

    gc.callbacks.append(noticed)

    def undo() -> None:
        if noticed in gc.callbacks:
            gc.callbacks.remove(noticed)

    return undo


class Clock:
    """CPU time, waiting for a core and slices of threads (Linux), by open files."""

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}

    def read(self, native: int) -> tuple[int, int, int]:
        """Return all three of a thread, by its number in the system; 0: unknown."""
        fd = self._fds.get(native)
        try:
            if fd is None:
                path = f"/proc/self/task/{native}/schedstat"
                fd = self._fds[native] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            cpu, wait, slices = os.pread(fd, 80, 0).split()
            return int(cpu), int(wait), int(slices)
        except (OSError, ValueError):  # it has ended, or the system does not tell
            if fd is not None:
                os.close(fd)
                del self._fds[native]  # the number may be used again
            return 0, 0, 0

    def close(self) -> None:
        """Close the files."""
        while self._fds:
            os.close(self._fds.popitem()[1])


class Looks:
    """What one look after another tells of *recorder*'s loop.

    Args:
        recorder: what is noted goes there.
        pause_ns: how long it is from one look to the next.
        clock: of the threads.
    """

    def __init__(self, recorder: Any, pause_ns: int, clock: Clock) -> None:
        self._recorder = recorder
        self._pause_ns = pause_ns
        self._clock = clock
        self._known: dict[int, tuple[int, int, int]] = {}
        self._busy: set[int] = set()
        self._count = 0
        self._read_at = 0

    def look(self, last: int) -> None:
        """Note where the loop's thread is, what kept it since *last*, if something may
        have, and what requests wait for."""
        self._count += 1
        self._window(last, self._recorder.now())
        self._awaits(self._recorder.now())
        self._sample(last)

    def _sample(self, last: int) -> None:
        recorder = self._recorder
        callback, since = recorder.running()
        # Of callbacks that may end before the next look, a part stands for all.
        at = recorder.now()
        brief = since > last and at - since < _LONG_NS
        if callback < 0 or (brief and self._count % _SPARSE):
            return
        frame = sys._current_frames().get(recorder.thread[0])
        if frame is None or recorder.running()[0] != callback:
            return
        weight = (at - since) * _SPARSE if brief else at - max(last, since)
        recorder.samples.append((at, callback, weight, sample_stack(frame)))

    def _moved(self, native: int) -> tuple[int, int, int]:
        """What a thread used since the last time."""
        new = self._clock.read(native)
        # A thread that is new since the last look at all began with nothing.
        old = self._known.get(native, new if self._count <= 1 else (0, 0, 0))
        if new < old:
            old = (0, 0, 0)  # another thread has its number
        self._known[native] = new
        return new[0] - old[0], new[1] - old[1], new[2] - old[2]

    def _window(self, last: int, at: int) -> None:
        recorder, gap = self._recorder, at - last
        late = gap > self._pause_ns + _LATE_NS
        callback, since = recorder.running()
        everybody = self._count % _EVERY == 1
        if callback < 0 and not late and not everybody:
            return  # it rests: what it used by then, it will have used at the next look
        active = threading._active  # type: ignore[attr-defined]
        loops, own = active.get(recorder.thread[0]), active.get(threading.get_ident())
        if loops is None or own is None:
            return
        if sys.platform != "linux":
            self._without(last, at, {loops.ident, own.ident})
            return
        # While the loop rests nothing is read; what came together since belongs to all
        # that time.
        start, self._read_at = last if late else self._read_at or last, at
        cpu, wait, slices = self._moved(loops.native_id)
        own_cpu, own_wait, _ = self._moved(own.native_id)
        long = callback >= 0 and at - since > _LONG_NS
        note = late or long or wait > _SHORT_NS
        others = []
        frames = sys._current_frames() if note else {}
        for ident, thread in list(active.items()):
            native = thread.native_id
            if thread in (own, loops) or native is None:
                continue
            if not (everybody or note or native in self._busy):
                continue
            used, waited, _ = self._moved(native)
            (self._busy.add if used > _BUSY_NS else self._busy.discard)(native)
            if note and start >= last and used + waited > _USED_NS:
                place = _callers_place(frames[ident]) if ident in frames else None
                others.append((thread.name, min(used, gap), min(waited, gap), place))
        if note:
            window = start, at, cpu, wait, slices, own_cpu, own_wait, int(late)
            recorder.windows.append((*window, others))

    def _without(self, last: int, at: int, ours: set[int]) -> None:
        """Where no system tells of threads: only a long silence is a proof."""
        gap = at - last
        if gap - self._pause_ns < _SILENT_NS:
            return
        frames = sys._current_frames().items()
        busy = {k: v for k, v in frames if k not in ours and not _waits(v)}
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        others = []
        for ident, frame in busy.items():
            name = names.get(ident, f"thread {ident}")
            others.append((name, gap // len(busy), 0, _callers_place(frame)))
        resting = self._recorder.running()[0] < 0
        used = 0 if busy and resting else gap  # else the loop itself kept it
        window = last, at, used, 0, gap // _LONG_NS, 0, 0, 1, others
        self._recorder.windows.append(window)

    def _awaits(self, at: int) -> None:
        """Note what requests under way wait for, once each time."""
        if self._count % 4:
            return
        works = list(self._recorder.under_way.values())
        if len(works) > _TASKS:  # some at a time, so that no look takes long
            begin = self._count * _TASKS // 4 % len(works)
            works = (works + works)[begin : begin + _TASKS]
        for work in works:
            task = work.task() if at - work.began >= _UNDER_WAY_NS else None
            waiter = getattr(task, "_fut_waiter", None)
            if waiter is not None and id(waiter) != work.noted:
                work.noted = id(waiter)
                stack = chain_of(task)
                if stack[0]:
                    seen = at, work.number, stack, pool_of(stack[0])
                    self._recorder.awaits.append(seen)


def chain_of(task: Any) -> Stack:
    """The suspended frames of *task* and what it awaits, innermost first, out to the
    first of the program itself."""
    frames: list[Any] = []
    for _ in range(8):  # tasks that await each other
        coro = task.get_coro()
        while len(frames) < _DEEP:
            frame = _first_of(coro, "cr_frame", "gi_frame", "ag_frame")
            if frame is None:
                break
            frames.append(frame)
            coro = _first_of(coro, "cr_await", "gi_yieldfrom", "ag_await")
        waiter = getattr(task, "_fut_waiter", None)
        children = getattr(waiter, "_children", None)
        if children:
            waiter = next((child for child in children if not child.done()), None)
        if not hasattr(waiter, "get_coro"):
            break
        task = waiter
    kept = []
    for frame in reversed(frames):
        kept.append(frame)
        if is_own(frame.f_code.co_filename):
            break
    return _stack(kept)


def _first_of(coro: Any, *names: str) -> Any:
    """The first of these attributes that is there and not None."""
    values = (getattr(coro, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def pool_of(codes: tuple[CodeType, ...]) -> list[tuple[_Place, int]]:
    """What AnyIO's threads do, if one of *codes* waits for them: places, and how many
    threads, below 0 if the pool is not full."""
    names = [code.co_qualname for code in codes]
    if not any(name.endswith("run_sync_in_worker_thread") for name in names):
        return []
    full = any(name.startswith("CapacityLimiter.") for name in names)
    frames = sys._current_frames()
    counts = Counter(
        _callers_place(frame)
        for thread in threading.enumerate()
        if thread.name.startswith("AnyIO worker")
        and (frame := frames.get(thread.ident or 0)) is not None
    )
    return [(place, n if full else -n) for place, n in counts.most_common(2)]
