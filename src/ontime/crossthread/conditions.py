"""The conditions of an experiment, and the settings that it refuses.

Cores, the switch interval, the GIL, and what the system counts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from looplab._numbers import count_of, seconds_of

__all__ = [
    "check_cpu",
    "gil_enabled",
    "on_cores",
    "pinned",
    "switch_interval",
    "unable",
    "voluntary",
]


def voluntary() -> int | None:
    """Voluntary context switches of this thread so far."""
    try:
        import resource  # not on Windows, not in a browser

        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    except (ImportError, AttributeError):
        return None


@contextmanager
def switch_interval(seconds: float) -> Iterator[None]:
    """Change the interpreter's switch interval in the block.

    It is how long a thread waits for the interpreter before it asks the one that runs
    to let go: 0.005 s unless changed.

    Raises:
        TypeError: *seconds* is not a number.
        ValueError: *seconds* is not above 0 and finite.
    """
    seconds = seconds_of(seconds, "seconds", above=True)
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def pinned(cpu: int | None) -> Iterator[None]:
    """Keep the calling thread on one core in the block; None changes nothing.

    Threads that are started inside inherit the core.

    Raises:
        TypeError: *cpu* is not a whole number.
        ValueError: this process may not use that core.
        NotImplementedError: the system pins no threads.
    """
    if cpu is None:
        yield
        return
    check_cpu(cpu)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def on_cores(count: int | None) -> Iterator[None]:
    """Keep the calling thread on so many cores in the block; None changes nothing.

    Threads that are started inside inherit them.  The first cores that this process
    may use are taken.

    Raises:
        TypeError: *count* is not a whole number.
        ValueError: *count* is below 1, or this process may not use so many.
        NotImplementedError: the system pins no threads.
    """
    if count is None:
        yield
        return
    count_of(count, "count")
    if not hasattr(os, "sched_getaffinity"):
        raise NotImplementedError(
            "this system cannot pin a thread to a core: leave the cores out (Linux can)"
        )
    before = os.sched_getaffinity(0)
    if count > len(before):
        raise ValueError(
            f"this process may use {len(before)} cores, not {count}: give at most "
            f"{len(before)}"
        )
    os.sched_setaffinity(0, set(sorted(before)[:count]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def unable(*, cores: int = 1, counts: bool = False) -> str:
    """Why an experiment cannot run here, as a sentence; empty if it can.

    Args:
        cores: how many cores it pins threads to; 1 pins none.
        counts: whether it needs the context switches of a thread.
    """
    if cores > 1:
        if not hasattr(os, "sched_getaffinity"):
            return "not run: this system cannot pin a thread to a core (Linux can)"
        found = len(os.sched_getaffinity(0))
        if found < cores:
            return (
                f"not run: this needs {cores} cores, and this process may use {found}: "
                "allow it more (taskset, the CPU limit of a container), or take a "
                "machine that has them"
            )
    if counts and voluntary() is None:
        return "not run: this system does not count a thread's context switches"
    return ""


def gil_enabled() -> bool:
    """Whether one thread at a time runs Python: False on a free-threaded build."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


# What is refused


def check_cpu(cpu: int) -> None:
    """Refuse a core that this process may not use."""
    if isinstance(cpu, bool) or not isinstance(cpu, int):
        raise TypeError(f"cpu must be the number of a core, not {cpu!r}")
    if not hasattr(os, "sched_getaffinity"):
        raise NotImplementedError(
            "this system cannot pin a thread to a core: leave cpu out (Linux can)"
        )
    allowed = sorted(os.sched_getaffinity(0))
    if cpu not in allowed:
        raise ValueError(
            f"this process may not use core {cpu}: choose from "
            f"{', '.join(map(str, allowed))}"
        )
