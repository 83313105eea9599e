"""The case in one file, and what debug mode and a dump say of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import toolbox


def test_the_distilled_case_runs() -> None:
    found = toolbox.told("hops", loops=1, seconds=0.2)
    assert found["hops"] > 0
    assert 0 < found["median_ms"] <= found["worst_ms"]
    for _ in range(5):  # a busy machine may give the thread that looks no core
        found = toolbox.told("frames", loops=1, seconds=0.5)
        if set(found["innermost"]) == {"loop", "main"}:
            break
    assert set(found["innermost"]) == {"loop", "main"}
    assert any("select" in place for place in found["innermost"]["loop"])


@pytest.mark.slow
def test_debug_mode_is_silent() -> None:
    for _ in range(5):
        begun, used_before = time.perf_counter(), cpu_of_children()
        done = toolbox.debug_mode(toolbox.Context(Path()))
        share = (cpu_of_children() - used_before) / (time.perf_counter() - begun)
        assert done.figures["debug"] is True
        assert "PYTHONASYNCIODEBUG=1 python distilled.py debug" in done.text
        if done.figures["warnings"] * 10 < done.figures["hops"]:
            return
        # Its threads turn all the time. A busy machine can take the core away from a
        # callback, and asyncio then warns of that one: its clock is the wall's.
        assert share <= 1, done.figures
    pytest.skip(f"others used the machine: the program had {share:.2f} of a core")


def cpu_of_children() -> float:
    """CPU time of the processes that this one waited for, in seconds."""
    used = os.times()
    return used.children_user + used.children_system


def test_a_stack_dump_names_the_threads() -> None:
    for _ in range(5):  # the watchdog may come too late
        done = toolbox.faulthandler(toolbox.Context(Path()))
        if done.figures["threads"] >= 2:
            break
    assert done.figures["threads"] >= 2
    assert "most recent call first" in done.text
    assert str(Path.home()) not in done.text
