"""Where waiting came from: threads, cores and awaits, seen by the sampler's thread.

All of it runs in the sampler's thread, so a fast request pays nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from .sampler import _OWN, _callers_place, _learnt, _whose, where_others_are

_LATE_NS = 4_000_000  # a look is late if it comes so much after its time
_SHORT_NS = 1_000_000  # of a core, in one look
_TASKS = 64  # looked at in one look
_DEEP = 60
_EVERY = 50  # looks between two readings of threads that rest


class Clock:
    """CPU time, waiting for a core and slices of threads (Linux), by open files."""

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}

    def read(self, native: int) -> tuple[int, int, int]:
        try:
            fd = self._fds[native]
        except KeyError:
            try:
                path = f"/proc/self/task/{native}/schedstat"
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                fd = -1
            self._fds[native] = fd
        if fd < 0:
            return 0, 0, 0
        try:
            cpu, wait, n = os.pread(fd, 80, 0).split()
            return int(cpu), int(wait), int(n)
        except (OSError, ValueError):  # it has ended
            os.close(fd)
            del self._fds[native]  # the number may be used again
            return 0, 0, 0

    def close(self) -> None:
        for fd in self._fds.values():
            if fd >= 0:
                os.close(fd)
        self._fds.clear()


class Looks:
    """What one look after another tells of a recorder's loop."""

    def __init__(self, pause_ns: int, clock: Clock) -> None:
        self.pause_ns = pause_ns
        self.clock = clock
        self.known: dict[int, tuple[int, int, int]] = {}
        self.busy: set[int] = set()
        self.count = 0
        self._read_at = 0

    def _moved(self, native: int) -> tuple[int, int, int]:
        new = self.clock.read(native)
        # A thread that is new since the last look at all began with nothing.
        old = self.known.get(native, new if self.count <= 1 else (0, 0, 0))
        if new < old:
            old = (0, 0, 0)  # another thread has its number
        self.known[native] = new
        return new[0] - old[0], new[1] - old[1], new[2] - old[2]

    def look(self, recorder: Any, last: int, at: int) -> None:
        """Note what kept the loop since *last*, if something may have."""
        self.count += 1
        gap = at - last
        late = gap > self.pause_ns + _LATE_NS
        callback, since = recorder.running()
        if callback < 0 and not late and self.count % _EVERY != 1:
            return  # it rests: what it used by then, it will have used at the next look
        this_thread = threading.get_ident()
        active = threading._active  # type: ignore[attr-defined]
        loop_thread = active.get(recorder.thread[0])
        me = active.get(this_thread)
        if loop_thread is None or me is None:
            return
        if sys.platform != "linux" or os.environ.get("LOOPLAB_NO_SCHEDSTAT"):
            self._without(recorder, last, at, gap, {this_thread, recorder.thread[0]})
            return
        # While the loop rests nothing is read; what came together since belongs to all
        # that time.
        start, self._read_at = last if late else self._read_at or last, at
        cpu, wait, n = self._moved(loop_thread.native_id)
        own = self._moved(me.native_id)
        long = callback >= 0 and at - since > 5_000_000
        note = late or long or wait > _SHORT_NS
        others = []
        frames = None
        everybody = self.count % _EVERY == 1 or note
        for ident, thread in list(active.items()):
            native = thread.native_id
            if ident == this_thread or thread is loop_thread or native is None:
                continue
            if not everybody and native not in self.busy:
                continue
            used, waited, _ = self._moved(native)
            (self.busy.add if used > 200_000 else self.busy.discard)(native)
            if note and start >= last and used + waited > 500_000:
                if frames is None:
                    frames = sys._current_frames()
                frame = frames.get(ident)
                place = None if frame is None else _callers_place(frame)
                times = min(used, gap), min(waited, gap)
                others.append((thread.name, *times, place))
        if note:
            window = start, at, cpu, wait, n, own[0], own[1], int(late)
            recorder.windows.append((*window, others))

    def _without(self, recorder: Any, last: int, at: int, gap: int, ours: Any) -> None:
        """Where no system tells of threads: only a long silence is a proof."""
        if gap - self.pause_ns < 25_000_000:
            return
        busy = where_others_are(sys._current_frames(), ours)
        others = [(name, gap // len(busy), 0, place) for name, place in busy]
        callback = recorder.running()[0]
        used = 0 if busy and callback < 0 else gap  # else the loop itself kept it
        slices = gap // 5_000_000
        recorder.windows.append((last, at, used, 0, slices, 0, 0, 1, others))

    def awaits(self, recorder: Any, at: int) -> None:
        """Note what requests under way wait for, once each time."""
        if self.count % 4:
            return
        requests = list(recorder._under_way.values())
        if len(requests) > _TASKS:  # some at a time, so that no look takes long
            begin = self.count * _TASKS // 4 % len(requests)
            requests = (requests + requests)[begin : begin + _TASKS]
        for request in requests:
            if at - request.began < 10_000_000:
                continue
            noted = self._one(recorder, request.number, request.task, request.noted, at)
            if noted:
                request.noted = noted
        works = list(recorder._works.values())
        if len(works) > _TASKS:
            begin = self.count * _TASKS // 4 % len(works)
            works = (works + works)[begin : begin + _TASKS]
        for work in works:
            if at - work[2] >= 10_000_000:
                noted = self._one(recorder, work[0].number, work[3], work[4], at)
                if noted:
                    work[4] = noted

    def _one(self, recorder: Any, number: int, ref: Any, noted: int, at: int) -> int:
        task = ref()
        waiter = None if task is None else getattr(task, "_fut_waiter", None)
        if waiter is None or id(waiter) == noted:
            return 0
        codes, places = chain_of(task)
        if codes:
            recorder.awaits.append((at, number, (codes, places), pool_of(codes)))
        return id(waiter)


def chain_of(task: Any) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The suspended frames of *task* and what it awaits, innermost first."""
    frames: list[tuple[Any, int]] = []
    for _ in range(8):  # tasks that await each other
        coro: Any = task.get_coro()
        for _ in range(_DEEP):
            frame = _first_of(coro, "cr_frame", "gi_frame", "ag_frame")
            if frame is None:
                break
            frames.append((frame.f_code, frame.f_lasti))
            coro = _first_of(coro, "cr_await", "gi_yieldfrom", "ag_await")
        waiter = getattr(task, "_fut_waiter", None)
        children = getattr(waiter, "_children", None)
        if children:
            waiter = next((child for child in children if not child.done()), None)
        if not hasattr(waiter, "get_coro"):
            break
        task = waiter
    frames.reverse()
    end = 1
    for number, (code, _) in enumerate(frames):
        whose = _whose.get(code.co_filename)
        if whose is None:
            whose = _learnt(code.co_filename)
        if whose == _OWN:
            end = number + 1
            break
    else:
        end = len(frames)
    kept = frames[:end]
    return tuple([code for code, _ in kept]), tuple([place for _, place in kept])


def _first_of(coro: Any, *names: str) -> Any:
    """The first of these attributes that is there and not None."""
    for name in names:
        value = getattr(coro, name, None)
        if value is not None:
            return value
    return None


def pool_of(codes: Any) -> Any:
    """What AnyIO's threads do, if one of *codes* waits for them: [(place, threads)]."""
    names = [code.co_qualname for code in codes]
    if not any(name.endswith("run_sync_in_worker_thread") for name in names):
        return ()
    full = any(name.startswith("CapacityLimiter.") for name in names)
    prefix = "AnyIO worker"
    frames = sys._current_frames()
    counts: dict[Any, int] = {}
    for ident, thread in list(threading._active.items()):  # type: ignore[attr-defined]
        if thread.name.startswith(prefix) and ident in frames:
            place = _callers_place(frames[ident])
            counts[place] = counts.get(place, 0) + 1
    best = sorted(counts.items(), key=lambda kv: -kv[1])[:2]
    return [(place, n if full else -n) for place, n in best]
