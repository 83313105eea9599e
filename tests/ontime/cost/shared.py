"""What the tests of costs share."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path
from typing import Any

import pytest

__all__ = ["BRIEF", "QUICK", "ROOT", "gone", "needs_pyperf"]

ROOT = Path(__file__).resolve().parents[3]
QUICK: dict[str, Any] = {"values": 1, "processes": 1, "timeout": 600}
BRIEF: dict[str, Any] = QUICK | {"calls": 20}

needs_pyperf = pytest.mark.skipif(
    importlib.util.find_spec("pyperf") is None, reason="pyperf is not installed"
)


def gone(pid: int) -> bool:
    """Whether a process has ended, or ends within some seconds."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False
