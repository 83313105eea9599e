"""The processes that a test has left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

__all__ = [
    "HAS_PROC",
    "PATIENCE",
    "SLOW",
    "gone",
    "needs_groups",
    "needs_proc",
    "none_left",
    "ours",
]

needs_groups = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="needs process groups"
)

HAS_PROC = Path("/proc/self/stat").exists()
needs_proc = pytest.mark.skipif(not HAS_PROC, reason="needs /proc to count processes")

#: Seconds after which a process that was told to end is said to hang.
PATIENCE = 120.0
#: Seconds after which a program is said to hang: it may start several interpreters.
SLOW = 240.0


def ours() -> dict[int, str]:
    """Living processes that descend from this one or were started by a test of it.

    They are told by a variable in their environment, so that a process whose parent
    has died is found too.
    """
    mark = f"ON_TIME_TEST={os.getpid()}\0".encode()
    living = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if _state(int(folder.name)) in "ZX":
                continue
            if mark not in (folder / "environ").read_bytes():
                continue
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            living[int(folder.name)] = line
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return living


def none_left() -> dict[int, str]:
    """What is still there after some seconds."""
    limit = time.monotonic() + PATIENCE
    while (left := ours()) and time.monotonic() < limit:
        time.sleep(0.05)
    return left


def gone(pid: int) -> bool:
    """Whether a process has ended, whoever has asked how."""
    try:
        os.kill(pid, 0)
        return HAS_PROC and _state(pid) in "ZX"
    except (ProcessLookupError, FileNotFoundError):  # it may end between the two
        return True


def _state(pid: int) -> str:
    """The letter of a process's state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
