"""Cancelling is not delayed by more urgent work: a task is raised until it is done."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from looplab.priority import (
    PriorityEventLoop,
    VirtualPriorityLoop,
)
from tests.fast.looplab.priority.priority_loops import PATIENCE, exactly, on

SOURCE = Path(__file__).parents[4] / "src"
LOOPS = pytest.mark.parametrize("loop", [VirtualPriorityLoop, PriorityEventLoop])


def test_in_a_program_without_priorities_nothing_is_raised() -> None:
    async def main() -> bool:
        here: Any = asyncio.get_running_loop()
        task = asyncio.create_task(asyncio.sleep(1_000))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return bool(here._ready.in_use)

    assert not on(main)
    assert not exactly(main)


# ---------------------------------------------------------------- Ctrl-C

PROGRAM = """
import asyncio
from looplab.priority import PriorityEventLoop, priority

async def never_rests():
    while True:
        await asyncio.sleep(0)

async def main():
    with priority(9):
        task = asyncio.create_task(never_rests())
    with priority({level}):
        await asyncio.create_task(asyncio.sleep(0))
    with priority(9):
        asyncio.get_running_loop().call_later(0, lambda: print("ready", flush=True))
    {wait}

with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
    try:
        runner.run(main())
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")
@pytest.mark.parametrize(
    "wait", ["await task", "await asyncio.sleep(1_000)", "await never_rests()"]
)
def test_an_interrupt_ends_a_program_whose_urgent_task_never_rests(wait: str) -> None:
    """On this loop without the rule it would never end."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(wait=wait, level=9)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
    assert out == "interrupted\n"
    assert program.returncode == 0
