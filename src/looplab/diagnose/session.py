"""The recording of one process: its loops, its thread that writes, its file.

Nothing here raises into the program.  What goes wrong is said in one line on standard
error, and the program goes on without a record.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import platform
import sys
import threading
import time
import weakref
from bisect import bisect_left
from collections import deque
from typing import Any

from .arrival import age_ns, arrival_asker
from .options import Options
from .recorder import ENDED, READY, RUN, WIDTH, Came, Due, Recorder
from .sampler import sample_stack, watch_collector, where_others_are
from .stock import LoopRecorder
from .waits import Clock, Looks
from .writer import PORTION, Store

__all__ = ["Session", "say"]

WRITE_EVERY = 0.25  # seconds: what a killed program loses at most, about
_AFTERMATH_NS = 1_000_000_000  # what is written after a late callback
_SPARSE = 3  # one look in so many at callbacks that began just before it
_LONG_NS = 5_000_000  # a callback that runs so long makes other threads of interest
_BRIEF = 0.02  # seconds that whoever stops the recording can wait


def say(text: str) -> None:
    """Say one line on standard error, if there is one."""
    # It may be closed, or never have been there.
    with contextlib.suppress(AttributeError, OSError, ValueError):
        print(f"looplab: {text}", file=sys.stderr, flush=True)


class Session:
    """Records the loops of this process until :meth:`stop`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.origin_ns = time.monotonic_ns()
        self.started = time.time()
        self.stopped = False
        self._recorders: list[Recorder] = []
        self._loops = 0
        self._of_loop: weakref.WeakKeyDictionary[Any, Recorder | None] = (
            weakref.WeakKeyDictionary()
        )
        self._noted: dict[int, int] = {}  # how many callbacks of each loop were taken
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._store: Store | None = None
        self._clock = Clock()
        self._undo_collector: Any = None
        self._ring: deque[tuple[int, int, dict[str, Any]]] = deque()
        self._open_until = -1
        self._looks = 0  # at where the loops are
        self._seen: dict[int, Looks] = {}

    # -- loops -----------------------------------------------------------------------

    def loop_starts(self, loop: Any, kind: type[Any] = LoopRecorder) -> Any:
        """*loop* is about to run, or runs, in this thread.

        Returns its recorder, which *kind* made; None if it cannot be recorded, which
        is said.
        """
        with self._lock:
            if self.stopped:
                return None
            known = self._of_loop.get(loop, _UNKNOWN)
            if known is _UNKNOWN:
                known = self._attach(loop, kind)
                self._of_loop[loop] = known
            if known is not None:
                known.enter()
            return known

    def loop_stops(self, loop: Any) -> None:
        """*loop* has stopped running in this thread; it may start again."""
        recorder = self._of_loop.get(loop)
        if recorder is None:
            return
        recorder.leave()
        if not self.stopped:
            with self._lock:
                self._drain(recorder, end=True)
                self._flush()

    def _attach(self, loop: Any, kind: type[Any]) -> Recorder | None:
        """Attach a recorder to *loop*; open the file if it is the first one."""
        if self._store is None and not self._open():
            return None
        selector = getattr(loop, "_selector", None)
        self._loops += 1
        number = self._loops
        try:
            recorder: Recorder = kind(
                loop,
                number,
                arrival=None if selector is None else arrival_asker(selector),
            )
        except TypeError as exc:
            say(f"{exc}: it is not recorded")
            return None
        recorder.age = age_ns
        self._recorders.append(recorder)
        self._noted[number] = 0
        self._keep(
            number,
            self.origin_ns,
            {"kind": recorder.kind, "thread": threading.current_thread().name},
            always=True,
        )
        return recorder

    # -- the file and the thread -----------------------------------------------------

    def _open(self) -> bool:
        about = {
            "clock": "real",
            "origin_ns": self.origin_ns,
            "started": self.started,
            "session": self.options.session,
            "argv": [str(word) for word in getattr(sys, "orig_argv", sys.argv)],
            "python": platform.python_version(),
            "system": platform.system(),
            "pid": os.getpid(),
            "parent": os.getppid(),
            "cores": _cores(),
            "sample": self.options.sample,
            "when_late": self.options.when_late,
        }
        try:
            self._store = Store(self.options, about, self.origin_ns)
        except OSError as exc:
            self._fail(exc)
            return False
        self._undo_collector = watch_collector()
        self._start()
        atexit.register(self.stop)
        return True

    def _start(self) -> None:
        self._wake.clear()
        self._thread = threading.Thread(target=self._work, name="looplab", daemon=True)
        self._thread.start()

    def _fail(self, exc: OSError) -> None:
        self.stopped = True
        say(
            f"cannot write {exc.filename or self.options.output}: {exc.strerror}; the "
            "program goes on without a record"
        )
        self._let_go()

    def _work(self) -> None:
        options = self.options
        pause = options.sample or WRITE_EVERY
        now = time.monotonic_ns
        end = self.origin_ns + round(options.seconds * 1e9) if options.seconds else None
        last = written = now()
        while not self._wakes(pause):
            if options.sample:
                self._sample(last)
            last = now()
            if last - written >= WRITE_EVERY * 1e9:
                written = last
                with self._lock:
                    for recorder in self._recorders:
                        self._drain(recorder)
                    self._flush()
                    self._drop_closed()
            if end is not None and last >= end:
                self.stop(from_thread=True)
                return

    def _wakes(self, pause: float) -> bool:
        """Wait; return whether it is time to stop."""
        if pause > _BRIEF:
            return self._wake.wait(pause)
        time.sleep(pause)  # takes a tenth of what it takes to wait for an event
        return self._wake.is_set()

    def _drop_closed(self) -> None:
        """Let go of loops that will not run again."""
        for recorder in [
            recorder for recorder in self._recorders if recorder.loop.is_closed()
        ]:
            if not recorder.notes:
                recorder.detach()
                self._recorders.remove(recorder)
                del self._noted[recorder.number]

    def _sample(self, last: int) -> None:
        """See where the loops are; *last* is when that was done before."""
        self._looks += 1
        frames: Any = None
        for recorder in self._recorders:
            look = self._seen.get(recorder.number)
            if look is None:
                look = Looks(round(self.options.sample * 1e9), self._clock)
                self._seen[recorder.number] = look
            look.look(recorder, last, recorder.now())
            look.awaits(recorder, recorder.now())
            callback, since = recorder.running()
            # Of callbacks that may end before the next look, a part stands for all.
            at = recorder.now()
            brief = since > last and at - since < _LONG_NS
            if callback < 0 or (brief and self._looks % _SPARSE):
                continue
            if frames is None:
                frames = sys._current_frames()
            ident = recorder.thread[0]
            frame = frames.get(ident)
            if frame is None or recorder.running()[0] != callback:
                continue
            others = []
            if at - since >= _LONG_NS and len(frames) > 2:
                others = where_others_are(frames, {ident, threading.get_ident()})
            weight = (at - since) * _SPARSE if brief else at - max(last, since)
            sample = (at, callback, weight, sample_stack(frame), others)
            recorder.samples.append(sample)

    # -- from notes to lines ---------------------------------------------------------

    def _drain(self, recorder: Recorder, *, end: bool = False) -> None:
        number = recorder.number
        notes = _taken(recorder.notes)
        for begin in range(0, len(notes), PORTION * WIDTH):
            seen = notes[begin : begin + PORTION * WIDTH]
            first = self._noted[number]
            self._noted[number] = end_of = first + len(seen) // WIDTH
            due, came = _below(recorder.due, end_of), _below(recorder.came, end_of)
            rows = first, seen, due, came
            if self.options.when_late is not None:
                self._watch(*rows)
            self._keep(number, seen[ENDED - WIDTH], {"rows": rows})
            if not end:
                time.sleep(0)  # the loop may want the interpreter
        rest: dict[str, Any] = {
            "samples": _taken(recorder.samples),
            "pauses": _taken(recorder.pauses),
            "marks": _taken(recorder.marks),
            "windows": _taken(recorder.windows),
            "awaits": _taken(recorder.awaits),
            "jobs": _ended(recorder.jobs, end),
            "tags": recorder.new_names(),
            "done": _taken(recorder.requests),
        }
        thread: Any = threading._active.get(recorder.thread[0])  # type: ignore[attr-defined]
        if thread is not None:
            cpu, waited, slices = self._clock.read(thread.native_id)
            if slices:
                rest["threads"] = [(recorder.now(), "loop", cpu, waited)]
        if any(rest.values()):
            self._keep(number, recorder.now(), rest)
        if end:
            self._keep(number, recorder.now(), {"end": recorder.now()})

    def _watch(
        self, first: int, notes: list[Any], due: list[Due], came: list[Came]
    ) -> None:
        limit = (self.options.when_late or 0) * 1e9
        waits_from = notes[READY::WIDTH]
        for number, _, at, _ in due:
            waits_from[number - first] = at
        for number, at, _ in came:
            waits_from[number - first] = at
        for since, run, ended in zip(
            waits_from, notes[RUN::WIDTH], notes[ENDED::WIDTH], strict=True
        ):
            if run - since > limit:
                self._open_until = max(self._open_until, ended + _AFTERMATH_NS)

    def _keep(
        self, number: int, at: int, part: dict[str, Any], *, always: bool = False
    ) -> None:
        """Write *part*, or keep it in the ring until something was late."""
        ring = self._ring
        ring.append((number, at, part))
        if self.options.when_late is None or always or at <= self._open_until:
            return
        oldest = at - self.options.keep * 1e9
        while ring and ring[0][1] < oldest:
            ring.popleft()

    def _flush(self) -> None:
        if self._store is None:
            return
        if self.options.when_late is not None and self._open_until < 0:
            return
        ring, self._ring = self._ring, deque()
        newest = max((at for _, at, _ in ring), default=0)
        try:
            for number, _, part in ring:
                self._store.write(number, part)
            self._store.flush()
        except OSError as exc:
            self._fail(exc)
            return
        if newest > self._open_until:
            self._open_until = -1

    # -- the end ---------------------------------------------------------------------

    def stop(self, *, from_thread: bool = False) -> None:
        """Stop recording and end the file.  The second call does nothing."""
        with self._lock:
            if self.stopped:
                return
            self.stopped = True
        self._wake.set()
        if not from_thread and self._thread is not None:
            self._thread.join(timeout=5)
        with self._lock:
            for recorder in self._recorders:
                self._drain(recorder, end=True)
            self._flush()
            if self._store is not None:
                self._store.close()
                self._store = None  # a thread that is not back yet finds none
            self._clock.close()
        self._let_go()

    def _let_go(self) -> None:
        """Give the loops their own queues back."""
        self._wake.set()
        if self._undo_collector is not None:
            self._undo_collector()
        for recorder in self._recorders:
            loop = recorder.loop
            if recorder.thread[0] == threading.get_ident():
                recorder.detach()
                continue
            try:  # also where it does not run: it may start at any moment
                loop.call_soon_threadsafe(recorder.detach)
            except RuntimeError:  # closed meanwhile
                recorder.detach()

    def hold(self) -> None:
        """Let nothing be written until :meth:`release`, and have no thread: Python
        warns of a fork beside one."""
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            self._wake.set()
            thread.join(timeout=5)
        self._lock.acquire()

    def release(self) -> None:
        """Let the file be written again."""
        self._lock.release()
        if self._store is not None and not self.stopped:
            self._start()

    def forget(self) -> None:
        """This process is a fork: what was recorded belongs to the other one."""
        self.stopped = True
        if self._store is not None:
            self._store.abandon()
        if self._undo_collector is not None:
            self._undo_collector()
        for recorder in self._recorders:
            recorder.detach()


_UNKNOWN: Any = object()


def _taken(notes: list[Any]) -> list[Any]:
    """Take what is in *notes*, to which another thread may append meanwhile."""
    seen = notes[:]
    del notes[: len(seen)]
    return seen


def _ended(jobs: list[Any], end: bool) -> list[Any]:
    """Take the jobs of executors that have ended; at the end, all."""
    seen = jobs[:]
    done = [job for job in seen if job[4] or end]
    jobs[: len(seen)] = [job for job in seen if not (job[4] or end)]
    return done


def _below(facts: list[Any], number: int) -> list[Any]:
    """Take what is said of callbacks below *number*."""
    end = bisect_left(facts, (number,))
    seen = facts[:end]
    del facts[:end]
    return seen


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1
