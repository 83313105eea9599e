"""What the tests of the CPU models share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.contract.left import HAS_PROC, none_left


@pytest.fixture(autouse=True)
def no_orphans(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test of this file ends without a process of its own."""
    # Not in our own environment as /proc shows it: that is from our start.
    monkeypatch.setenv("ON_TIME_TEST", str(os.getpid()))
    yield
    if HAS_PROC:
        left = none_left()
        for pid in left:  # the next test must not suffer
            os.kill(pid, signal.SIGKILL)
        assert left == {}
