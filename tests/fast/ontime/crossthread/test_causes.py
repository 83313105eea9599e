"""What a hop waits for: the lock, or a core.

Where threads were is a count of the kernel and holds on a busy machine; how long a hop
took there is not tested.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from ontime.crossthread import (
    Case,
    measure_case,
    on_cores,
)
from ontime.crossthread import causes as module

linux = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system pins no threads"
)


# ------------------------------------------------------------------ cores


@linux
@pytest.mark.parametrize(
    ("count", "error", "said"),
    [
        (0, ValueError, "count is 0: give 1 or more"),
        (True, TypeError, "count"),
        (1.5, TypeError, "count"),
        (10_000, ValueError, r"cores, not 10000: give at most \d"),
    ],
)
def test_cores_that_are_not_there(
    count: Any, error: type[Exception], said: str
) -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(error, match=said), on_cores(count):
        raise AssertionError
    assert os.sched_getaffinity(0) == before


def test_a_system_that_pins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    with pytest.raises(NotImplementedError, match="leave the cores out"), on_cores(1):
        raise AssertionError


# ------------------------------------------------------------------ where threads are


def test_a_thread_of_which_nothing_is_known() -> None:
    assert module._read(2**22 + 1) is None


# ------------------------------------------------------------------ a case


def test_what_a_case_tells() -> None:
    case = Case(8, 2, 0.008, 0.004, 0.001, for_lock=5.0, for_core=1.5)
    assert (case.by_lock, case.by_both, case.room) == (2, 8, False)
    assert Case(1, 2, 1, 1, 1, None, None).room
    assert repr(case) == (
        "8 on 2: a hop   8.000 ms; loops compute in the gap   4.000, sleep in it  "
        "1.000; loops that wait for the lock 5.0, for a core 1.5"
    )
    unknown = Case(8, 2, 0.008, 0.004, 0.001, for_lock=None, for_core=None)
    assert repr(unknown).endswith("sleep in it  1.000")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"loops": 0}, "loops is 0: give 1 or more"),
        ({"loops": 65}, "loops is 65"),
        ({"cores": 0}, "cores is 0: give 1 or more"),
        ({"seconds": 0}, "seconds is 0"),
        ({"runs": 0}, "runs is 0: give 1 or more"),
    ],
)
def test_settings_of_a_case(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        measure_case(**{"loops": 1, "cores": 1, **words})
