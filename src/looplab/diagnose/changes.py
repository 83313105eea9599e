"""Changes to a program that a replay can try before anybody edits a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from looplab._numbers import NS, count_of, number_of, seconds_of

Kind = Literal["move", "chunk", "faster", "workers", "yields"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to all callbacks that a pattern matches.

    Made by :func:`move`, :func:`chunk`, :func:`faster`, :func:`workers` and
    :func:`yields`.

    Attributes:
        kind: which of them.
        pattern: of a tag, a name, a task or a place; ``*`` stands for anything.
        amount: threads, nanoseconds of a piece, a factor, or workers.
    """

    kind: Kind
    pattern: str
    amount: float = 0

    def __str__(self) -> str:
        many = "a thread" if self.amount == 1 else f"{self.amount:g} threads"
        does = {
            "move": f"in {many}",
            "chunk": f"in pieces of {self.amount / 1e6:g} ms",
            "faster": f"{self.amount:g} times as fast",
            "workers": f"behind {self.amount:g} workers",
            "yields": "one after the other, with a turn for others between",
        }
        return f"{self.pattern} {does[self.kind]}"


def move(pattern: str, threads: int = 1) -> Change:
    """What *pattern* matches computes in a pool of *threads*, and the loop goes on.

    Raises:
        TypeError: if *threads* is not a whole number.
        ValueError: if it is below 1.
    """
    return Change("move", _text(pattern), count_of(threads, "threads"))


def chunk(pattern: str, seconds: float) -> Change:
    """What *pattern* matches gives way to others after each *seconds* of work.

    Raises:
        TypeError: if *seconds* is not a number.
        ValueError: if it is not above 0 and finite.
    """
    seconds = seconds_of(seconds, "a piece", above=True)
    return Change("chunk", _text(pattern), max(1, round(seconds * NS)))


def faster(pattern: str, times: float) -> Change:
    """What *pattern* matches takes one *times*-th of the time.

    Raises:
        TypeError: if *times* is not a number.
        ValueError: if it is not above 0 and finite.
    """
    times = number_of(times, "times", "number", above=True)
    return Change("faster", _text(pattern), times)


def workers(pattern: str, count: int) -> Change:
    """At most *count* pieces of the work that *pattern* matches are begun at a time.

    The next one is begun at once, as by a semaphore or a worker at a queue that is not
    empty: work that never waits gives nobody else a turn.

    Raises:
        TypeError: if *count* is not a whole number.
        ValueError: if it is below 1.
    """
    return Change("workers", _text(pattern), count_of(count, "workers"))


def yields(pattern: str) -> Change:
    """The work that *pattern* matches goes through one worker that lets others have a
    turn after each, as ``await asyncio.sleep(0)`` does."""
    return Change("yields", _text(pattern), 1)


def _text(pattern: str) -> str:
    if not pattern:
        raise ValueError("the pattern is empty: name a tag, a function, or file.py:12")
    return pattern
