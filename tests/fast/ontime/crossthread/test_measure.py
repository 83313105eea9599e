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
    Waits,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    switch_interval,
)


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
