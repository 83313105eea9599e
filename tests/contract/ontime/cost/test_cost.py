"""Costs that are measured in clean interpreters: counts, and what fails there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ontime.cost import WorkFailedError, compare_variants, cpu_cost, measure
from ontime.cost.works import nothing

pytest.importorskip("pyperf")

BRIEF: dict[str, Any] = {"values": 1, "processes": 1, "timeout": 240, "calls": 20}


def mark() -> None:
    os.environ["MARKED"] = "yes"


async def wants_the_mark() -> None:
    assert os.environ["MARKED"] == "yes"


async def double(number: int) -> int:
    print("{}" * 100)
    assert number == 21
    return 2 * number


async def signs(path: str) -> None:
    """Write the number of the process, once for each way to await."""
    with Path(path).open("a") as file:  # noqa: ASYNC230 - it is short
        file.write(f"{os.getpid()}\n")


async def raises() -> None:
    raise ValueError("no good\nat all")


async def only_in_sequence() -> None:
    import asyncio

    task = asyncio.current_task()
    assert task is not None
    if "only_in_sequence" in repr(task.get_coro()):
        raise RuntimeError("not in a task of mine")


def test_the_cost_of_a_call() -> None:
    table = cpu_cost(nothing, values=3, processes=2, timeout=240)
    (row,) = table
    assert row.name == "nothing"
    assert len(row.cpus) == len(row.walls) == 6
    assert 0 < row.low <= row.cpu == table.cpu <= row.high
    assert row.calls > 1
    assert (row.tasks, table.note) == ("_asyncio", "")


def test_the_ways_take_turns_in_processes_of_their_own(tmp_path: Path) -> None:
    """A machine that is slow for some seconds is then slow for all of them."""
    path = tmp_path / "book"
    ways = ("in sequence", "tasks")
    brief: dict[str, Any] = {"calls": 1, "values": 2, "processes": 2}
    table = compare_variants(signs, args=(str(path),), variants=ways, times=1, **brief)
    assert [len(row.cpus) for row in table] == [4, 4]
    processes = dict.fromkeys(path.read_text().splitlines())
    assert len(processes) == 2 + 2 * 2, "a trial of each, then two rounds"


def test_what_reaches_the_function() -> None:
    assert cpu_cost(double, args=(21,), **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="double raised AssertionError"):
        cpu_cost(double, args=(22,), **BRIEF)
    assert cpu_cost(wants_the_mark, setup=mark, **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="not a coroutine function"):
        cpu_cost("ontime.cost.works:asyncio.run", **BRIEF)


def test_variants_that_are_not_to_be_had_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = measure.importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name: None if name in ("anyio", "uvloop") else find(name),
    )
    table = compare_variants(
        variants=("in sequence", "anyio group", "tasks, eager"),
        loops=("asyncio", "uvloop"),
        **BRIEF,
    )
    assert table["anyio group"].unavailable.startswith("anyio is not installed")
    assert "pip install uvloop" in table["in sequence", "uvloop"].unavailable
    if sys.version_info < (3, 12):
        assert table["tasks, eager"].unavailable == "needs Python 3.12 or newer"
    assert "pip install anyio" in repr(table)


def test_a_variant_that_fails_has_a_row_that_says_why() -> None:
    """As eager tasks do on uvloop 0.23.0 with Python 3.13.0."""
    ways = ("in sequence", "tasks")
    table = compare_variants(only_in_sequence, variants=ways, **BRIEF)
    assert table["in sequence"].cpu > 0
    assert table["tasks"].unavailable == "failed: RuntimeError: not in a task of mine"
    with pytest.raises(WorkFailedError, match="in sequence raised ValueError: no good"):
        compare_variants(raises, variants=ways, **BRIEF)


# -- instructions ----------------------------------------------------------------------
