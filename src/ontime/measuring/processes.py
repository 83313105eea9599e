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
from typing import Any

__all__ = ["last_line", "run"]

_GROUPS = hasattr(os, "killpg")
# The command prints to the file that the other side reads at the end.
_SUPERVISOR = """
import os, signal, subprocess, sys, threading

def end_with_the_input():
    sys.stdin.buffer.read()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    command.kill()
    os._exit(1)

command = subprocess.Popen(
    sys.argv[1:], stdin=subprocess.DEVNULL, stdout=2, stderr=2
)
watch = threading.Thread(target=end_with_the_input)
watch.start()
print(command.wait(), flush=True)
watch.join()
"""


def run(
    command: Sequence[str], env: Mapping[str, str], timeout: float
) -> tuple[int, str]:
    """Run *command*; its exit status and what it printed.

    Whatever ends this call, the command and its group of processes have been killed
    then.

    Args:
        command: the program and its arguments.
        env: its environment.
        timeout: seconds that it may take.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        ChildProcessError: it could not be started; the message says why.
    """
    group: dict[str, Any] = {"process_group": 0} if _GROUPS else {}
    answer: list[bytes] = []
    with tempfile.TemporaryFile() as printed:
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SUPERVISOR, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            env=dict(env),
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
        printed.seek(0)
        text = printed.read().decode(errors="replace")
    if not answer[0].strip():  # it was killed, or could not start the command
        raise ChildProcessError(last_line(text))
    return int(answer[0]), text


def last_line(text: str) -> str:
    """The last line of what a process has printed."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"
