"""From CPU time to clients."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from ontime.cost import clients_per_core, cores_needed


def test_clients_and_cores() -> None:
    assert clients_per_core(0.004, rate=0.5) == 500
    assert clients_per_core(0.001, utilisation=0.7) == 700
    assert cores_needed(0.0001, 10) == 1
    assert cores_needed(0.1, 30, utilisation=0.5) == 6


def test_rounding_adds_and_drops_no_core() -> None:
    # 3 ms 1,000 times a second is three cores, although the division gives a bit more.
    for cpu, share in itertools.product(("0.003", "0.007", "0.0007"), ("1", "0.7")):
        for rate in 100, 700, 1_000, 1_001, 2_100, 9_000:
            exact = math.ceil(Fraction(cpu) * rate / Fraction(share))
            assert cores_needed(float(cpu), rate, utilisation=float(share)) == exact
