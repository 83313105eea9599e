"""What is measured of sessions.

Asserts are counts, or ratios with much room; what times a machine gives is not tested.
"""

from __future__ import annotations

import pytest

from ontime.crossthread import (
    measure_hops,
    measure_messages,
    measure_wakes,
    sessions,
    unable,
)


def test_hops_and_messages(way: str) -> None:
    with sessions(way, 2) as opened:
        for measure in measure_hops, measure_messages:
            waits = measure(opened, seconds=0.05)
            assert len(waits.taken) >= 2
            assert 0 < waits.median <= waits.worst <= waits.total
            assert waits.cpu >= 0


def test_hops_end_at_their_number() -> None:
    with sessions("queue", 3) as opened:
        assert len(measure_hops(opened, seconds=60, hops=7).taken) == 7
        assert len(measure_messages(opened, seconds=60, messages=7).taken) == 7
        # Each session is called once, however short the time.
        assert len(measure_hops(opened, seconds=1e-9).taken) == 3


def test_wakes() -> None:
    waits = measure_wakes(5, nap=0.002)
    assert len(waits.taken) == 5
    assert waits.median > 0


def test_number_of_hops_is_checked() -> None:
    with sessions("queue", 1) as opened:
        with pytest.raises(ValueError, match="hops is 0: give 1 or more"):
            measure_hops(opened, hops=0)
        with pytest.raises(ValueError, match="above 0"):
            measure_hops(opened, seconds=0)


def test_no_counts_on_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in "conditions", "measure":
        monkeypatch.setattr(f"ontime.crossthread.{module}.voluntary", lambda: None)
    assert measure_wakes(1).voluntary is None
    assert "does not count" in unable(counts=True)
