"""Times in words: one formatter, and a scale for each use."""

from __future__ import annotations

import pytest

from looplab._words import (
    REPORT,
    THREE_DIGITS,
    TO_THE_MILLISECOND,
    Scale,
    duration,
    many,
    moment,
    seconds,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00 ns"),
        (1.234e-9, "1.23 ns"),
        (0.6745e-9, "0.67 ns"),
        (478e-9, "478 ns"),
        (999.4e-9, "999 ns"),
        (999.7e-9, "1.00 µs"),
        (20.72e-6, "20.7 µs"),
        (9.996e-3, "10.0 ms"),
        (1.5, "1.50 s"),
        (-1.5, "-1.50 s"),
        (1234, "1,234 s"),
    ],
)
def test_a_cost_has_three_digits(value: float, text: str) -> None:
    assert seconds(value, THREE_DIGITS) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "?"),
        (0.0, "0"),
        (0.00042, "420 µs"),
        (0.0005, "0.5 ms"),
        (0.0123, "12.3 ms"),
        (0.0996, "100 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (9.994, "9.99 s"),
        (9.996, "10.0 s"),
        (1234.5, "1,234.5 s"),
    ],
)
def test_a_report_has_what_is_taken_in_at_a_glance(
    value: float | None, text: str
) -> None:
    assert seconds(value) == seconds(value, REPORT) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 s"), (0.0001, "0 s"), (100, "100 s"), (2016.02, "2,016.02 s")],
)
def test_an_exact_result_has_no_zeros_at_the_end(value: float, text: str) -> None:
    assert seconds(value, TO_THE_MILLISECOND) == text


@pytest.mark.parametrize(
    ("ns", "length", "point"),
    [
        (0, "0 s", "0 s"),
        (999, "999 ns", "999 ns"),
        (1_500, "2 µs", "2 µs"),
        (999_700, "0.001 s", "0.001 s"),
        (20_000_000, "0.020 s", "0.02 s"),
        (10_000_000_000, "10.00 s", "10 s"),
        (100_000_000_000, "100 s", "100 s"),
        (-20_000_000, "-0.020 s", "-0.02 s"),
    ],
)
def test_a_timeline_has_lengths_and_moments(ns: int, length: str, point: str) -> None:
    assert duration(ns) == length
    assert moment(ns) == point


@pytest.mark.parametrize("scale", [REPORT, THREE_DIGITS, TO_THE_MILLISECOND])
def test_a_longer_time_is_never_written_as_a_shorter_one(scale: Scale) -> None:
    sizes = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    before = 0.0
    for step in range(-9 * 50, 4 * 50):
        number, unit = seconds(10 ** (step / 50), scale).split(" ")
        shown = float(number.replace(",", "")) * sizes[unit]
        assert shown >= before * (1 - 1e-12)
        before = shown


def test_a_count_has_its_noun_in_the_plural() -> None:
    assert (many(0, "task"), many(1, "task")) == ("0 tasks", "1 task")
    assert many(1_200, "task") == "1,200 tasks"
