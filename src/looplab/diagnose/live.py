"""What ``looplab lag`` prints, from inside the program that it runs."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from looplab._numbers import NS, percentile
from looplab._words import seconds

from .events import Code
from .naming import own_line, short
from .recorder import DATA, THREAD, TIMER, WATCHED, WIDTH
from .sampler import source_line

_LONG = 0.3  # of a period: a loop that is held for so long is what a line is about
_OUTSIDE = (THREAD, DATA, TIMER)


class Live:
    """Stands for a :class:`.writer.Store`, and prints a line for each period.

    Lateness is that of timers, of data and of what threads hand over.

    Args:
        every: seconds of a period.
        now: tells the time in nanoseconds.
    """

    def __init__(
        self, every: float, now: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._every = every
        self._now = now
        self._rows: list[tuple[Any, ...]] = []  # callbacks that ended
        # Of each loop: the callback that runs, since when, and when it was seen last.
        self._held: dict[int, tuple[int, int, int]] = {}
        self._lines: dict[tuple[int, int], Counter[Code]] = {}  # where it was seen
        self._begin()

    def _begin(self) -> None:
        self._begun = self._now()
        self._late: list[float] = []
        self._busy = 0
        self._longest: tuple[int, Any] = (-1, None)

    def write(self, loop: int, part: dict[str, Any]) -> None:
        """Take what is known about *loop*."""
        if "rows" in part:
            self._rows.append((loop, *part["rows"]))
        for at, callback, weight, stack in part.get("samples", ()):
            frames = zip(*stack, strict=True)
            line = own_line(Code.of(c, source_line(c, i)) for c, i in frames)
            if line is not None:
                lines = self._lines.setdefault((loop, callback), Counter())
                lines[line] += weight
            running, since, _ = self._held.get(loop, (-1, 0, 0))
            begun = since if running == callback else at - weight
            self._held[loop] = callback, begun, at

    def flush(self) -> None:
        """Count what was taken; print a line if a period is over."""
        while self._rows:
            self._ended(*self._rows.pop(0))
        if self._now() - self._begun >= self._every * NS:
            self.close()

    def close(self) -> None:
        """Print a line about what was counted."""
        text = self.line((self._now() - self._begun) / NS)
        self._begin()
        with suppress(AttributeError, OSError, ValueError):  # there may be no stderr
            if text or sys.stderr.isatty():
                clock, text = time.strftime("%H:%M:%S"), text or "nothing ran"
                print(f"{clock}  {text}", file=sys.stderr, flush=True)

    def abandon(self) -> None:
        """In a forked process: there is nothing to close."""

    def _ended(self, loop: int, first: int, notes: Any, due: Any, came: Any) -> None:
        """Callbacks have ended, each at the line at which it was seen most."""
        waits = {number: when for number, _, when, _ in due}
        waits |= {number: when for number, when, _ in came}
        rows = zip(*[notes[place::WIDTH] for place in range(WIDTH)], strict=True)
        for number, (ready, by, run, ended, _, _, code, _) in enumerate(rows, first):
            if by in _OUTSIDE or by <= WATCHED:
                since = min(ready, waits.get(number, ready))
                self._late.append(max(0, run - since) / NS)
            self._busy += ended - run
            seen = self._lines.pop((loop, number), None)
            if ended - run > self._longest[0]:
                where = seen.most_common(1)[0][0] if seen else code
                self._longest = ended - run, where

    def line(self, period: float) -> str:
        """How late the callbacks of so many seconds were, and who holds a loop or
        held it longest; empty if nothing ran."""
        for loop, (callback, since, until) in self._held.items():
            lines = self._lines.get((loop, callback))
            long = until - since >= _LONG * period * NS
            if lines and long:  # those of a callback that has ended are gone
                place = _at(lines.most_common(1)[0][0])
                return f"held for {seconds((until - since) / NS)} so far by {place}"
        if not self._late:
            return ""
        longest, where = self._longest
        code = where if isinstance(where, Code) else Code.of(where)
        return (
            f"late p50 {seconds(percentile(self._late, 50)):>8}  "
            f"p99 {seconds(percentile(self._late, 99)):>8}  "
            f"worst {seconds(max(self._late)):>8}  "
            f"busy {min(self._busy / NS / period, 1):>4.0%}  "
            f"longest {seconds(longest / NS)} {_at(code)}"
        )


def _at(code: Code) -> str:
    return f"{code.name} {short(code.place)}".rstrip()
