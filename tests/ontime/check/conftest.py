"""Fixtures of several unit tests."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture
def quiet_check(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """A check warns of nothing and prints nothing beside its verdict."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect(1)
    out, err = capfd.readouterr()
    assert out == err == ""
