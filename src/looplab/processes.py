"""The end of a measuring process and of all that it started.

A process that measures leads a group of its own, so that one signal reaches its
children too.  Windows has no such groups: there the process is asked to end by closing
its input, which lets it end its children, and then killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

__all__ = ["GROUPS", "end"]

#: Whether this system can signal a group of processes.
GROUPS = hasattr(os, "killpg")


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
