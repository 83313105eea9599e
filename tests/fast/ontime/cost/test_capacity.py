"""From CPU time to clients."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from ontime.cost import (
    clients_per_core,
    cores_needed,
)


def test_clients_per_core() -> None:
    assert clients_per_core(0.001) == 1000
    assert clients_per_core(1) == 1
    assert clients_per_core(0.004, rate=0.5) == 500
    assert clients_per_core(0.001, utilisation=0.7) == 700


def test_cores_needed() -> None:
    assert cores_needed(0.001, 1000) == 1
    assert cores_needed(0.001, 1001) == 2
    assert cores_needed(0.0001, 10) == 1
    assert cores_needed(0.1, 30, utilisation=0.5) == 6


def test_rounding_adds_and_drops_no_core() -> None:
    # 3 ms 1,000 times a second is three cores, although the division gives a bit more.
    for cpu, share in itertools.product(("0.003", "0.007", "0.0007"), ("1", "0.7")):
        for rate in 100, 700, 1_000, 1_001, 2_100, 9_000:
            exact = math.ceil(Fraction(cpu) * rate / Fraction(share))
            assert cores_needed(float(cpu), rate, utilisation=float(share)) == exact


@pytest.mark.parametrize("function", [clients_per_core, cores_needed])
def test_wrong_capacities(function: Callable[..., float]) -> None:
    more = (1000,) if function is cores_needed else ()
    for cpu in 0, -1, float("nan"), float("inf"):
        with pytest.raises(
            ValueError, match=r"cpu is .* s: give a finite number of s.*, above 0"
        ):
            function(cpu, *more)
    with pytest.raises(ValueError, match=r"utilisation is 1\.5: give at most 1"):
        function(1, *more, utilisation=1.5)
    with pytest.raises(
        ValueError, match="utilisation is 0: give a finite share of a core"
    ):
        function(1, *more, utilisation=0)
    with pytest.raises(ValueError, match=r"(rate|requests_per_second) is 0: give"):
        clients_per_core(1, rate=0) if function is clients_per_core else function(1, 0)
