"""Run other programs and always end them; describe the machine; clean what they print.

Everything that a capture starts runs in a process group of its own, with a time limit,
so that an interrupted or failed capture leaves nothing running.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ontime.measuring import processes, records
from ontime.measuring.cores import free_cores

__all__ = [
    "CaptureError", "FreeCores", "Running", "SkippedError", "clean", "cores", "find",
    "machine", "parsed", "remember", "run", "spawn", "start_up", "write_text",
]  # fmt: skip


class CaptureError(Exception):
    """Something went wrong that the reader can fix; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class SkippedError(CaptureError):
    """A part cannot run on this machine: what is missing and how to get it."""


def find(name: str, fix: str) -> str:
    """The path of a program.

    Raises:
        SkippedError: It is not installed; the message gives *fix*.
    """
    path = shutil.which(name)
    if path is None:
        raise SkippedError(f"{name} is not installed ({fix})")
    return path


class Running:
    """A program that is still running, with its output in temporary files.

    A context manager: the end of the block ends the program and whatever it started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.command = [str(part) for part in command]
        self._out: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        self._err: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=self._out,
                stderr=self._err,
                env=None if env is None else dict(env),
                cwd=cwd,
                start_new_session=True,
            )
        except OSError as error:
            self._close()
            raise SkippedError(
                f"{Path(self.command[0]).name} cannot be started: {error.strerror}"
            ) from None

    @property
    def pid(self) -> int:
        return self.process.pid

    def _read(self, file: IO[bytes]) -> str:
        # The child shares the file's position: read without moving it.
        size = os.fstat(file.fileno()).st_size
        return os.pread(file.fileno(), size, 0).decode("utf-8", "replace")

    def out(self) -> str:
        return self._read(self._out)

    def err(self) -> str:
        return self._read(self._err)

    def say(self, line: str) -> None:
        """Send a line to the program; a program that has ended does not mind."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def wait_for(self, text: str, timeout: float, *, where: str = "out") -> None:
        """Wait until the program has printed *text*.

        Raises:
            CaptureError: It ended first, or did not print it in time.
        """
        end = time.monotonic() + timeout
        while text not in (self.out() if where == "out" else self.err()):
            if self.process.poll() is not None:
                # It may have printed and ended between the two looks.
                if text in (self.out() if where == "out" else self.err()):
                    return
                raise CaptureError(self._failed("ended too soon"))
            if time.monotonic() > end:
                raise CaptureError(self._failed(f"was not ready after {timeout:g} s"))
            time.sleep(0.01)

    def _failed(self, what: str) -> str:
        last = processes.last_line(self.err().strip() or self.out())
        return f"{Path(self.command[0]).name} {what}: {last}"

    def wait(self, timeout: float) -> subprocess.CompletedProcess[str]:
        """Wait for the end; end the program when it takes longer.

        Raises:
            CaptureError: It took longer than *timeout* seconds.
        """
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.end()
            raise CaptureError(
                self._failed(f"ran for more than {timeout:g} s")
            ) from None
        return subprocess.CompletedProcess(self.command, code, self.out(), self.err())

    def end(self) -> None:
        """End the program and its children at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _close(self) -> None:
        self._out.close()
        self._err.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *args: object) -> None:
        self.end()
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self._close()


def run(
    command: Sequence[str], env: Mapping[str, str], timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end.

    Raises:
        SkippedError: It cannot be started.
        CaptureError: It took longer than *timeout* seconds; it was ended.
    """
    name = Path(command[0]).name
    try:
        return processes.run(command, env, timeout)
    except TimeoutError:
        raise CaptureError(f"{name} ran for more than {timeout:g} s") from None
    except ChildProcessError as error:
        raise SkippedError(f"{name} cannot be started: {error}") from None


@contextlib.contextmanager
def spawn(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> Iterator[Running]:
    """Start a program of ours that prints ``ready`` when its imports are done."""
    with Running(command, env=env, cwd=cwd) as program:
        program.wait_for("ready", timeout)
        yield program


def parsed(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON object on the last line of what a program printed.

    Raises:
        CaptureError: The program failed, or printed something else.
    """
    if code := done.returncode:
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        last = processes.last_line(done.stderr)
        raise CaptureError(f"the test ended with {how}: {last}")
    try:
        figures = json.loads(processes.last_line(done.stdout))
    except ValueError:
        raise CaptureError("the test printed no result") from None
    assert isinstance(figures, dict)
    return figures


def remember(output: Path, name: str, figures: dict[str, Any]) -> None:
    """Put the figures of one capture into ``captures.json``."""
    path = output / "captures.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    known[name] = {**figures, "machine": machine()}
    write_text(path, json.dumps(dict(sorted(known.items())), indent=1) + "\n")


def start_up() -> None:
    """Let a polite kill clean up as Ctrl-C does."""

    def interrupted(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError, OSError):  # not in the main thread
        signal.signal(signal.SIGTERM, interrupted)


def cores() -> list[int]:
    """The cores on which this process may run; numbered from 0 where unknown."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def machine() -> dict[str, object]:
    """What ran the measurement, without names of hosts, users or folders."""
    load = None
    with contextlib.suppress(OSError, AttributeError):
        load = round(os.getloadavg()[0], 2)
    # The release without the builder's own suffix.
    kernel = re.match(r"\d+(\.\d+)*", platform.release())
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return {
        "system": platform.system(),
        "kernel": kernel.group() if kernel else "",
        "architecture": platform.machine(),
        "processor": records.processor(),
        "cores": len(cores()),
        "python": platform.python_version(),
        "build": "with the GIL" if gil else "free-threaded",
        "switch_interval": sys.getswitchinterval(),
        "load_before": load,
        # Below 0: run before the other programs of a busy machine.
        "nice": os.nice(0) if hasattr(os, "nice") else None,
    }


class FreeCores:
    """The least share of the cores that other programs left free, whenever asked."""

    def __init__(self) -> None:
        self.least = 1.0
        self.ask()

    def ask(self) -> None:
        """Ask now: between two measurements, for it takes the cores itself."""
        self.least = min(self.least, free_cores() / len(cores()))

    def __str__(self) -> str:
        return f"{self.least:.0%}"


def clean(text: str, numbers: Mapping[int, str] | None = None) -> str:
    """Take what differs between machines out of a text: folders, numbers of processes.

    Args:
        text: What a program printed.
        numbers: Process and thread numbers, and what to call each.
    """
    # Terminal codes, then the folders of packages, of the standard library, of ours.
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    text = re.sub(r"[^\s\"'(=]*/site-packages/", "", text)
    text = re.sub(r"[^\s\"'(=]*/lib(?:64)?/python3\.\d+t?/", "", text)
    text = re.sub(r"[^\s\"'(=]*\bspinning_loop/", "", text)
    text = re.sub(r"[^\s\"'(=]*/src/looplab/", "looplab/", text)
    text = re.sub(r"[^\s\"'(=]+/(lib[\w.+-]+\.so[.\d]*)", r"\1", text)
    text = re.sub(r"[^\s\"'(=]+/bin/(python[\d.]*t?|py-spy)", r"\1", text)
    text = re.sub(r"\.\./sysdeps/[\w/.-]+/", "", text)
    for place in {str(Path.home()), tempfile.gettempdir()}:
        if len(place) > 1:
            text = re.sub(re.escape(place) + r"[^\s\"')]*/", "", text)
    for number, name in sorted((numbers or {}).items(), reverse=True):
        text = re.sub(rf"\b{number}\b", name, text)
    text = re.sub(r"\(LWP \d+\)", "(LWP …)", text)
    text = re.sub(r"\b0x[0-9a-f]{5,}\b", "0x…", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file in one step, so that nobody ever reads half of it.

    Raises:
        CaptureError: The folder cannot be written to.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, "utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        raise CaptureError(f"{path} cannot be written: {error.strerror}") from None
