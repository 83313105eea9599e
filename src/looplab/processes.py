"""Processes that measure, and the end of each with all that it started.

A process that measures leads a group of its own, so that one signal reaches its
children too.  Windows has no such groups: there the process is asked to end by closing
its input, which lets it end its children, and then killed.

:func:`run` starts a command under a small supervisor that leads such a group.  It reads
from a pipe whose other end is here: when that is closed, on purpose or because this
process died, it kills the whole group and itself with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

__all__ = ["GROUPS", "end", "last_line", "run"]

#: Whether this system can signal a group of processes.
GROUPS = hasattr(os, "killpg")

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


def run(command: Sequence[str], env: dict[str, str], timeout: float) -> tuple[int, str]:
    """Run *command*; its exit status and what it printed.

    Whatever ends this call, the command and what it started in its group have ended
    then.  What leads a group of its own must watch its parent.

    Args:
        command: the program and its arguments.
        env: its environment.
        timeout: seconds that it may take.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        ChildProcessError: it could not be started; the message says why.
    """
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SUPERVISOR, json.dumps([*command])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            env=env,
            process_group=0 if GROUPS else None,
        )
        try:
            line = _first_line(process, timeout)
        finally:
            end(process)
        noise.seek(0)
        said = noise.read().decode(errors="replace")
    if not line:
        raise ChildProcessError(last_line(said))
    return int(line), said


def last_line(said: str) -> str:
    """The last line of what a process has printed."""
    lines = said.strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"


def _first_line(process: subprocess.Popen[bytes], timeout: float) -> bytes:
    lines: list[bytes] = []
    done = threading.Event()

    def read(pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # closed at the end
            lines.append(pipe.readline())
        done.set()

    assert process.stdout is not None
    threading.Thread(target=read, args=(process.stdout,), daemon=True).start()
    limit = time.monotonic() + timeout
    while not done.wait(0.1):  # an interrupt is noticed between two steps
        if time.monotonic() > limit:
            raise TimeoutError(f"not done after {timeout:g} s")
    return lines[0] if lines else b""


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill *process* with the group that it leads, reap it, and close its pipes.

    An interrupt waits until that is done.
    """
    interrupted: BaseException | None = None
    while True:
        try:
            if process.returncode is None:
                # It is not reaped yet, so its number is still its own.
                if GROUPS:
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(process.pid, signal.SIGKILL)
                else:
                    _ask(process)
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            break
        except KeyboardInterrupt as error:  # one more: finish, then pass it on
            interrupted = error
    if interrupted is not None:
        raise interrupted


def _ask(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
