"""What is shown of runs."""

from __future__ import annotations

from ontime.bus import NotABusError


def test_bus_errors_are_one_family() -> None:
    assert issubclass(NotABusError, RuntimeError)
