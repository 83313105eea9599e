"""Fixtures of the tests of the job queue."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from looplab.clock import run
from tests.fast.looplab.jobs.shared import Main, on_stock_loop


@pytest.fixture(autouse=True)
def nothing_never_awaited() -> Iterator[None]:
    """A coroutine that was dropped without being closed fails the test."""
    gc.collect()  # what other tests have left is not meant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect(1)


@pytest.fixture(params=[run, on_stock_loop], ids=["virtual", "stock"])
def both(request: pytest.FixtureRequest) -> Callable[[Main], Any]:
    """Run a coroutine on the virtual clock and on the stock loop."""
    return request.param  # type: ignore[no-any-return]
