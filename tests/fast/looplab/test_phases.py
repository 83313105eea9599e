"""The spread of an experiment over phases and jitter."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from looplab.clock import burn, elapsed
from looplab.phases import Spread, spread

NUMBERS = st.lists(
    st.floats(-1e6, 1e6, allow_nan=False) | st.integers(-1000, 1000),
    min_size=1,
    max_size=40,
)


def of(values: list[float]) -> Spread:
    return Spread([index / len(values) for index in range(len(values))], values)


# Spread


@given(NUMBERS, st.floats(0, 100, exclude_min=True))
def test_percentile_is_the_nearest_rank(values: list[float], percent: float) -> None:
    """By the definition, counted out: at least that share does not exceed it."""
    result = of(values)
    found = result.percentile(percent)

    def share(limit: float) -> float:
        return sum(value <= limit for value in values) * 100

    assert found in values
    assert share(found) >= percent * len(values) - 1e-6
    for value in values:
        if value < found:
            assert share(value) < percent * len(values) + 1e-6
    assert result.percentile(100) == result.max
    assert result.min <= result.median <= result.max


def test_percentile_is_not_put_off_by_rounding() -> None:
    """64.4 % of 250 is 161, though 250 * 64.4 / 100 is a little more."""
    for count in (250, 375, 999, 1000):
        result = of(list(range(1, count + 1)))
        for tenths in range(1, 1001):
            exact = math.ceil(Fraction(tenths, 1000) * count)
            assert result.percentile(tenths / 10) == exact
    assert of([1, 2]).percentile(5e-324) == 1


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


def test_html_of_equal_values() -> None:
    for values in ([0.0], [0.0, 0.0], [-1.0, -1.0], [7.0]):
        ElementTree.fromstring(of(values)._repr_html_())


# spread()


async def lateness(phase: float) -> float:
    """20 jobs of 10 ms arrive at a phase of a heartbeat of 0.1 s: how late is it?"""

    async def job() -> None:
        burn(0.010)

    async with asyncio.TaskGroup() as group:
        await asyncio.sleep(phase * 0.1)
        for _ in range(20):
            group.create_task(job())
        begun = elapsed()
        await asyncio.sleep(0.1 - phase * 0.1)
        return elapsed() - begun - (0.1 - phase * 0.1)


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
    async def phase_itself(phase: float) -> float:
        return phase

    phases = spread(phase_itself, runs=runs).phases
    assert len(phases) == runs
    assert list(phases) == sorted(phases)
    edges = [0.0, *phases, 1.0]
    gaps = [b - a for a, b in itertools.pairwise(edges)]
    assert min(gaps) > 0
    assert max(gaps) < 2 / runs
    assert not any((phase * 1000).is_integer() for phase in phases)


def test_jitter_is_seeded() -> None:
    first = spread(lateness, seed=1, jitter=0.01, runs=30)
    again = spread(lateness, seed=1, jitter=0.01, runs=30)
    other = spread(lateness, seed=2, jitter=0.01, runs=30)
    assert first.values == again.values
    assert first.values != other.values
    assert repr(first) == repr(again)


def test_every_run_has_a_jitter_of_its_own() -> None:
    async def late(phase: float) -> float:
        await asyncio.sleep(1)
        return elapsed() - 1

    values = spread(late, jitter=0.1, runs=50).values
    assert len(set(values)) == 50
    assert all(0 <= value <= 0.1 + 1e-9 for value in values)


@pytest.mark.parametrize("result", [None, "1", True, 1j])
def test_result_must_be_a_number(result: Any) -> None:
    async def experiment(phase: float) -> Any:
        return result

    with pytest.raises(TypeError, match=r"at phase 0\.\d+: return a number"):
        spread(experiment)


@pytest.mark.parametrize("result", [math.nan, math.inf])
def test_result_must_be_finite(result: float) -> None:
    async def experiment(phase: float) -> float:
        return result if phase > 0.5 else 0.0

    with pytest.raises(ValueError, match=r"at phase 0\.\d+: return a finite"):
        spread(experiment, runs=2)


def test_experiment_must_be_an_async_function() -> None:
    def plain(phase: float) -> float:
        return phase

    with pytest.raises(TypeError, match="async function of the phase, not this func"):
        spread(plain)  # type: ignore[arg-type]
    coroutine = lateness(0.0)
    with pytest.raises(TypeError, match="not this coroutine"):
        spread(coroutine)  # type: ignore[arg-type]
    coroutine.close()


@pytest.mark.parametrize("runs", [0, -3])
def test_runs_must_be_positive(runs: int) -> None:
    with pytest.raises(ValueError, match=f"runs is {runs}"):
        spread(lateness, runs=runs)
