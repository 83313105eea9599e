"""A process for one job, seen from the parent: it is trusted with nothing."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

__all__ = ["Child", "ChildEnd", "Limits"]

_SOURCE = str(Path(__file__).resolve().parents[2])
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

    seconds: float = 20.0
    memory: int = 1024 * 2**20  # bytes


class ChildEnd(Exception):  # noqa: N818 (how a process ended is no error of ours)
    """The process ended, or was ended, before it answered."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Child:
    """A running process; leaving the block ends it and what it started.

    Args:
        job: what it shall do, see :mod:`.inside`.
        limits: what it may take.
        stopped: is set when the grading shall end; the process then ends too.

    Raises:
        ChildEnd: it did not get as far as that.
    """

    def __init__(
        self,
        job: dict[str, Any],
        limits: Limits,
        stopped: threading.Event | None = None,
    ) -> None:
        self._limits = limits
        self._stopped = stopped or threading.Event()
        self._deadline = time.monotonic() + _START
        self._began = float("inf")  # CPU seconds when its time began
        self._folder = tempfile.TemporaryDirectory(
            prefix="ontime-grade-", ignore_cleanup_errors=True
        )
        keep = ("SYSTEMROOT", "LANG", "LC_ALL", "LC_CTYPE")
        environ = {key: os.environ[key] for key in keep if key in os.environ}
        environ |= {"PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-S", "-P", "-s", "-B", "-X", "utf8", "-c"),
                _BOOT.format(path=[_SOURCE, *filter(None, sys.path)]),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=environ,
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            limit = {"memory": limits.memory, "seconds": limits.seconds}
            self.say(**job, **limit)
            said = self.hear()
            if "broken" in said:
                raise ChildEnd("broken", str(said["broken"]))
            # What counts is its CPU time; the clock allows for a busy machine.
            self.renew()
            with contextlib.suppress(psutil.Error):
                times = psutil.Process(self._process.pid).cpu_times()
                self._began = sum(times[:2])
        except BaseException:
            self.close()
            raise

    def say(self, **words: Any) -> None:
        """Write it one line."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(words).encode() + b"\n")
            self._process.stdin.flush()

    def renew(self) -> None:
        """Give it the time on the clock anew; its CPU time goes on counting."""
        self._deadline = time.monotonic() + _PATIENCE * self._limits.seconds

    def hear(self) -> dict[str, Any]:
        """The next line that it says.

        Raises:
            ChildEnd: there is none; its status says why.
        """
        line = self._next()
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise ChildEnd("died", "it wrote where only the grader writes")
        return said

    def _next(self) -> bytes:
        while True:
            try:
                line = self._lines.get(timeout=_STEP)
            except queue.Empty:
                self._look()
                continue
            if line.endswith(b"\n"):
                return line
            raise self._ended(flooded=len(line) >= _LONGEST_LINE)

    def _look(self) -> None:
        if self._stopped.is_set():
            raise ChildEnd("stopped", "the grading was interrupted")
        late = time.monotonic() > self._deadline
        try:
            process = psutil.Process(self._process.pid)
            busy = sum(process.cpu_times()[:2]) - self._began > self._limits.seconds
            used = process.memory_info().rss
        except psutil.Error:
            busy, used = False, 0
        if late or busy:
            raise self._late()
        if used > self._limits.memory:
            raise ChildEnd("memory", "it took more memory than it may have")

    def _late(self) -> ChildEnd:
        return ChildEnd("time", f"it was not done after {self._limits.seconds:g} s")

    def _ended(self, flooded: bool) -> ChildEnd:
        if flooded:
            return ChildEnd("died", "it wrote where only the grader writes")
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return ChildEnd("died", "it closed its connection to the grader")
        if status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = f"signal {-status}"
            if name in ("SIGXCPU", "SIGKILL"):
                return self._late()
            return ChildEnd("died", f"its process ended by {name}")
        return ChildEnd("died", f"its process ended itself, with status {status}")

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            try:
                line = stream.readline(_LONGEST_LINE)
            except (OSError, ValueError):
                line = b""
            self._lines.put(line)
            if not line.endswith(b"\n"):
                return

    def close(self) -> None:
        """End it, all processes of its group, and all its descendants."""
        family = []
        with contextlib.suppress(psutil.Error):
            family = psutil.Process(self._process.pid).children(recursive=True)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for member in family:
            with contextlib.suppress(psutil.Error):
                member.kill()
        self._process.kill()
        self._process.wait()
        self._reader.join(timeout=1)
        for stream in (self._process.stdin, self._process.stdout):
            # A stray process may hold the other end: then the thread reads on.
            if stream is not None and not self._reader.is_alive():
                with contextlib.suppress(OSError):
                    stream.close()
        self._folder.cleanup()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
