"""The case in one file, and what debug mode and a dump say of it."""

from __future__ import annotations

from tests.fast.book.spinning_loop.example import toolbox


def test_the_distilled_case_runs() -> None:
    found = toolbox.told("hops", loops=1, seconds=0.2)
    assert found["hops"] > 0
    assert 0 < found["median_ms"] <= found["worst_ms"]
