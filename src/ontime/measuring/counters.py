"""Tools that count the instructions of a process."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["COUNTERS", "Counter", "first_that_counts"]


@dataclass(frozen=True)
class Counter:
    """A tool that counts the instructions of a process.

    Attributes:
        name: what the reader is told.
        command: the words before the process's own.
        pattern: finds the number in what the tool prints to the standard error.
    """

    name: str
    command: tuple[str, ...]
    pattern: str

    def find(self, text: str) -> int | None:
        """The number in *text*."""
        match = re.search(self.pattern, text, re.MULTILINE)
        return int(match[1].replace(",", "")) if match else None


_PERF = "perf stat -x ; -e instructions:u"
_VALGRIND = "valgrind --tool=cachegrind --cache-sim=no"
COUNTERS = (
    Counter("perf", tuple(_PERF.split()), r"^(\d+);.*instructions"),
    Counter(
        "Valgrind",
        (*_VALGRIND.split(), f"--cachegrind-out-file={os.devnull}"),
        r"I +refs: +([\d,]+)",
    ),
)


def first_that_counts(
    run: Callable[[Sequence[str]], str | None], counters: Sequence[Counter] = COUNTERS
) -> Counter | None:
    """The first counter that works here; None if none does.

    Args:
        run: runs something short behind these words; returns what was printed to the
            standard error, or None if it failed.
        counters: those that are tried.
    """
    for counter in counters:
        if shutil.which(counter.command[0]) and counter.find(
            run(counter.command) or ""
        ):
            return counter
    return None
