"""How other programs are started, ended and their words cleaned."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import (
    fake,
    processes_with,
    programs,
    watching,
)


def gone(mark: str) -> None:
    """Wait until no such program is left: a kill takes a moment."""
    while processes_with(mark):
        time.sleep(0.05)


def test_a_program_that_hangs_is_ended_with_its_children() -> None:
    mark = f"sleep 987{os.getpid() % 1000}"
    with pytest.raises(programs.CaptureError, match=r"ran for more than 0\.5 s"):
        programs.run(["sh", "-c", f"{mark} & {mark}; :"], os.environ, 0.5)
    gone(mark)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["sh", "-c", "echo oh no >&2"], "sh ended before it was ready: oh no"),
        (["sleep", "600"], "sleep ended before it was ready"),
        (["/nowhere/program"], "program cannot be started"),
    ],
)
def test_a_program_that_never_gets_ready(words: list[str], error: str) -> None:
    with (
        pytest.raises(programs.CaptureError, match=error),
        programs.started(words, timeout=0.2),
    ):
        pass


def test_a_program_goes_on_when_it_is_told_and_ends_with_its_children() -> None:
    mark = f"sleep 988{os.getpid() % 1000}"
    script = f"{mark} >/dev/null 2>&1 & echo ready; read line; echo got $line"
    with programs.started(["sh", "-c", script]) as program:
        assert processes_with(mark)
        assert programs.finished(program, 60).stdout == "got go\n"
    gone(mark)


def test_a_debugger_without_python(bin_folder: Path) -> None:
    fake(bin_folder, "gdb", 'echo \'Undefined command: "py-bt".  Try "help".\' >&2')
    with pytest.raises(programs.SkippedError, match="without Python"):
        watching.gdb_run(watching.gdb_command("py-bt"))
