"""Measure sessions: hops, messages, and what they cost while they wait.

Counts are what can be relied on (iterations, context switches), then ratios; a time of
one run on one machine is a draw from a lottery, which is what chapter 6 is about.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from looplab._numbers import count_of, seconds_of
from looplab.idle import count_turns

from .conditions import pinned, voluntary
from .results import Idle, Waits
from .session import Session

__all__ = [
    "measure_hops",
    "measure_idle",
    "measure_messages",
    "measure_wakes",
]


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
        TypeError: an argument is not a number.
        RuntimeError: a session is not open.
        TimeoutError: a loop did not answer within five minutes.
        NotImplementedError: *cpu* was given and the system pins no threads.
    """
    return _waits(
        [session.hop for session in _some(opened)], seconds, hops, cpu, "hops"
    )


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
    return _waits(asked, seconds, messages, cpu, "messages")


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
        TypeError: an argument is not a number.
        ValueError: a number is out of range.
        NotImplementedError: *cpu* was given and the system pins no threads.
    """
    nap = seconds_of(nap, "nap", above=True)
    count_of(wakes, "wakes", most=1_000_000)

    def late() -> float:
        due = time.perf_counter() + nap
        time.sleep(nap)
        return time.perf_counter() - due

    return _waits([late] * wakes, nap, wakes, cpu, "wakes")


def measure_idle(opened: Sequence[Session], seconds: float = 0.3) -> Idle:
    """Count iterations and CPU time of sessions while nobody sends them anything.

    Raises:
        ValueError: no session was given, or *seconds* is not above 0.
        TypeError: *seconds* is not a number.
        RuntimeError: a session is not open.
        TimeoutError: a loop did not answer within five minutes.
    """
    opened = _some(opened)
    seconds = seconds_of(seconds, "seconds", above=True)
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


def _waits(
    calls: list[Callable[[], float]],
    seconds: float,
    count: int,
    cpu: int | None,
    what: str,
) -> Waits:
    seconds = seconds_of(seconds, "seconds", above=True)
    count_of(count, what, most=1_000_000)
    taken: list[float] = []
    with pinned(cpu):
        end = time.perf_counter() + seconds
        switched, used = voluntary(), time.thread_time()
        while len(taken) < count and (
            len(taken) < len(calls) or time.perf_counter() < end
        ):
            taken.append(calls[len(taken) % len(calls)]())
        used = time.thread_time() - used
        switched_after = voluntary()
    if switched is None or switched_after is None:
        return Waits(tuple(taken), None, used)
    return Waits(tuple(taken), switched_after - switched, used)


def _some(opened: Sequence[Session]) -> list[Session]:
    opened = list(opened)
    if not opened:
        raise ValueError("no session was given: open one with Session() or sessions()")
    for session in opened:
        if not isinstance(session, Session):
            raise TypeError(f"{session!r} is not a Session")
        assert session.loop  # raises if it is not open
    return opened
