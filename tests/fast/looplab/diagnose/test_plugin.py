"""What `pytest --late-max` says of a recorded test."""

from __future__ import annotations

import asyncio
import re

import pytest

from looplab import burn
from looplab.diagnose import record
from looplab.diagnose.plugin import judge

from .files import save


async def small():
    burn(0.01)


async def storm():
    beat = asyncio.create_task(asyncio.sleep(0.02), name="beat")
    await asyncio.sleep(0)
    await asyncio.gather(*(small() for _ in range(60)))
    await beat


async def hog():
    await asyncio.sleep(0)
    burn(0.5)


@pytest.mark.parametrize(
    ("program", "limit", "text"),
    [
        # Due at 20 ms, of 600, though no callback is long.
        (
            storm,
            0.3,
            "these waited longer than 300 ms:\n  580 ms  .* callback small",
        ),
        # Nobody waits, and whatever had come would have.
        (hog, 0.3, "the event loop was held longer than 300 ms:\n  500 ms  hog"),
        (storm, 0.6, ""),
        (hog, 0.5, ""),
    ],
)
def test_what_a_failure_says(tmp_path, program, limit, text):
    said = judge(save(record(program()), tmp_path / "t.jsonl"), limit)
    assert re.fullmatch(text, said)
    assert judge(tmp_path / "nothing", limit) == ""  # no loop ran
