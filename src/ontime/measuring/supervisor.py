"""The process that stands between a measurement and the command that it runs.

It leads a group of processes, starts the command in it, tells how the command ended,
and ends everything when the other side is gone: whoever kills the measurement closes
the connection.  It does nothing else meanwhile, so no work can keep it from its task.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["GROUPS", "connection_of", "end_descendants", "main"]

#: Whether this system can signal a group of processes.
GROUPS = hasattr(os, "killpg")
#: Seconds within which a killed process must have ended.
_GRACE = 5.0


def main(handle: int) -> None:
    """Run the command that the other side sends; its exit status goes back.

    Args:
        handle: of the connection, inherited.
    """
    connection = connection_of(handle)
    try:
        command = connection.recv()
    except EOFError:  # the other side is gone already
        return
    try:
        # Both streams go to the file that the other side reads at the end.
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, stderr=2)
    except (OSError, ValueError) as error:
        connection.send(str(error))
        return
    watch = threading.Thread(target=_end_with, args=(connection,))
    watch.start()
    status = child.wait()
    end_descendants(os.getpid())
    with suppress(OSError):  # the other side may go at any moment
        connection.send(status)
    # Not before the other side goes: the thread may be ending what is left.
    watch.join()


def connection_of(handle: int) -> Any:
    """The connection whose handle this process has inherited."""
    if os.name == "nt":
        from multiprocessing import connection

        return vars(connection)["PipeConnection"](handle)
    return Connection(handle)


def _end_with(connection: Any) -> None:
    """End everything, this process too, once the other side is gone."""
    with suppress(EOFError, OSError):
        connection.recv()
    try:
        end_descendants(os.getpid())
    finally:
        if GROUPS:
            # Those whose parents have died are in the group still.
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def end_descendants(pid: int) -> None:
    """Kill all processes that descend from *pid*, and wait until they have ended.

    They are stopped before the first is killed: one that runs on could start another.
    """
    import psutil

    found: dict[int, psutil.Process] = {}
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        while new := [
            child for child in root.children(recursive=True) if child.pid not in found
        ]:
            for child in new:
                found[child.pid] = child
                with suppress(psutil.Error, OSError):
                    child.suspend()
    for child in found.values():
        with suppress(psutil.Error, OSError):
            child.kill()
    limit = time.monotonic() + _GRACE
    while any(map(_runs, found.values())) and time.monotonic() < limit:
        time.sleep(0.005)


def _runs(process: Any) -> bool:
    """Whether it has not ended yet; one that only waits to be reaped has."""
    import psutil

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
