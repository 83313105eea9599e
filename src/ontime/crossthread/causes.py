"""What a hop waits for: one table of loops and cores, and an intervention a column.

A hop to a loop that polls can wait for two things: for the interpreter's lock and for a
core.  Each is taken away by an intervention that changes nothing else of the program:

* the loops *compute* in their gap, without the lock: others get the lock, no core;
* the loops *sleep* in their gap: others get the lock and a core;
* a Python without the lock (``python -X gil=0``): measure the same there.

What a cause explains is told by what shortens the hop when it is taken away.
:func:`stays` counts the same from the other side: Linux says how long each thread ran,
and how long it was ready to run and had no core.  A loop that polls never waits for
anything else than these two, so that the rest of its time is the wait for the lock.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .measure import measure_hops, on_cores
from .session import Session, sessions

__all__ = ["Case", "Stays", "measure_case", "stays"]

_SECONDS = 0.2  # of each run
#: The settings of the sessions for each column.  The gap in which loops compute, or
#: sleep, is longer than a wake-up takes.
_COLUMNS = {
    "plain": (0.0, False),
    "computing": (3e-5, True),
    "sleeping": (1e-3, False),
}


@dataclass(slots=True)
class Stays:
    """Where the threads of sessions were, as loops: 1.0 is one loop all the time.

    Attributes:
        running: on a core.
        for_core: ready to run, without a core.
        for_lock: neither, which of a loop that polls is the wait for the lock; of one
            that waits it is that.  None where the system does not tell.
    """

    running: float | None = None
    for_core: float | None = None
    for_lock: float | None = None


@contextmanager
def stays(opened: Sequence[Session]) -> Iterator[Stays]:
    """Note where the threads of *opened* are in the block; filled in at its end."""
    threads = [session.call(threading.get_native_id) for session in opened]
    noted = Stays()
    before = [_read(thread) for thread in threads]
    yield noted
    after = [_read(thread) for thread in threads]
    running = for_core = 0.0
    for first, last in zip(before, after, strict=True):
        if first is None or last is None:
            return
        wall, ran, queued = (b - a for a, b in zip(first, last, strict=True))
        running += ran / wall
        for_core += queued / wall
    noted.running, noted.for_core = running, for_core
    noted.for_lock = max(0.0, len(threads) - running - for_core)


def _read(thread: int) -> tuple[float, float, float] | None:
    """The time, and seconds that a thread ran and was ready to run without a core."""
    try:
        text = Path(f"/proc/self/task/{thread}/schedstat").read_text("ascii")
        ran, queued, _ = text.split()
    except (OSError, ValueError):  # not Linux, or a kernel that does not count
        return None
    return time.perf_counter(), int(ran) / 1e9, int(queued) / 1e9


@dataclass(frozen=True, slots=True)
class Case:
    """Hops to some polling loops on some cores, plain and under two interventions.

    Attributes:
        loops: how many loops poll.
        cores: how many cores their threads and the caller may use.
        plain: seconds of a hop, on average.
        computing: the same where the loops compute in their gap, without the lock.
        sleeping: the same where they sleep in it.
        for_lock: how many loops waited for the lock, on average, while they only poll.
        for_core: how many waited for a core.
    """

    loops: int
    cores: int
    plain: float
    computing: float
    sleeping: float
    for_lock: float | None
    for_core: float | None

    @property
    def by_lock(self) -> float:
        """How many times as short a hop is when the lock is given back."""
        return self.plain / self.computing

    @property
    def by_both(self) -> float:
        """How many times as short it is when the lock and the core are."""
        return self.plain / self.sleeping

    def __repr__(self) -> str:
        text = (
            f"{self.loops} on {self.cores}: a hop {self.plain * 1000:7.3f} ms; "
            f"loops compute in the gap {self.computing * 1000:7.3f}, "
            f"sleep in it {self.sleeping * 1000:6.3f}"
        )
        if self.for_lock is None or self.for_core is None:
            return text
        return (
            f"{text}; loops that wait for the lock {self.for_lock:.1f}, "
            f"for a core {self.for_core:.1f}"
        )


def measure_case(loops: int, cores: int) -> Case:
    """Measure hops to *loops* polling loops on *cores* cores, with interventions.

    Each figure is the median of the means of three runs of a fifth of a second.

    Args:
        loops: how many loops poll.
        cores: how many cores their threads and the caller may use (see :func:`unable`).

    Raises:
        TimeoutError: a loop did not answer within five minutes.
    """
    means: dict[str, list[float]] = {name: [] for name in _COLUMNS}
    places: list[Stays] = []
    for _ in range(3):
        for name, (window, busy) in _COLUMNS.items():
            with (
                on_cores(cores),
                sessions("poll", loops, window=window, busy=busy) as opened,
                stays(opened) as where,
            ):
                waits = measure_hops(opened, seconds=_SECONDS, hops=1_000_000)
            means[name].append(waits.total / len(waits.taken))
            if name == "plain":
                places.append(where)
    return Case(
        loops,
        cores,
        **{name: statistics.median(column) for name, column in means.items()},
        for_lock=_middle([where.for_lock for where in places]),
        for_core=_middle([where.for_core for where in places]),
    )


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known and len(known) == len(values) else None
