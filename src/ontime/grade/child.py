"""A process for an answer, seen from the parent: it is trusted with nothing."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

__all__ = ["Child", "ChildEnd", "Limits"]

_BOOT = (
    "import sys; sys.path[:] = {path!r}; from ontime.grade.inside import main; main()"
)
_LONGEST_LINE = 4_000_000
_START = 600.0  # seconds for an interpreter to be there, on a busy machine
_PATIENCE = 4
_STEP = 0.05  # seconds between two looks at the memory of a child


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may take."""

    seconds: float = 20.0  # of CPU time; four times as long on the clock
    memory: int = 1024 * 2**20  # bytes


class ChildEnd(Exception):  # noqa: N818 (how a process ended is no error of ours)
    """The process ended, or was ended, before it answered: a status and a reason."""


class Child:
    """A running process; leaving the block ends it and its group.

    Args:
        job: what it shall do, see :mod:`.inside`.
        limits: what it may take.
        stopped: is set when the grading shall end; the process then ends too.

    Raises:
        ChildEnd: it did not get as far as that.
    """

    def __init__(
        self, job: dict[str, Any], limits: Limits, stopped: threading.Event
    ) -> None:
        self._limits, self._stopped = limits, stopped
        self._deadline = time.monotonic() + _START
        self._began = float("inf")  # CPU seconds when its time began
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        keep = ("SYSTEMROOT", "LANG", "LC_ALL", "LC_CTYPE")
        environ = {key: os.environ[key] for key in keep if key in os.environ}
        path = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
        words = ("-S", "-P", "-s", "-B", "-X", "utf8", "-c", _BOOT.format(path=path))
        self._process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env={**environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._sink, self._source = self._process.stdin, self._process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.say({**job, "memory": limits.memory, "seconds": limits.seconds})
            self.hear()
            # What counts is its CPU time; the clock allows for a busy machine.
            self.renew()
            with suppress(psutil.Error):
                self._began = self._spent()
        except BaseException:
            self.close()
            raise

    def say(self, words: dict[str, Any]) -> None:
        """Write it one line."""
        with suppress(OSError):
            self._sink.write(json.dumps(words).encode() + b"\n")
            self._sink.flush()

    def renew(self) -> None:
        """Give it the time on the clock anew; its CPU time goes on counting."""
        self._deadline = time.monotonic() + _PATIENCE * self._limits.seconds

    def hear(self) -> dict[str, Any]:
        """The next line that it says.

        Raises:
            ChildEnd: there is none, or it says that it has ended.
        """
        line = None
        while line is None:
            try:
                line = self._lines.get(timeout=_STEP)
            except queue.Empty:
                self._look()
        if not line:
            raise self._ended()
        with suppress(ValueError, RecursionError):
            words = json.loads(line)
            if isinstance(words, dict):
                return words
        raise ChildEnd("died", "it wrote where only the grader writes")

    def _spent(self) -> float:
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def _look(self) -> None:
        """End the wait for a process that has taken too much."""
        if self._stopped.is_set():
            raise ChildEnd("stopped", "the grading was interrupted")
        late, used = time.monotonic() > self._deadline, 0
        with suppress(psutil.Error):
            late = late or self._spent() - self._began > self._limits.seconds
            used = psutil.Process(self._process.pid).memory_info().rss
        if late:
            raise self._late()
        if used > self._limits.memory:
            raise ChildEnd("memory", "it took more memory than it may have")

    def _late(self) -> ChildEnd:
        return ChildEnd("time", f"it was not done after {self._limits.seconds:g} s")

    def _ended(self) -> ChildEnd:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return ChildEnd("died", "it closed its connection to the grader")
        if os.name == "posix" and -status in (signal.SIGXCPU, signal.SIGKILL):
            return self._late()
        return ChildEnd("died", f"its process ended with status {status}")

    def _read(self) -> None:
        line = b"\n"
        while line:
            line = b""
            with suppress(OSError, ValueError):
                line = self._source.readline(_LONGEST_LINE)
            self._lines.put(line)

    def close(self) -> None:
        """End it, and all processes of its group."""
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._reader.join(timeout=1)
        # A stray process may hold the other end: then the thread reads on.
        for stream in (self._sink, self._source) if not self._reader.is_alive() else ():
            with suppress(OSError):
                stream.close()
        self._folder.cleanup()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
