"""What is measured of sessions.

Asserts are counts, or ratios with much room; what times a machine gives is not tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ontime.crossthread import (
    Idle,
    Session,
    Spinner,
    Waits,
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


def test_words_of_a_result() -> None:
    waits = Waits((0.001, 0.003, 0.002), 6, 0.0)
    assert waits.voluntary_each == 2
    assert repr(waits) == (
        "3 waits: median 2.000 ms, worst 3.000 ms, 2.0 voluntary switches each"
    )
    unknown = Waits((0.001,), None, 0.0)
    assert repr(unknown) == "1 wait: median 1.000 ms, worst 1.000 ms"
    with pytest.raises(NotImplementedError, match="RUSAGE_THREAD"):
        _ = unknown.voluntary_each
    idle = Idle((3,), 0.3, 0.1, 0.4)
    assert idle.share == 0.25
    assert repr(idle) == "1 idle loop for 0.30 s: 3 turns, 25.00% of a core"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: measure_hops([]), ValueError, "no session was given"),
        (lambda: measure_messages([]), ValueError, "no session was given"),
        (lambda: measure_idle([]), ValueError, "no session was given"),
        (lambda: measure_hops(["x"]), TypeError, "'x' is not a Session"),  # type: ignore[list-item]
        (lambda: measure_hops([Session()]), RuntimeError, "not open"),
        (lambda: measure_wakes(0), ValueError, "wakes is 0: give 1 or more"),
        (lambda: measure_wakes(2.5), TypeError, "expected wakes as a whole number"),  # type: ignore[arg-type]
        (lambda: measure_wakes(nap=0), ValueError, "nap is 0 s: give a finite"),
        (
            lambda: measure_wakes(nap="1"),
            TypeError,
            "nap as a number of seconds, got '1'",
        ),  # type: ignore[arg-type]
        (lambda: switch_interval(0).__enter__(), ValueError, "above 0"),
        (lambda: switch_interval(float("nan")).__enter__(), ValueError, "finite"),
        (lambda: switch_interval(None).__enter__(), TypeError, "got None"),  # type: ignore[arg-type]
    ],
)
def test_settings_of_measurements(
    call: Callable[[], Any], error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


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
