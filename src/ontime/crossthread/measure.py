"""Measure sessions: hops, messages, and what they cost while they wait.

Counts are what can be relied on (iterations, context switches), then ratios; a time of
one run on one machine is a draw from a lottery, which is what chapter 6 is about.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from looplab.idle import count_turns
from ontime.measuring.machine import usable_cores

from .session import Session, seconds_of

__all__ = [
    "Idle", "Waits", "measure_hops", "measure_idle", "measure_messages",
    "measure_wakes", "on_cores", "pinned", "switch_interval", "unable",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of one thread, for others or for the interpreter.

    Attributes:
        taken: seconds of each wait, in order.
        voluntary: voluntary context switches of the calling thread: how often it went
            to sleep; None where the system does not count them for a thread.
    """

    taken: tuple[float, ...]
    voluntary: int | None

    @property
    def median(self) -> float:
        """The middle one, in seconds."""
        return statistics.median(self.taken)

    @property
    def worst(self) -> float:
        """The longest, in seconds."""
        return max(self.taken)

    @property
    def total(self) -> float:
        """All together, in seconds."""
        return math.fsum(self.taken)

    @property
    def voluntary_each(self) -> float:
        """Voluntary context switches for each wait, where they are counted."""
        assert self.voluntary is not None, "see unable(counts=True)"
        return self.voluntary / len(self.taken)

    def __repr__(self) -> str:
        text = (
            f"{len(self.taken):,} waits: median {self.median * 1000:.3f} ms, "
            f"worst {self.worst * 1000:.3f} ms"
        )
        if self.voluntary is None:
            return text
        return f"{text}, {self.voluntary_each:.1f} voluntary switches each"


@dataclass(frozen=True, slots=True)
class Idle:
    """What sessions did while nobody sent them anything.

    Attributes:
        turns: iterations of each loop while they were counted.
        seconds: how long they were counted.
        cpu: seconds of CPU time that their threads used in *wall* seconds.
        wall: the same time and a little more, as the CPU time is asked of each loop.
    """

    turns: tuple[int, ...]
    seconds: float
    cpu: float
    wall: float

    @property
    def most(self) -> int:
        """The iterations of the busiest loop."""
        return max(self.turns)

    @property
    def share(self) -> float:
        """Share of a core that all of them used together; 1 is a whole core."""
        return self.cpu / self.wall

    def __repr__(self) -> str:
        return (
            f"{len(self.turns)} idle loops for {self.seconds:.2f} s: "
            f"{sum(self.turns):,} turns, {self.share:.2%} of a core"
        )


def measure_hops(
    opened: Sequence[Session],
    *,
    seconds: float = 0.5,
    hops: int = 2000,
    cpu: int | None = None,
) -> Waits:
    """Hop from session to session until *seconds* have passed or *hops* are done.

    Args:
        opened: open sessions; each is called in turn, at least once.
        seconds: after this no further hop begins.
        hops: how many at most.
        cpu: the core for the calling thread meanwhile (Linux); any if None.

    Raises:
        TimeoutError: a loop did not answer within five minutes.
    """
    with pinned(cpu):
        return _waits([session.hop for session in opened], seconds, hops)


def measure_messages(
    opened: Sequence[Session], *, seconds: float = 0.5, messages: int = 2000
) -> Waits:
    """Send messages from session to session and wait for each answer.

    A message goes through what the session's task waits on, so it is as late as the way
    makes it; a hop goes to the loop directly.  The rest is as for :func:`measure_hops`.
    """
    asks = [partial(seconds_of, session.ask, None) for session in opened]
    return _waits(asks, seconds, messages)


def measure_wakes(wakes: int) -> Waits:
    """Sleep *wakes* times for 1 ms, and note how late the thread goes on.

    A thread that wakes must have the interpreter before it can run Python: what it
    waits beyond the sleep is the system's lateness and the wait for the interpreter.
    Nothing is asked of anybody, so this tells what the other threads of the process do
    to one that only wants to go on.

    Returns:
        Lateness of each wake-up.  One voluntary switch each is the sleep itself.
    """

    def late() -> float:
        due = time.perf_counter() + 0.001
        time.sleep(0.001)
        return time.perf_counter() - due

    return _waits([late] * wakes, 0, wakes)


def measure_idle(opened: Sequence[Session], seconds: float) -> Idle:
    """Count iterations and CPU time of sessions while nobody sends them anything.

    Raises:
        TimeoutError: a loop did not answer within five minutes.
    """
    began = time.perf_counter()
    before = [session.call(time.thread_time) for session in opened]
    # The answers to these calls need an iteration or two that are not of the waiting.
    time.sleep(0.02)
    with count_turns(*(session.loop for session in opened)) as turns:
        time.sleep(seconds)
    after = [session.call(time.thread_time) for session in opened]
    wall = time.perf_counter() - began
    by_loop = turns.by_loop
    return Idle(
        tuple(by_loop[session.loop].turns for session in opened),
        turns.seconds,
        math.fsum(after) - math.fsum(before),
        wall,
    )


def _waits(calls: Sequence[Callable[[], float]], seconds: float, count: int) -> Waits:
    taken: list[float] = []
    end = time.perf_counter() + seconds
    before = voluntary()
    while len(taken) < count and (len(taken) < len(calls) or time.perf_counter() < end):
        taken.append(calls[len(taken) % len(calls)]())
    after = voluntary()
    switches = None if before is None or after is None else after - before
    return Waits(tuple(taken), switches)


# -- the conditions of an experiment: cores and the switch interval -------------------


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
