"""Tools that count instructions."""

from __future__ import annotations

import sys

import pytest

from ontime.cost import (
    compare_variants,
    cpu_cost,
    lab,
)
from ontime.cost.works import nothing
from ontime.measuring import counters
from tests.fast.ontime.cost.shared import (
    BRIEF,
    needs_pyperf,
)


@pytest.fixture
def counter() -> None:
    if lab._find_counter(600) is None:
        pytest.skip("nothing counts instructions here")


@pytest.mark.slow
@needs_pyperf
@pytest.mark.usefixtures("counter")
def test_instructions_are_counted() -> None:
    table = cpu_cost(nothing, instructions=True, **BRIEF)
    counted = table.rows[0].instructions
    # Some 1,100 on 3.11; no clock has a part in it.
    assert counted is not None
    assert 100 < counted < 10_000
    assert "Instructions counted by" in table.note
    assert f"{counted:,.0f}" in repr(table)


@pytest.mark.slow
@needs_pyperf
@pytest.mark.usefixtures("counter")
def test_which_ways_to_await_grow_tenfold() -> None:
    """As the folded answer of section 2 of the notebook that goes deeper says.

    The notebook measures all of its ways; counted are the one that grows tenfold, and
    one of the others.
    """
    ways = ("wait_for", "gather")

    def counted(times: int) -> dict[str, float]:
        table = compare_variants(
            nothing, times=times, variants=ways, instructions=True, **BRIEF
        )
        return {row.name: row.instructions or 0 for row in table}

    two, twenty = counted(2), counted(20)
    grown = {way: twenty[way] / two[way] for way in ways}
    assert 9 < grown.pop("wait_for") < 11
    assert all(5.5 < times < 7.5 for times in grown.values()), grown


@needs_pyperf
def test_without_a_counter_the_table_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "COUNTERS", ())
    table = cpu_cost(nothing, instructions=True, **BRIEF)
    assert table.rows[0].instructions is None
    assert "Instructions were not counted" in repr(table)


def test_a_counter_that_cannot_count_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As perf says on a machine without hardware counters."""
    refuses = counters.Counter(
        "a", (sys.executable, "-c", "print('<not supported>;;instructions:u')"), r"^\d+"
    )
    counts = counters.Counter("b", (sys.executable, "-c", "print(12)"), r"^(\d+)")
    monkeypatch.setattr(counters, "COUNTERS", (refuses, counts))
    assert lab._find_counter(600) is counts
    hangs = counters.Counter(
        "c", (sys.executable, "-c", "import time; time.sleep(600)"), r"^(\d+)"
    )
    monkeypatch.setattr(counters, "COUNTERS", (hangs,))
    assert lab._find_counter(0.1) is None
    monkeypatch.setattr(counters, "COUNTERS", (refuses,))
    assert lab._find_counter(600) is None
