"""Tools that count instructions."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass

from .clean import environ, run

__all__ = ["find_counter"]


@dataclass(frozen=True)
class _Counter:
    name: str
    command: tuple[str, ...]
    pattern: str

    def find(self, said: str) -> int | None:
        found = re.search(self.pattern, said, re.MULTILINE)
        return int(found[1].replace(",", "")) if found else None


_COUNTERS = (
    _Counter(
        "perf",
        ("perf", "stat", "-x", ";", "-e", "instructions:u"),
        r"^(\d+);.*instructions",
    ),
    _Counter(
        "Valgrind",
        (
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            f"--cachegrind-out-file={os.devnull}",
        ),
        r"I +refs: +([\d,]+)",
    ),
)


def find_counter(timeout: float) -> _Counter | None:
    for counter in _COUNTERS:
        if shutil.which(counter.command[0]) is None:
            continue
        # "true" is no Python: the question is whether the tool counts at all.
        status, said = run([*counter.command, "true"], environ(), timeout)
        if status == 0 and counter.find(said):
            return counter
    return None
