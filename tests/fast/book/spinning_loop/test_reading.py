"""What is read from other programs, and the figures that are made of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import realcase


def test_the_spread_of_some_figures() -> None:
    assert realcase.spread([4.0, 1.0, 2.0, 3.0, 5.0]) == {
        "median": 3.0,
        "quartiles": [2.0, 4.0],
        "least": 1.0,
        "most": 5.0,
        "tests": 5,
    }


def block(others: float, *seconds: float) -> dict[str, Any]:
    return {"first": 1.0, "seconds": list(seconds), "others": others}


OTHERS = block(0.5, 9.0), block(0.6, 7.0), block(0.0, 1.0)


@pytest.mark.parametrize(
    ("blocks", "median", "kept", "quiet"),
    [
        ([block(0.5, 9.0), block(0.0, 1.0), block(0.1, 3.0)], 2.0, 2, True),
        (OTHERS, 7.0, 3, False),  # a single quiet block says nothing of the spread
        ((*OTHERS, *OTHERS, block(0.7, 8.0)), 7.0, 7, False),  # under a third
        ([block(0.0, 9.0, 9.0)], 9.0, 1, False),
    ],
)
def test_blocks_that_others_disturbed_are_left_out(
    blocks: list[dict[str, Any]], median: float, kept: int, quiet: bool
) -> None:
    figures = realcase.summary(list(blocks))
    assert figures["median"] == median
    assert (figures["blocks"], figures["quiet"]) == (kept, quiet)
