"""How many cores are free."""

from __future__ import annotations

from ontime.measuring.cores import free_cores
from ontime.measuring.records import usable_cores


def test_free_cores() -> None:
    assert 0 < free_cores(0.1) < usable_cores() + 0.5
