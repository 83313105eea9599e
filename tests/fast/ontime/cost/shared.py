"""What the tests of costs share."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

__all__ = ["BRIEF", "QUICK", "ROOT", "needs_pyperf"]

ROOT = Path(__file__).resolve().parents[4]
QUICK: dict[str, Any] = {"values": 1, "processes": 1, "timeout": 600}
BRIEF: dict[str, Any] = QUICK | {"calls": 20}

needs_pyperf = pytest.mark.skipif(
    importlib.util.find_spec("pyperf") is None, reason="pyperf is not installed"
)
