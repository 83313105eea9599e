"""Tools that count the instructions of a process."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from . import processes

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


def first_that_counts(env: Mapping[str, str], timeout: float = 600.0) -> Counter | None:
    """The first counter that works here, in at most *timeout* seconds; or None."""
    for counter in COUNTERS:
        if not shutil.which(counter.command[0]):
            continue
        with suppress(TimeoutError):
            # "true" is no Python: the question is whether the tool counts at all.
            done = processes.run([*counter.command, "true"], env, timeout)
            if not done.returncode and counter.find(done.stderr):
                return counter
    return None
