"""The short guard of the chapter."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import idle_guard


def test_the_short_guard_passes_over_a_loop_that_was_never_made() -> None:
    half_made = asyncio.SelectorEventLoop.__new__(asyncio.SelectorEventLoop)
    half_made._closed = True  # type: ignore[attr-defined]  # for its __del__()
    assert half_made not in idle_guard.running_loops()


@pytest.mark.parametrize(
    "options",
    [
        {"seconds": 0},
        {"seconds": "x"},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"turns": "x"},
        {"turns": 1.5},
        {"turns": -1},
    ],
)
def test_settings_of_the_short_guard(options: dict[str, Any]) -> None:
    value = next(iter(options.values()))
    with pytest.raises(ValueError, match=f"must be .* not .*{re.escape(repr(value))}"):
        idle_guard.assert_idle(**options)
