"""What goes wrong in a clean interpreter, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ontime.cost import (
    CostError,
    WorkFailedError,
    cpu_cost,
)
from tests.contract.left import PATIENCE, SLOW, gone, needs_groups
from tests.contract.ontime.cost.works import (
    dies,
    fails_in_pyperf,
    kills_itself,
    leaves,
    raises,
    spins,
    waits_for_ever,
)
from tests.fast.ontime.cost.shared import (
    BRIEF,
    ROOT,
    needs_pyperf,
)


@needs_pyperf
def test_a_function_that_raises() -> None:
    with pytest.raises(WorkFailedError) as caught:
        cpu_cost(raises, **BRIEF)
    assert str(caught.value) == "raises raised ValueError: no good"
    assert 'raise ValueError("no good' in caught.value.traceback
    assert "In the clean interpreter" in "".join(caught.value.__notes__)


@needs_pyperf
@pytest.mark.parametrize("work", [waits_for_ever, spins])
def test_a_timeout(work: Callable[[], Any]) -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"was not done after 0.5 s: give it less"):
        cpu_cost(work, timeout=0.5)
    assert time.monotonic() - start < SLOW


@needs_pyperf
def test_a_process_that_dies() -> None:
    with pytest.raises(CostError, match=r"dies: .* ended with status 3"):
        cpu_cost(dies, **BRIEF)
    with pytest.raises(CostError, match=r"kills_itself: .* ended with signal 9"):
        cpu_cost(kills_itself, **BRIEF)


@needs_pyperf
def test_a_function_that_fails_only_later() -> None:
    """In a process of pyperf, after the trial went well."""
    with pytest.raises(WorkFailedError, match="fails_in_pyperf raised OSError: later"):
        cpu_cost(fails_in_pyperf, **BRIEF)


@needs_pyperf
@needs_groups
def test_a_timeout_ends_what_the_work_started(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    timeout = 1.0
    while not path.is_symlink():  # too short for a slow machine to come so far
        timeout *= 2
        assert timeout < SLOW, "the work never started a process"
        with pytest.raises(TimeoutError):
            cpu_cost(leaves, args=(str(path),), timeout=timeout)
    assert gone(int(path.readlink().name))


@pytest.fixture
def measuring_program(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A program that measures for ever, once its work has started a process."""
    path = tmp_path / "pid"
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            from ontime.cost import cpu_cost
            if __name__ == "__main__":
                work = "tests.contract.ontime.cost.works:leaves"
                cpu_cost(work, args=({str(path)!r},), timeout=600)
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(program)],
        # What it leaves behind when it is killed goes with the test.
        env=os.environ
        | {
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "TMPDIR": str(tmp_path),
        },
        stderr=subprocess.PIPE,
        text=True,
        # pytest may itself run where interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        limit = time.monotonic() + SLOW
        while not path.is_symlink():
            assert time.monotonic() < limit and process.poll() is None
            time.sleep(0.01)
        yield process, path
    finally:
        process.kill()
        process.communicate()


@needs_pyperf
@needs_groups
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_a_caller_that_is_ended(
    measuring_program: tuple[subprocess.Popen[str], Path], number: signal.Signals
) -> None:
    process, path = measuring_program
    assert process.poll() is None
    process.send_signal(number)
    process.wait(PATIENCE)
    assert gone(int(path.readlink().name))
