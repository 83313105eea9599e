"""The processes that a test has left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

__all__ = ["needs_groups", "needs_proc", "none_left", "ours"]

needs_groups = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="needs process groups"
)

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc to count processes"
)


def ours() -> dict[int, str]:
    """Living processes that descend from this one or were started by a test of it.

    They are told by a variable in their environment, so that a process whose parent
    has died is found too.
    """
    mark = f"ON_TIME_TEST={os.getpid()}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state in "ZX" or mark not in (folder / "environ").read_bytes():
                continue
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            found[int(folder.name)] = line
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return found


def none_left(within: float = 5.0) -> dict[int, str]:
    """What is still there after *within* seconds."""
    limit = time.monotonic() + within
    while (left := ours()) and time.monotonic() < limit:
        time.sleep(0.05)
    return left
