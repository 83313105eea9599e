"""Fixtures of the tests of the job queue on both loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import run
from tests.fast.looplab.jobs.conftest import nothing_never_awaited
from tests.fast.looplab.jobs.shared import Main

__all__ = ["both", "nothing_never_awaited"]


def on_stock_loop(main: Main) -> Any:
    return asyncio.run(main)


@pytest.fixture(params=[run, on_stock_loop], ids=["virtual", "stock"])
def both(request: pytest.FixtureRequest) -> Callable[[Main], Any]:
    """Run a coroutine on the virtual clock and on the stock loop."""
    return request.param  # type: ignore[no-any-return]
