"""What is taken for a number, and what an error says of what is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from looplab._numbers import any_number_of, count_of, number_of, percentile, seconds_of

time = partial(seconds_of, what="wait")
above = partial(seconds_of, what="wait", above=True, none="no limit")
rate = partial(number_of, what="rate", kind="number of bytes", unit=" B")
level = partial(any_number_of, what="level", kind="number")
count = partial(count_of, what="size", none="any", why="it is so")
some = partial(count_of, what="size", least=0, most=5_000, kind="number of jobs")


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (time, [0, 0.0, 5e-324, 3, 2.5, Fraction(1, 2), Decimal("0.25")]),
        (above, [5e-324, 1]),
        (rate, [0, 7]),
        (level, [-math.inf, -1, 0, 2.5, math.inf]),
        (count, [1, 10**30]),
        (some, [0, 5_000]),
    ],
)
def test_what_fits_is_returned(check: Callable[..., Any], values: list[Any]) -> None:
    assert [check(value) for value in values] == values
    assert {type(check(value)) for value in values} <= {float, int}


def test_a_whole_number_of_very_many_digits_is_infinite() -> None:
    assert [level(10**400), level(-(10**400))] == [math.inf, -math.inf]
    with pytest.raises(ValueError, match="give a finite number of seconds"):
        time(10**400)


@pytest.mark.parametrize(
    ("check", "value", "error", "words"),
    [
        (time, -0.5, ValueError, ["wait is -0.5 s", "finite number of", "0 or more"]),
        (time, math.inf, ValueError, ["wait is inf s", "finite", "0 or more"]),
        (time, math.nan, ValueError, ["wait is nan s", "finite"]),
        (above, 0, ValueError, ["wait is 0 s", "above 0", "or None for no limit"]),
        (rate, -1, ValueError, ["rate is -1 B", "number of bytes", "0 or more"]),
        (time, True, TypeError, ["wait", "number of seconds", "got True, a bool"]),
        (above, "1", TypeError, ["or None for no limit", "got '1', a str"]),
        (time, None, TypeError, ["wait as a number of seconds, got None"]),
        (time, 1j, TypeError, ["got 1j, a complex"]),
        (level, math.nan, ValueError, ["level is nan", "a number"]),
        (level, [], TypeError, ["level as a number, got [], a list"]),
        (count, 0, ValueError, ["size is 0", "1 or more", "None for any", "it is so"]),
        (some, -1, ValueError, ["size is -1", "0 or more"]),
        (some, 5_001, ValueError, ["size is 5,001", "5,000 or fewer"]),
        (count, True, TypeError, ["whole number, or None for any, got True, a bool"]),
        (some, 2.0, TypeError, ["size as a number of jobs, got 2.0, a float"]),
        (count, "x" * 99, TypeError, ["None for any", f"got '{'x' * 59}, a str"]),
        (partial(percentile, [1]), True, TypeError, ["p as", "got True, a bool"]),
        (partial(percentile, [1]), "5", TypeError, ["p as", "got '5', a str"]),
        (partial(percentile, [1]), 100.5, ValueError, ["p is 100.5", "0 to 100"]),
        (partial(percentile, [1]), -1, ValueError, ["p is -1", "0 to 100"]),
        (partial(percentile, []), 50, ValueError, ["no values"]),
    ],
)
def test_what_does_not_fit_is_named_with_the_fix(
    check: Callable[..., Any], value: object, error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as raised:
        check(value)
    assert all(word in str(raised.value) for word in words), raised.value
    if "None for" not in "".join(words):
        assert "or None" not in str(raised.value)


def test_a_percentile_is_the_nearest_rank() -> None:
    values = [*range(100, 0, -1)]
    assert [percentile(values, p) for p in range(101)] == [1, *range(1, 101)]
    assert [percentile([3, 1, 2], p) for p in (0, 33, 34, 66, 67, 100)] == [
        *(1, 1, 2, 2, 3, 3)
    ]
