"""The consumer that works on a bus, on the virtual clock and in real time."""

from __future__ import annotations

from typing import Any

import pytest

from ontime.bus import (
    SQLiteBus,
    compare,
    consume,
)
from ontime.leases import LeaseSettings


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"settings": 3}, TypeError, "takes LeaseSettings, not int"),
        ({"scheduler": 3}, TypeError, "3 is no scheduler"),
        ({"scheduler": int}, TypeError, "0 is no scheduler"),
        ({"bus": "work.db"}, TypeError, "'work.db', a str: give an SQLiteBus"),
        ({"bus": SQLiteBus}, TypeError, "give an SQLiteBus"),
        ({"receivers": 0}, ValueError, "receivers is 0: give 1 or more"),
        (
            {"receivers": 1.5},
            TypeError,
            "receivers as a whole number, got 1.5, a float",
        ),
        ({"budget": 0}, ValueError, "budget is 0: give a finite number, above 0"),
        ({"budget": "2"}, TypeError, "expected budget as a number, got '2', a str"),
        ({"stop_after": -1}, ValueError, "stop_after is -1"),
        ({"stop_after": float("nan")}, ValueError, "stop_after is nan"),
        ({"clock": "wall"}, ValueError, "clock is 'wall': give \"virtual\" or"),
        ({"jitter": 0.1}, ValueError, "a real clock has its own"),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        consume(**arguments)


def test_receiving_without_a_wait() -> None:
    with pytest.raises(ValueError, match="receive is 0 s: an empty bus"):
        consume(LeaseSettings(receive=0))


def test_wrong_arguments_of_compare() -> None:
    with pytest.raises(ValueError, match="there are no schedulers"):
        compare(schedulers=())
    with pytest.raises(TypeError, match="give a function that makes a bus"):
        compare(bus=3)  # type: ignore[arg-type]
