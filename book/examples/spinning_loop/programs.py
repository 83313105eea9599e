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
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ontime.measuring import processes
from ontime.measuring.machine import free_cores, gil_enabled, processor


class CaptureError(Exception):
    """Something went wrong that the reader can fix."""


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
def started(
    command: Sequence[str],
    *,
    ready: str = "ready",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> Iterator[subprocess.Popen[str]]:
    """Start a program and go on when it has printed *ready*.

    The end of the block ends the program and whatever it has started.

    Raises:
        SkippedError: It cannot be started.
        CaptureError: It ended first, or did not print it within *timeout* seconds.
    """
    name = Path(command[0]).name
    try:
        program = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        raise SkippedError(f"{name} cannot be started: {error.strerror}") from None

    def end() -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)

    limit = threading.Timer(timeout, end)
    limit.start()
    printed = ""
    try:
        assert program.stdout is not None
        while ready not in printed:
            line = program.stdout.readline()
            if not line:
                words = processes.last_line(printed)
                raise CaptureError(f"{name} ended before it was {ready}: {words}")
            printed += line
        limit.cancel()
        yield program
    finally:
        limit.cancel()
        end()
        program.communicate()


def finished(
    program: subprocess.Popen[str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Let a program that is ready go on, and wait for its end.

    Raises:
        CaptureError: It took longer than *timeout* seconds.
    """
    try:
        printed, _ = program.communicate("go\n", timeout)
    except subprocess.TimeoutExpired:
        raise CaptureError(f"a program ran for more than {timeout:g} s") from None
    return subprocess.CompletedProcess(program.args, program.returncode, printed, "")


def parsed(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON object on the last line of what a program printed.

    Raises:
        CaptureError: The program failed, or printed something else.
    """
    if code := done.returncode:
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        last = processes.last_line(done.stderr or done.stdout)
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


def cores() -> list[int]:
    """The cores on which this process may run."""
    return sorted(os.sched_getaffinity(0))


def machine() -> dict[str, object]:
    """What ran the measurement, without names of hosts, users or folders."""
    load = None
    with contextlib.suppress(OSError, AttributeError):
        load = round(os.getloadavg()[0], 2)
    # The release without the builder's own suffix.
    kernel = re.match(r"\d+(\.\d+)*", platform.release())
    return {
        "system": platform.system(),
        "kernel": kernel.group() if kernel else "",
        "processor": processor(),
        "cores": len(cores()),
        "python": platform.python_version(),
        "build": "with the GIL" if gil_enabled() else "free-threaded",
        "load_before": load,
    }


class FreeCores:
    """The least share of the cores that other programs left free, whenever asked."""

    def __init__(self) -> None:
        self.least = 1.0
        self.ask()

    def ask(self) -> float:
        """The share now; between two measurements, since asking takes the cores."""
        share = free_cores() / len(cores())
        self.least = min(self.least, share)
        return share

    def __str__(self) -> str:
        return f"{self.least:.0%}"


def clean(text: str) -> str:
    """Take what differs between machines out of what a program printed."""
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
    text = re.sub(r"\(LWP \d+\)", "(LWP …)", text)
    text = re.sub(r"\b0x[0-9a-f]{5,}\b", "0x…", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
