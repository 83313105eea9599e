"""The spread of an experiment over phases and jitter."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
import statistics
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from looplab.clock import elapsed
from looplab.phases import Spread, spread

NUMBERS = st.lists(
    st.floats(-1e6, 1e6, allow_nan=False) | st.integers(-1000, 1000),
    min_size=1,
    max_size=40,
)


def of(values: list[float]) -> Spread:
    return Spread([index / len(values) for index in range(len(values))], values)


# Spread


@given(NUMBERS)
def test_the_figures_are_among_the_values(values: list[float]) -> None:
    result = of(values)
    assert (result.min, result.max) == (min(values), max(values))
    assert result.percentile(100) == result.max
    assert result.percentile(5e-324) == result.min
    assert result.percentile(50) <= result.median == statistics.median(values)


@pytest.mark.parametrize("percent", [0, -1, 100.001, math.nan, math.inf])
def test_percentile_out_of_range(percent: float) -> None:
    with pytest.raises(ValueError, match=f"percent is {percent}"):
        of([1.0]).percentile(percent)


def test_spread_needs_a_value_for_each_phase() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        Spread([], [])
    with pytest.raises(ValueError, match="2 phases and 1 values"):
        Spread([0.0, 0.5], [1.0])


def test_repr() -> None:
    assert repr(of([0.5, 0.25, 1])) == "0.250 to 1.000, median 0.500 (3 runs)"
    assert repr(of([2])) == "2.000 to 2.000, median 2.000 (1 run)"


@example([0.0])
@example([-1.0, -1.0])
@example([7.0])
@given(NUMBERS)
def test_html_is_well_formed_and_within_its_box(values: list[float]) -> None:
    result = of(values)
    svg = ElementTree.fromstring(result._repr_html_())
    plot = svg.find("{*}svg")
    assert plot is not None
    _, _, width, height = map(float, plot.attrib["viewBox"].split())
    assert svg.attrib["aria-label"] == repr(result)
    assert svg.attrib["role"] == "img"
    paths = svg.findall(".//{*}path")
    ticks = re.findall(r"M([-\d.]+) ([-\d.]+)v", paths[1].attrib["d"])
    assert len(ticks) == len(values)
    for x, y in ticks:
        assert 0 <= float(x) <= width
        assert 0 <= float(y) <= height
    text = " ".join(each.text or "" for each in svg.findall(".//{*}text"))
    assert f"{result.max:.3f} worst" in text
    assert f"median {result.median:.3f}, {len(values)} runs" in text
    assert result._repr_html_() == of(values)._repr_html_()


@pytest.mark.parametrize(
    ("values", "anchor"),
    [([1, 1, 10], "start"), ([1, 5, 10], "middle"), ([1, 9, 10], "end")],
)
def test_the_words_of_the_strip_stay_inside_and_keep_their_size(
    values: list[float], anchor: str
) -> None:
    svg = ElementTree.fromstring(of(values)._repr_html_())
    assert "viewBox" not in svg.attrib, "or a phone would make the letters smaller"
    median = svg.findall(".//{*}text")[-1]
    assert median.attrib["text-anchor"] == anchor
    for text in svg.findall(".//{*}text"):
        assert re.fullmatch(r"0|[\d.]+%", text.attrib["x"])
    assert not svg.findall(".//{*}svg//{*}text")


def test_the_line_begins_at_0_or_below_it() -> None:
    for values, places in ([2, 4], [500, 1000]), ([-2, 2], [0, 1000]):
        ticks = re.findall(r"M([\d.]+) 22v14", of(values)._repr_html_())
        assert list(map(float, ticks)) == places


# spread()


async def itself(phase: float) -> float:
    return phase


def test_every_run_has_its_phase_and_a_new_clock() -> None:
    seen: list[float] = []

    async def experiment(phase: float) -> float:
        assert elapsed() == 0.0
        await asyncio.sleep(1)
        seen.append(phase)
        return phase * 2

    result = spread(experiment, runs=5)
    assert sorted(seen) == list(result.phases)
    assert len(set(seen)) == 5
    assert result.values == tuple(phase * 2 for phase in result.phases)


@pytest.mark.parametrize("runs", [1, 2, 10, 100, 1000])
def test_phases_are_spread_evenly_but_not_round(runs: int) -> None:
    phases = spread(itself, runs=runs).phases
    assert len(phases) == runs
    assert list(phases) == sorted(phases)
    edges = [0.0, *phases, 1.0]
    gaps = [b - a for a, b in itertools.pairwise(edges)]
    assert min(gaps) > 0
    assert max(gaps) < 2 / runs
    assert not any((phase * 1000).is_integer() for phase in phases)


def test_every_run_has_a_jitter_of_its_own_and_seeded() -> None:
    async def late(phase: float) -> float:
        await asyncio.sleep(1)
        return elapsed() - 1

    values = spread(late, seed=1, jitter=0.1, runs=50).values
    assert len(set(values)) == 50
    assert all(0 <= value <= 0.1 + 1e-9 for value in values)
    assert values == spread(late, seed=1, jitter=0.1, runs=50).values
    assert values != spread(late, seed=2, jitter=0.1, runs=50).values


@pytest.mark.parametrize(
    ("result", "error", "fix"),
    [
        *((result, TypeError, "a number") for result in (None, "1", True, 1j)),
        *((result, ValueError, "a finite") for result in (math.nan, math.inf)),
    ],
)
def test_result_must_be_a_finite_number(
    result: Any, error: type[Exception], fix: str
) -> None:
    async def experiment(phase: float) -> Any:
        return result if phase > 0.5 else 0.0

    with pytest.raises(error, match=rf"at phase 0\.\d+: return {fix}"):
        spread(experiment, runs=2)


def test_experiment_must_be_an_async_function() -> None:
    def plain(phase: float) -> float:
        return phase

    with pytest.raises(TypeError, match="async function of the phase, not this func"):
        spread(plain)  # type: ignore[arg-type]
    coroutine = itself(0.0)
    with pytest.raises(TypeError, match="not this coroutine"):
        spread(coroutine)  # type: ignore[arg-type]
    coroutine.close()


@pytest.mark.parametrize("runs", [0, -3])
def test_runs_must_be_positive(runs: int) -> None:
    with pytest.raises(ValueError, match=f"runs is {runs}"):
        spread(itself, runs=runs)
