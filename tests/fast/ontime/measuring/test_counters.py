"""Tools that count the instructions of a process."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from ontime.measuring.counters import COUNTERS, Counter, first_that_counts


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("==7== I   refs:      313,146,377\n", 313_146_377),
        ("==7== I refs: 12\n", 12),
        ("valgrind: no such tool", None),
    ],
)
def test_valgrind_is_read(text: str, number: int | None) -> None:
    assert COUNTERS[1].find(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1234567;;instructions:u;100;100.00;;\n", 1_234_567),
        ("<not supported>;;instructions:u;0;100.00;;\n", None),
    ],
)
def test_perf_is_read(text: str, number: int | None) -> None:
    assert COUNTERS[0].find(text) == number


def test_the_first_that_counts_is_taken() -> None:
    nowhere = Counter("nowhere", ("no-such-counter",), r"(\d+)")
    fails = Counter("fails", (sys.executable, "fails"), r"(\d+)")
    silent = Counter("silent", (sys.executable, "silent"), r"(\d+)")
    counts = Counter("counts", (sys.executable, "counts"), r"(\d+)")
    said = {"fails": None, "silent": "nothing", "counts": "12"}
    asked = []

    def run(words: Sequence[str]) -> str | None:
        asked.append(words[-1])
        return said[words[-1]]

    assert first_that_counts(run, [nowhere, fails, silent, counts]) is counts
    assert asked == ["fails", "silent", "counts"]
    assert first_that_counts(run, [nowhere, fails]) is None
