"""A process of its own for each measurement, and the promise that none outlives it.

A small supervisor leads a process group and starts the command in it.  It reads from a
pipe whose other end is here: when that is closed, on purpose or because this process
died, it kills the whole group and itself with it.

Where there are no process groups (Windows) it kills the command, and the processes that
the command started are left to themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from looplab import processes

__all__ = ["SPEC", "CostError", "WorkFailedError", "environ", "run"]

#: The variable that names the file in which the clean interpreter finds its orders.
SPEC = "LOOPLAB_COST_SPEC"

# Settings that make every task slower, or the interpreter another one.
_DROPPED = (
    "PYTHONASYNCIODEBUG",
    "PYTHONBREAKPOINT",
    "PYTHONDEVMODE",
    "PYTHONFAULTHANDLER",
    "PYTHONINSPECT",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONSTARTUP",
    "PYTHONTRACEMALLOC",
    "PYTHONWARNINGS",
)
_SUPERVISOR = """
import json, os, signal, subprocess, sys, threading
command = subprocess.Popen(
    json.loads(sys.argv[1]), stdin=subprocess.DEVNULL, stdout=2, stderr=2)
def end():
    os.read(0, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    command.kill()
    os._exit(1)
watch = threading.Thread(target=end)
watch.start()
os.write(1, b"%d\\n" % command.wait())
watch.join()
"""


class CostError(RuntimeError):
    """A measurement ended without a result."""


class WorkFailedError(CostError):
    """The function to be measured raised, or could not be imported.

    Its traceback is in :attr:`traceback`, as text.
    """

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback


def environ(**added: str) -> dict[str, str]:
    """The variables of a clean interpreter: ours without those that change asyncio."""
    kept = {key: value for key, value in os.environ.items() if key not in _DROPPED}
    return kept | {"PYTHONHASHSEED": "0"} | added


def run(command: Sequence[str], env: dict[str, str], timeout: float) -> tuple[int, str]:
    """Run *command*; its exit status and what it printed.

    Whatever ends this call, the command and all that it started have ended then.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        CostError: it could not be started.
    """
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SUPERVISOR, json.dumps([*command])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            env=env,
            process_group=0 if processes.GROUPS else None,
        )
        try:
            line = _first_line(process, timeout)
        finally:
            processes.end(process)
        noise.seek(0)
        said = noise.read().decode(errors="replace")
    if not line:
        raise CostError(
            f"the clean interpreter could not be started: {_last_line(said)}"
        )
    return int(line), said


def _first_line(process: subprocess.Popen[bytes], timeout: float) -> bytes:
    lines: list[bytes] = []
    done = threading.Event()

    def read(pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # closed at the end
            lines.append(pipe.readline())
        done.set()

    assert process.stdout is not None
    threading.Thread(target=read, args=(process.stdout,), daemon=True).start()
    if not done.wait(timeout):
        raise TimeoutError(f"not done after {timeout:g} s")
    return lines[0] if lines else b""


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"
