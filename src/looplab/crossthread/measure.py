"""Measure sessions: hops, messages, and what they cost while they wait.

Counts are what can be relied on (turns, context switches), then ratios; a time of one
run on one machine is a draw from a lottery, which is what chapter 6 is about.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from .idle import count_turns
from .session import Session, check_count, check_cpu

__all__ = [
    "Idle",
    "Waits",
    "gil_enabled",
    "measure_hops",
    "measure_idle",
    "measure_messages",
    "measure_wakes",
    "pinned",
    "switch_interval",
    "unable",
]


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of one thread, for others or for the interpreter.

    Attributes:
        taken: seconds of each wait, in order.
        voluntary: voluntary context switches of the calling thread: how often it went
            to sleep; None where the system does not count them for a thread.
        cpu: seconds of CPU time of the calling thread.
    """

    taken: tuple[float, ...]
    voluntary: int | None
    cpu: float

    @property
    def median(self) -> float:
        """The middle one, in seconds."""
        return median(self.taken)

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
        """Voluntary context switches for each wait.

        Raises:
            NotImplementedError: the system does not count them for a thread.
        """
        if self.voluntary is None:
            raise NotImplementedError(
                "this system does not count the context switches of a thread: Linux "
                "does (resource.RUSAGE_THREAD)"
            )
        return self.voluntary / len(self.taken)

    def __repr__(self) -> str:
        count = len(self.taken)
        text = (
            f"{count:,} wait{'' if count == 1 else 's'}: "
            f"median {self.median * 1000:.3f} ms, worst {self.worst * 1000:.3f} ms"
        )
        if self.voluntary is None:
            return text
        return f"{text}, {self.voluntary_each:.1f} voluntary switches each"


@dataclass(frozen=True, slots=True)
class Idle:
    """What sessions did while nobody sent them anything.

    Attributes:
        turns: turns of each loop while they were counted.
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
        """The turns of the loop that turned most."""
        return max(self.turns)

    @property
    def share(self) -> float:
        """Share of a core that all of them used together; 1 is a whole core."""
        return self.cpu / self.wall

    def __repr__(self) -> str:
        loops = len(self.turns)
        return (
            f"{loops} idle loop{'' if loops == 1 else 's'} for {self.seconds:.2f} s: "
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
        cpu: the core for the calling thread meanwhile; any if None.

    Raises:
        ValueError: no session was given, or a number is out of range.
        TypeError: a number is none.
        RuntimeError: a session is not open.
        TimeoutError: a loop did not answer within a minute.
        NotImplementedError: *cpu* was given and the system pins no threads.
    """
    return _waits([session.hop for session in _some(opened)], seconds, hops, cpu)


def measure_messages(
    opened: Sequence[Session],
    *,
    seconds: float = 0.5,
    messages: int = 2000,
    cpu: int | None = None,
) -> Waits:
    """Send messages from session to session and wait for each answer.

    A message goes through what the session's task waits on, so it is as late as the way
    makes it; a hop goes to the loop directly.  Arguments and errors are those of
    :func:`measure_hops`.
    """

    def timed(session: Session) -> Callable[[], float]:
        def ask() -> float:
            started = time.perf_counter()
            session.ask(None)
            return time.perf_counter() - started

        return ask

    asked = [timed(session) for session in _some(opened)]
    return _waits(asked, seconds, messages, cpu)


def measure_wakes(
    wakes: int = 60, *, nap: float = 0.001, cpu: int | None = None
) -> Waits:
    """Sleep *wakes* times, and note how much later than due the thread goes on.

    A thread that wakes must have the interpreter before it can run Python: what it
    waits beyond the sleep is the system's lateness and the wait for the interpreter.
    Nothing is asked of anybody, so this tells what the other threads of the process do
    to one that only wants to go on.

    Args:
        wakes: how often.
        nap: seconds of each sleep.
        cpu: the core for the calling thread meanwhile; any if None.

    Returns:
        Lateness of each wake-up.  One voluntary switch each is the sleep itself.

    Raises:
        TypeError: a number is none.
        ValueError: a number is out of range.
        NotImplementedError: *cpu* was given and the system pins no threads.
    """
    nap = _seconds(nap)

    def late() -> float:
        due = time.perf_counter() + nap
        time.sleep(nap)
        return time.perf_counter() - due

    check_count(wakes, "wakes", 1_000_000)
    return _waits([late] * wakes, nap, wakes, cpu)


def measure_idle(opened: Sequence[Session], seconds: float = 0.3) -> Idle:
    """Count turns and CPU time of sessions while nobody sends them anything.

    Raises:
        ValueError: no session was given, or *seconds* is not above 0.
        TypeError: *seconds* is no number.
        RuntimeError: a session is not open.
        TimeoutError: a loop did not answer within a minute.
    """
    opened = _some(opened)
    seconds = _seconds(seconds)
    began = time.perf_counter()
    before = [session.call(time.thread_time) for session in opened]
    # The answers to these calls need a turn or two that are not of the waiting.
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


def _waits(
    calls: list[Callable[[], float]], seconds: float, count: int, cpu: int | None
) -> Waits:
    seconds = _seconds(seconds)
    check_count(count, "the number of hops", 1_000_000)
    taken: list[float] = []
    with pinned(cpu):
        end = time.perf_counter() + seconds
        switched, used = _voluntary(), time.thread_time()
        while len(taken) < count and (
            len(taken) < len(calls) or time.perf_counter() < end
        ):
            taken.append(calls[len(taken) % len(calls)]())
        used = time.thread_time() - used
        switched_after = _voluntary()
    if switched is None or switched_after is None:
        return Waits(tuple(taken), None, used)
    return Waits(tuple(taken), switched_after - switched, used)


def _voluntary() -> int | None:
    """Voluntary context switches of this thread so far."""
    try:
        import resource  # not on Windows, not in a browser

        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    except (ImportError, AttributeError):
        return None


# The conditions of an experiment


@contextmanager
def switch_interval(seconds: float) -> Iterator[None]:
    """Change the interpreter's switch interval in the block.

    It is how long a thread waits for the interpreter before it asks the one that runs
    to let go: 0.005 s unless changed.

    Raises:
        TypeError: *seconds* is no number.
        ValueError: *seconds* is not above 0 and finite.
    """
    seconds = _seconds(seconds)
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
        TypeError: *cpu* is no whole number.
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
    if counts and _voluntary() is None:
        return "not run: this system does not count a thread's context switches"
    return ""


def gil_enabled() -> bool:
    """Whether one thread at a time runs Python: False on a free-threaded build."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


def _some(opened: Sequence[Session]) -> list[Session]:
    opened = list(opened)
    if not opened:
        raise ValueError("no session was given: open one with Session() or sessions()")
    for session in opened:
        if not isinstance(session, Session):
            raise TypeError(f"{session!r} is no Session")
        assert session.loop  # raises if it is not open
    return opened


def _seconds(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"seconds must be a number, not {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"seconds must be above 0 and finite, not {value:g}")
    return float(value)
