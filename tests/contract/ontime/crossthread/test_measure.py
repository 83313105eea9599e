"""What is measured of sessions.

Asserts are counts, or ratios with much room; what times a machine gives is not tested.
"""

from __future__ import annotations

import pytest

from ontime.crossthread import (
    Spinner,
    gil_enabled,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    sessions,
    switch_interval,
    unable,
)


def test_idle_turns() -> None:
    for _ in range(5):  # the one that has the lock may be without a core for long
        with sessions("poll", 2) as opened:
            busy = measure_idle(opened, 0.3)
        with sessions("queue", 2) as opened:
            good = measure_idle(opened, 0.3)
        assert good.most <= 2
        if min(busy.turns) >= 100 and busy.share >= 20 * good.share:
            break
    assert min(busy.turns) >= 100
    assert busy.share >= 20 * good.share
    assert 0.3 <= good.seconds <= good.wall
    assert repr(good).startswith(f"2 idle loops for {good.seconds:.2f} s: ")


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


def test_a_nap_costs_a_message_and_no_hop() -> None:
    with sessions("nap", 1) as opened:
        message = measure_messages(opened, seconds=600, messages=50)
        hop = measure_hops(opened, seconds=600, hops=200)
    # Of the hops the shortest: a busy machine makes most of them longer.
    assert message.median >= 2 * min(hop.taken)


@pytest.mark.skipif(not gil_enabled(), reason="this build has no GIL")
def test_beside_a_spinner_the_switch_interval_counts() -> None:
    """The least wait tells of the interval alone.

    A machine that is busy may keep the spinner itself from its core: then once more.
    """
    late = {}
    for _ in range(5):
        for interval in 0.001, 0.025:
            with switch_interval(interval), Spinner():
                late[interval] = sorted(measure_wakes(60).taken)
        if late[0.025][30] >= 4 * late[0.001][0]:
            return
    raise AssertionError(late)


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
