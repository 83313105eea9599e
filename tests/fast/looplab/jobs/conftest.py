"""Fixtures of the tests of the job queue."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_never_awaited() -> Iterator[None]:
    """A coroutine that was dropped without being closed fails the test."""
    gc.collect()  # what other tests have left is not meant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect(1)
