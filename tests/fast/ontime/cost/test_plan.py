"""Settings that are refused before anything is measured."""

from __future__ import annotations

import sys

import pytest

from ontime.cost import (
    MissingPackageError,
    compare_costs,
    compare_variants,
    cpu_cost,
)
from ontime.cost.works import nothing
from tests.fast.ontime.cost.shared import (
    needs_pyperf,
)


@needs_pyperf
@pytest.mark.parametrize("name", ["calls", "values", "processes"])
def test_counts(name: str) -> None:
    for count in 0, -1:
        with pytest.raises(ValueError, match=f"{name} is {count}: give 1 or more"):
            cpu_cost(nothing, **{name: count})
    for other, said in (
        (1.5, "1.5, a float"),
        ("3", "'3', a str"),
        (True, "True, a bool"),
    ):
        says = f"expected {name} as a whole number.*, got {said}"
        with pytest.raises(TypeError, match=says):
            cpu_cost(nothing, **{name: other})  # type: ignore[arg-type]


@needs_pyperf
def test_other_wrong_arguments() -> None:
    for seconds_ in 0, -1, float("nan"), float("inf"):
        with pytest.raises(
            ValueError, match=r"timeout is .* s: give a finite .* above 0"
        ):
            cpu_cost(nothing, timeout=seconds_)
    with pytest.raises(
        TypeError, match="timeout as a number of seconds, got '1', a str"
    ):
        cpu_cost(nothing, timeout="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"args must be a tuple, not 1: write args="):
        cpu_cost(nothing, args=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="loop is 'trio': there are asyncio and uv"):
        cpu_cost(nothing, loop="trio")
    with pytest.raises(TypeError, match="setup nothing must be a plain function"):
        cpu_cost(nothing, setup=nothing)
    with pytest.raises(TypeError, match="for one take cpu_cost"):
        compare_costs(nothing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="coro_fns is empty"):
        compare_costs({})
    with pytest.raises(ValueError, match="two coro_fns have the same name"):
        compare_costs([nothing, "ontime.cost.works:nothing"])
    with pytest.raises(TypeError, match=r"variants=\('gather',\)"):
        compare_variants(variants="gather")
    with pytest.raises(ValueError, match="loops is empty"):
        compare_variants(loops=())
    with pytest.raises(ValueError, match="variants has a word twice"):
        compare_variants(variants=("gather", "gather"))
    with pytest.raises(KeyError, match="no variant 'threads'; there are: in sequence"):
        compare_variants(variants=("threads",))
    for times, fix in (0, "1 or more"), (-2, "1 or more"), (1001, "1,000 or fewer"):
        with pytest.raises(ValueError, match=f"times is {times:,}: give {fix}"):
            compare_variants(times=times)
    with pytest.raises(TypeError, match=r"times as a whole number, got 2\.0, a float"):
        compare_variants(times=2.0)  # type: ignore[arg-type]


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(MissingPackageError, match=r"pip install (uvloop|pyperf)"):
        cpu_cost(nothing, loop="uvloop")
    monkeypatch.setitem(sys.modules, "pyperf", None)
    with pytest.raises(MissingPackageError, match="pip install pyperf"):
        cpu_cost(nothing)
    with pytest.raises(ImportError):
        compare_variants()
