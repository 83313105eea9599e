"""What `pytest --late-max` says of a recorded test."""

from __future__ import annotations

import asyncio

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


def test_a_storm_makes_a_timer_late_though_no_callback_is_long(tmp_path):
    text = judge(save(record(storm()), tmp_path / "t.jsonl"), 0.3)
    assert "waited longer than 300 ms" in text
    assert "580 ms" in text  # due at 20 ms of 600
    assert "small" in text
    assert "held" not in text


def test_a_callback_that_holds_the_loop_is_named_though_nobody_waits(tmp_path):
    text = judge(save(record(hog()), tmp_path / "t.jsonl"), 0.3)
    assert "held longer than 300 ms" in text
    assert "500 ms  hog" in text


def test_what_stays_below_the_limit(tmp_path):
    assert judge(save(record(storm()), tmp_path / "t.jsonl"), 0.6) == ""
    assert judge(save(record(hog()), tmp_path / "t.jsonl"), 0.5) == ""


def test_no_loop_ran(tmp_path):
    assert judge(tmp_path / "nothing", 0.1) == ""
