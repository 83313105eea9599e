"""What a hop waits for: the lock, or a core.

Where threads were is a count of the kernel and holds on a busy machine; how long a hop
took there is not tested.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

from ontime.crossthread import (
    Case,
    gil_enabled,
    measure_case,
    measure_hops,
    on_cores,
    sessions,
    stays,
    unable,
)
from ontime.crossthread import causes as module

linux = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system pins no threads"
)


def told() -> bool:
    return module._read(threading.get_native_id()) is not None


# ------------------------------------------------------------------ cores


@linux
def test_threads_inherit_the_cores() -> None:
    before = os.sched_getaffinity(0)
    seen = []
    with on_cores(1):
        thread = threading.Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
        thread.start()
        thread.join()
    assert seen == [{min(before)}]
    assert os.sched_getaffinity(0) == before
    with on_cores(None):
        assert os.sched_getaffinity(0) == before


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


@linux
@pytest.mark.skipif(not told(), reason="this kernel does not count")
def test_loops_that_wait_neither_run_nor_want_a_core() -> None:
    for _ in range(5):  # a busy machine may keep one from its selector for long
        with sessions("queue", 3) as opened, stays(opened) as where:
            threading.Event().wait(2)
        assert where.running is not None
        assert where.for_core is not None
        if (at_work := where.running + where.for_core) < 1:
            break
    assert at_work < 1
    assert where.for_lock is not None
    assert where.for_lock > 2


@linux
@pytest.mark.skipif(not told(), reason="this kernel does not count")
def test_loops_that_share_a_core_wait_for_it() -> None:
    """Three wait for the lock only while another process has the core of the fourth."""
    with (
        on_cores(1),
        sessions("poll", 4) as opened,
        stays(opened) as where,
    ):
        measure_hops(opened, seconds=2)
    assert where.running is not None
    assert where.for_core is not None
    assert where.for_lock is not None
    assert where.running < 1.5  # they have one core
    assert where.for_core > 1
    assert where.for_lock < 3 * (1 - min(1, where.running)) + 1, where


@linux
@pytest.mark.skipif(not told(), reason="this kernel does not count")
@pytest.mark.skipif(bool(unable(cores=2)), reason="this needs two cores")
@pytest.mark.skipif(not gil_enabled(), reason="there is no lock to wait for")
def test_eight_loops_on_two_cores_wait_for_the_lock_as_well() -> None:
    with sessions("poll", 8) as opened, stays(opened) as where:
        measure_hops(opened, seconds=2)
    assert where.for_lock is not None
    assert where.for_lock > 0.4


def test_a_kernel_that_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_read", lambda thread: None)
    with sessions("queue", 1) as opened, stays(opened) as where:
        pass
    assert (where.running, where.for_core, where.for_lock) == (None, None, None)


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


@linux
def test_a_case_is_measured() -> None:
    before = os.sched_getaffinity(0)
    case = measure_case(2, 1, seconds=0.05, runs=1)
    assert (case.loops, case.cores, case.room) == (2, 1, False)
    assert min(case.plain, case.computing, case.sleeping) > 0
    assert os.sched_getaffinity(0) == before


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
