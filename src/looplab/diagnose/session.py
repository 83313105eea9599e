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
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS

from .arrival import arrival_asker
from .options import Options
from .recorder import WIDTH, Recorder, taken
from .sampler import Clock, Looks, watch_collector
from .stock import LoopRecorder
from .writer import PORTION, Store

if TYPE_CHECKING:
    from .live import Live

WRITE_EVERY = 0.25  # seconds: what a killed program loses at most, about
_BRIEF = 0.02  # seconds that whoever stops the recording can wait


_said: set[str] = set()


def say(text: str) -> None:
    """Say one line on standard error, if there is one, once in this process."""
    if text in _said:
        return
    _said.add(text)
    # It may be closed, or never have been there.
    with contextlib.suppress(AttributeError, OSError, ValueError):
        print(f"looplab: {text}", file=sys.stderr, flush=True)


class Session:
    """Records the loops of this process until :meth:`stop`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.origin_ns = time.monotonic_ns()
        self.stopped = False
        self._recorders: dict[Any, Recorder] = {}  # by loop
        self._loops = 0
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._store: Store | Live | None = None
        self._clock = Clock()
        self._undo_collector: Any = None

    def loop_starts(self, loop: Any) -> None:
        """*loop* is about to run, or runs, in this thread."""
        with self._lock:
            if loop not in self._recorders and not self.stopped:
                self._attach(loop)
            if loop in self._recorders and not self.stopped:
                self._recorders[loop].enter()

    def loop_stops(self, loop: Any) -> None:
        """*loop* has stopped running in this thread; it may start again."""
        recorder = self._recorders.get(loop)
        if recorder is None:
            return
        recorder.leave()
        if not self.stopped:
            with self._lock:
                self._write(recorder, end=True)

    def _attach(self, loop: Any) -> None:
        """Attach a recorder to *loop*, if it can be recorded; open the file if it is
        the first one."""
        if self._store is None and not self._open():
            return
        selector = getattr(loop, "_selector", None)
        asker = None if selector is None else arrival_asker(selector)
        try:
            recorder = LoopRecorder(loop, self._loops + 1, arrival=asker)
        except TypeError as exc:
            say(f"{exc}: it is not recorded")
            return
        self._loops += 1
        pause = round(self.options.sample * NS)
        recorder.looks = Looks(recorder, pause, self._clock)
        thread = threading.current_thread().name
        recorder.about = {"kind": recorder.kind, "thread": thread}
        self._recorders[loop] = recorder

    def _open(self) -> bool:
        about = {
            "clock": "real",
            "origin_ns": self.origin_ns,
            "session": self.options.session,
            "argv": [str(word) for word in getattr(sys, "orig_argv", sys.argv)],
            "python": platform.python_version(),
            "system": platform.system(),
            "pid": os.getpid(),
        }
        try:
            if self.options.every is None:
                self._store = Store(self.options, about, self.origin_ns)
            else:
                from .live import Live  # it can read, which no other recording needs

                self._store = Live(self.options.every)
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
        end = self.origin_ns + round(options.seconds * NS) if options.seconds else None
        last = written = now()
        while not self._wakes(pause):
            if options.sample:
                for recorder in [*self._recorders.values()]:
                    recorder.looks.look(last)
            last = now()
            if last - written >= WRITE_EVERY * NS:
                written = last
                with self._lock:
                    self._drop_closed()
                    self._write(*self._recorders.values())
            if end is not None and last >= end:
                self.stop()
                return

    def _wakes(self, pause: float) -> bool:
        """Wait; return whether it is time to stop."""
        if pause > _BRIEF:
            return self._wake.wait(pause)
        time.sleep(pause)  # takes a tenth of what it takes to wait for an event
        return self._wake.is_set()

    def _drop_closed(self) -> None:
        """Let go of loops that will not run again."""
        for loop, recorder in [*self._recorders.items()]:
            if loop.is_closed() and not recorder.notes:
                recorder.detach()
                del self._recorders[loop]

    def _write(self, *recorders: Recorder, end: bool = False) -> None:
        if self._store is None:
            return
        try:
            for recorder in recorders:
                for part in self._drained(recorder, end):
                    self._store.write(recorder.number, part)
            self._store.flush()
        except OSError as exc:
            self._fail(exc)

    def _drained(self, recorder: Recorder, end: bool) -> Iterator[dict[str, Any]]:
        size = PORTION * WIDTH
        for _ in range(0, len(recorder.notes), size):
            portion, first = taken(recorder.notes, size), recorder.taken
            recorder.taken = last = first + len(portion) // WIDTH
            due, came = _below(recorder.due, last), _below(recorder.came, last)
            yield {"rows": (first, portion, due, came)}
            if not end:
                time.sleep(0)  # the loop may want the interpreter
        rest, recorder.about = recorder.about, {}
        for name in "samples", "pauses", "marks", "windows", "awaits":
            rest[name] = taken(getattr(recorder, name))
        rest["jobs"] = _ended(recorder.jobs, end)
        rest["tags"] = recorder.new_names()
        rest["done"] = taken(recorder.requests)
        thread: Any = threading._active.get(recorder.thread[0])  # type: ignore[attr-defined]
        if thread is not None:
            cpu, waited, slices = self._clock.read(thread.native_id)
            if slices:
                rest["threads"] = [(recorder.now(), "loop", cpu, waited)]
        if end:
            rest["end"] = recorder.now()
        if any(rest.values()):
            yield rest

    def stop(self) -> None:
        """Stop recording and end the file.  The second call does nothing."""
        with self._lock:
            if self.stopped:
                return
            self.stopped = True
        self._wake.set()
        if self._thread not in (None, threading.current_thread()):
            self._thread.join(timeout=5)
        with self._lock:
            self._write(*self._recorders.values(), end=True)
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
        for loop, recorder in self._recorders.items():
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
        for recorder in self._recorders.values():
            recorder.detach()


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
