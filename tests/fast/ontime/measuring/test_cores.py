"""How many cores are free."""

from __future__ import annotations

import math

import pytest

from ontime.measuring.cores import free_cores


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_no_time_to_look(bad: float) -> None:
    with pytest.raises(ValueError, match=f"seconds is {bad} s: give a finite number"):
        free_cores(bad)


def test_a_word_is_no_time() -> None:
    with pytest.raises(TypeError, match="seconds as a number of seconds, got '1', a"):
        free_cores("1")  # type: ignore[arg-type]
