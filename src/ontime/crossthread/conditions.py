"""The conditions of an experiment: cores and the switch interval."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ontime.measuring.cores import usable_cores

__all__ = ["on_cores", "pinned", "switch_interval", "unable", "voluntary"]


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
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def pinned(*cpus: int | None) -> Iterator[None]:
    """Keep the calling thread on these cores in the block; None changes nothing.

    Threads that are started inside inherit them.  Only Linux pins threads.
    """
    if None in cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [cpu for cpu in cpus if cpu is not None])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Keep the calling thread on so many cores in the block, as :func:`pinned` does.

    The first cores that this process may use are taken.
    """
    with pinned(*sorted(os.sched_getaffinity(0))[:count]):
        yield


def unable(*, cores: int = 1, counts: bool = False) -> str:
    """Why an experiment cannot run here, as a sentence; empty if it can.

    Args:
        cores: how many cores it pins threads to; 1 pins none.
        counts: whether it needs the context switches of a thread.
    """
    if cores > 1:
        if not hasattr(os, "sched_getaffinity"):
            return "not run: this system cannot pin a thread to a core (Linux can)"
        if usable_cores() < cores:
            return (
                f"not run: this needs {cores} cores, and this process may use "
                f"{usable_cores()}: allow it more (taskset, the CPU limit of a "
                "container), or take a machine that has them"
            )
    if counts and voluntary() is None:
        return "not run: this system does not count a thread's context switches"
    return ""
