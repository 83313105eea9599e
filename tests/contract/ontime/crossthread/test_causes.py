"""What a hop waits for: the lock, or a core.

Where threads were is a count of the kernel and holds on a busy machine; how long a hop
took there is not tested.
"""

from __future__ import annotations

import os
import threading

import pytest

from ontime.crossthread import causes as module
from ontime.crossthread import (
    gil_enabled,
    measure_case,
    measure_hops,
    on_cores,
    sessions,
    stays,
    unable,
)

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


# ------------------------------------------------------------------ where threads are


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


# ------------------------------------------------------------------ a case


@linux
def test_a_case_is_measured() -> None:
    before = os.sched_getaffinity(0)
    case = measure_case(2, 1, seconds=0.05, runs=1)
    assert (case.loops, case.cores, case.room) == (2, 1, False)
    assert min(case.plain, case.computing, case.sleeping) > 0
    assert os.sched_getaffinity(0) == before
