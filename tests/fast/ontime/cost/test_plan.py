"""Settings that are refused before anything is measured."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ontime.cost import (
    MissingPackageError,
    compare_costs,
    compare_variants,
    cpu_cost,
)
from ontime.cost.works import nothing
from tests.fast.ontime.cost.shared import needs_pyperf


@needs_pyperf
@pytest.mark.parametrize("name", ["calls", "values", "processes", "timeout"])
def test_amounts(name: str) -> None:
    for amount in 0, -1:
        with pytest.raises(ValueError, match=f"{name} is {amount}: give .* above 0"):
            cpu_cost(nothing, **{name: amount})  # type: ignore[arg-type]


@needs_pyperf
@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"args": 1}, TypeError, r"args=\(x,\)"),
        ({"loop": "trio"}, ValueError, "'trio'.* asyncio and uvloop"),
        ({"setup": nothing}, TypeError, "setup .* plain function"),
    ],
)
def test_wrong_arguments(settings: dict[str, Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        cpu_cost(nothing, **settings)


def test_wrong_sets() -> None:
    with pytest.raises(ValueError, match="coro_fns is empty"):
        compare_costs({})
    with pytest.raises(ValueError, match="the same name"):
        compare_costs([nothing, "ontime.cost.works:nothing"])
    with pytest.raises(KeyError, match="no variant 'threads'; there are: in sequence"):
        compare_variants(variants=("threads",))
    with pytest.raises(ValueError, match="times is 0"):
        compare_variants(times=0)


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(MissingPackageError, match=r"pip install (uvloop|pyperf)"):
        cpu_cost(nothing, loop="uvloop")
    monkeypatch.setitem(sys.modules, "pyperf", None)
    with pytest.raises(MissingPackageError, match="pip install pyperf"):
        cpu_cost(nothing)
