"""The jobs of the chapter."""

from __future__ import annotations

import math

import pytest

from ontime.cpu_models import (
    compress,
    digest,
    product,
)


@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 3, 10, 100])
def test_product(limit: int) -> None:
    assert product(limit) == math.factorial(max(limit - 1, 0))


def test_digest() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest(0) == empty
    assert digest(10) != digest(11)


@pytest.mark.parametrize("size", [0, 1, 996, 997, 998, 100_000])
def test_compress(size: int) -> None:
    assert 0 < compress(size) < size / 2 + 20
