"""What is taken away from a process before it runs an answer.

``raise_walls()`` is called inside that process.  It says which of these hold:

========= ======================================== ===============================
word      what is taken away                       how
========= ======================================== ===============================
memory    more than so much of it                  ``setrlimit``
network   all of it                                a network namespace of its own
                                                   on Linux, without any device;
                                                   or the filter below
files     writing, creating, renaming, removing    a filter of system calls: Linux
                                                   on x86-64
processes starting one, sending one a signal       the same filter
========= ======================================== ===============================

Where the kernel gives none of it, the parent still ends a process that takes too long
or too much memory.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time

from ontime.grade import syscalls

__all__ = ["ALL", "raise_walls"]

#: The words for what can be taken away.
ALL = ("memory", "network", "files", "processes")
_NEW_USER, _NEW_NET, _NEW_IPC = 0x10000000, 0x40000000, 0x08000000
_OPEN_FILES, _PROCESSES = 64, 64


def raise_walls(memory: int, seconds: float) -> list[str]:
    """Take away what this system lets us take; the words for it, see :data:`ALL`.

    Args:
        memory: bytes that the process may have, its program included.
        seconds: of CPU time that it may still take.
    """
    up = []
    if _namespaces():
        up.append("network")
    if _limits(memory, seconds):
        up.append("memory")
    if syscalls.available():
        try:
            syscalls.install()
        except OSError:
            pass
        else:
            up += ["network", "files", "processes"]
    return [word for word in ALL if word in up]


def _namespaces() -> bool:
    """A network of its own; before the first thread, and through ctypes.

    ``os.unshare()`` is there from Python 3.12 on only.
    """
    if sys.platform != "linux":
        return False
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
    except (AttributeError, OSError):
        return False
    return any(
        unshare(flags) == 0
        for flags in (_NEW_USER | _NEW_NET | _NEW_IPC, _NEW_NET | _NEW_IPC)
    )


def _limits(memory: int, seconds: float) -> bool:
    if sys.platform == "win32":
        return False
    import resource

    whole = int(time.process_time() + seconds) + 1  # its start is not the answer's
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, whole),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_NPROC, _PROCESSES),
    ):
        _, top = resource.getrlimit(what)
        if top != resource.RLIM_INFINITY:
            most = min(most, top)
        try:
            resource.setrlimit(what, (most, most))
        except (OSError, ValueError):
            return False
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (OSError, ValueError):
        return False
    # macOS takes the limit and does not keep it.
    return sys.platform == "linux" and os.name == "posix"
