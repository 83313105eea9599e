"""The figures: the times themselves are judged in the chapter's notebook.

Here are orders of size that hold on any machine, and counts.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest

from ontime.cost import (
    WorkFailedError,
    compare_costs,
    compare_variants,
    cpu_cost,
)
from ontime.cost.works import nothing
from tests.contract.left import SLOW
from tests.contract.ontime.cost.works import (
    double,
    in_two_threads,
    mark,
    only_alone,
    raises,
    speaks,
    wants_the_mark,
)
from tests.fast.ontime.cost.shared import (
    BRIEF,
    needs_pyperf,
)


@needs_pyperf
def test_the_cost_of_a_call() -> None:
    table = cpu_cost(nothing, values=3, processes=2, timeout=SLOW)
    (row,) = table
    assert row.name == "nothing"
    assert len(row.cpus) == len(row.walls) == 6
    assert row.low <= row.cpu <= row.high
    assert 5e-9 < table.cpu < 2e-5
    assert row.cpu * row.calls < 0.2  # one value takes some 20 ms
    assert row.tasks == "_asyncio"
    assert table.note == ""


@needs_pyperf
def test_the_works_take_turns(tmp_path: Path) -> None:
    """A machine that is slow for some seconds is then slow for all of them."""
    book = tmp_path / "book"
    works = [
        f"tests.contract.ontime.cost.works:signs_{name}" for name in ("first", "second")
    ]
    table = compare_costs(
        works, args=(str(book),), calls=1, values=2, processes=3, timeout=SLOW
    )
    assert [len(row.cpus) for row in table] == [6, 6]
    signed = dict.fromkeys(book.read_text().splitlines())
    names = [line.split()[0] for line in signed]
    assert names == ["first", "second"] * 4, "a trial of each, then three rounds"


@needs_pyperf
def test_other_threads_of_the_process_count() -> None:
    (row,) = cpu_cost(in_two_threads, **BRIEF)
    assert row.cpu > 2e-4


@needs_pyperf
def test_arguments_reach_the_function() -> None:
    assert cpu_cost(double, args=(21,), **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="AssertionError"):
        cpu_cost(double, args=(22,), **BRIEF)


@needs_pyperf
def test_a_setup_runs_first() -> None:
    assert cpu_cost(wants_the_mark, setup=mark, **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="KeyError: 'MARKED'"):
        cpu_cost(wants_the_mark, **BRIEF)


@needs_pyperf
def test_what_the_work_prints_is_not_taken_for_a_result(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cpu_cost(speaks, **BRIEF).cpu > 0
    assert capfd.readouterr() == ("", "")


@needs_pyperf
def test_it_works_beside_a_running_loop() -> None:
    async def main() -> float:
        return cpu_cost(nothing, **BRIEF).cpu

    assert asyncio.run(main()) > 0


@needs_pyperf
def test_variants_that_are_not_to_be_had_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anyio", None)
    monkeypatch.setitem(sys.modules, "uvloop", None)
    table = compare_variants(
        variants=("in sequence", "anyio group"),
        loops=("asyncio", "uvloop"),
        **BRIEF,
    )
    assert table["anyio group"].unavailable.startswith("anyio is not installed")
    assert "pip install uvloop" in table["in sequence", "uvloop"].unavailable
    with pytest.raises(ValueError, match="anyio group was not measured: anyio is not"):
        table.ratio("anyio group")
    assert "pip install anyio" in repr(table)
    assert "pip install anyio" in table._repr_html_()


EAGER = ("tasks", "tasks, eager", "gather", "gather, eager")


@needs_pyperf
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="eager tasks are in 3.12")
def test_without_eager_tasks_the_table_says_so() -> None:
    table = compare_variants(variants=EAGER, **BRIEF)
    for way in "tasks", "gather":
        eager = table[f"{way}, eager"]
        assert eager.unavailable == "needs Python 3.12 or newer"
        assert table[way].cpu > 0


@needs_pyperf
def test_a_variant_that_fails_has_a_row_that_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As eager tasks do on uvloop 0.23.0 with Python 3.13.0."""
    table = compare_variants(only_alone, variants=("in sequence", "tasks"), **BRIEF)
    assert table["in sequence"].cpu > 0
    assert table["tasks"].unavailable == "failed: RuntimeError: not in a task of mine"
    with pytest.raises(WorkFailedError, match="in sequence raised ValueError: no good"):
        compare_variants(raises, variants=("in sequence", "tasks"), **BRIEF)


@needs_pyperf
@pytest.mark.skipif(
    importlib.util.find_spec("nest_asyncio") is None,
    reason="needs nest_asyncio",
)
def test_a_patched_asyncio_is_reported() -> None:
    table = cpu_cost(nothing, setup="nest_asyncio:apply", **BRIEF)
    assert table.rows[0].tasks == "asyncio.tasks"
    assert "asyncio was patched" in repr(table)
