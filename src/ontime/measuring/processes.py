"""Run a command in a process of its own, and end it with all that it started.

Between this process and the command stands a supervisor.  It leads a group of
processes, starts the command in it and tells how it ended.  When its input ends, on
purpose or because this process died, it kills the group.  It does nothing else
meanwhile, so no work can keep it from its task.

Windows has no groups of processes: there what the command has started may stay.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["last_line", "run"]

_GROUPS = hasattr(os, "killpg")
# The command prints to files that the other side reads at the end.
_SUPERVISOR = """
import os, signal, subprocess, sys, threading

def end_with_the_input():
    sys.stdin.buffer.read()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    command.kill()
    os._exit(1)

with open(sys.argv[1], "wb") as out:
    command = subprocess.Popen(
        sys.argv[2:], stdin=subprocess.DEVNULL, stdout=out, stderr=2
    )
watch = threading.Thread(target=end_with_the_input)
watch.start()
print(command.wait(), flush=True)
watch.join()
"""


def run(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    timeout: float = 600.0,
    cwd: str | os.PathLike[str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run *command* to its end; its status and what it printed.

    Whatever ends this call, the command and its group of processes have been killed
    then.

    Args:
        command: the program and its arguments.
        env: its environment; ours if not given.
        timeout: seconds that it may take.
        cwd: the folder in which it runs; ours if not given.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        ChildProcessError: it could not be started; the message says why.
    """
    group: dict[str, Any] = {"process_group": 0} if _GROUPS else {}
    answer: list[bytes] = []
    with (
        tempfile.TemporaryDirectory(prefix="ontime-") as folder,
        tempfile.TemporaryFile() as err,
    ):
        out = Path(folder, "out")
        out.touch()
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SUPERVISOR, str(out), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            env=None if env is None else dict(env),
            cwd=cwd,
            **group,
        )
        with supervisor:
            assert supervisor.stdout is not None
            read = supervisor.stdout.readline
            reader = threading.Thread(target=lambda: answer.append(read()))
            try:
                reader.start()
                reader.join(min(timeout, threading.TIMEOUT_MAX))
                if not answer:
                    raise TimeoutError(f"not done after {timeout:g} s")
            finally:
                # It is not reaped yet, so its number is still its own.
                if _GROUPS:
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(supervisor.pid, signal.SIGKILL)
                supervisor.kill()
                reader.join()
        err.seek(0)
        printed = [
            text.decode(errors="replace") for text in (out.read_bytes(), err.read())
        ]
    if not answer[0].strip():  # it was killed, or could not start the command
        raise ChildProcessError(last_line("".join(printed)))
    return subprocess.CompletedProcess(list(command), int(answer[0]), *printed)


def last_line(text: str) -> str:
    """The last line of what a process has printed."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"
