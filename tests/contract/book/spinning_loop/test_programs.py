"""How other programs are started, ended and their words cleaned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contract.left import SLOW
from tests.fast.book.spinning_loop.example import processes_with, programs


def test_processes_of_others_are_not_mine() -> None:
    """A child of ours is; a program whose parent has ended is not."""
    mark = f"{os.getpid()} of our own"
    idle = "import sys, time; print(flush=True); time.sleep(600)"
    detach = (
        "import subprocess, sys; "
        f"print(subprocess.Popen([sys.executable, '-c', {idle!r}, sys.argv[1]], "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    )
    with programs.Running([sys.executable, "-c", idle, mark]) as child:
        child.wait_for("\n", 300)
        assert len(processes_with(mark, mine=True)) == 1
    assert not processes_with(mark, mine=True)
    done = subprocess.run(
        [sys.executable, "-c", detach, mark],
        capture_output=True,
        text=True,
        check=True,
        timeout=SLOW,
    )
    try:
        assert processes_with(mark)
        assert not processes_with(mark, mine=True)
    finally:
        os.kill(int(done.stdout), signal.SIGKILL)


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = f"sleep 987{os.getpid() % 1000}"
    with pytest.raises(programs.CaptureError, match=r"ran for more than 0\.5 s"):
        programs.run(["sh", "-c", f"{mark} & {mark}; :"], os.environ, 0.5)
    deadline = time.monotonic() + 60
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_with(mark)


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(programs.SkippedError, match="cannot be started"):
        programs.run(["/nowhere/program"], os.environ)


def test_a_program_that_never_gets_ready() -> None:
    with (
        pytest.raises(programs.CaptureError, match="ended too soon: oh no"),
        programs.spawn(["sh", "-c", "echo oh no >&2"]),
    ):
        pass
    with (
        pytest.raises(programs.CaptureError, match=r"was not ready after 0\.2 s"),
        programs.spawn(["sleep", "600"], timeout=0.2),
    ):
        pass
