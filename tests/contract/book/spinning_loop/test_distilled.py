"""The case in one file, and the tools at work on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import EXAMPLE, LAB


def tools(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(EXAMPLE / "tools.sh"), *words],
        env={**os.environ, "PYTHON": sys.executable, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("tool", "key"), [("frames", "innermost"), ("lag_monitor", "beats")]
)
def test_the_distilled_case_runs(tool: str, key: str) -> None:
    done = tools(tool)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["hops"] > 0 and figures[key]
    assert 0 < figures["median_ms"] <= figures["worst_ms"]


def test_an_unknown_tool() -> None:
    done = tools("perf")
    assert (done.returncode, done.stdout) == (2, "")
    assert "strace" in done.stderr


def test_the_lab_without_a_tool(tmp_path: Path) -> None:
    """Its cell says what is missing, in a process of its own."""
    cells = {c.get("id"): c for c in json.loads(LAB.read_text("utf-8"))["cells"]}
    setup, cell = ("".join(cells[i]["source"]) for i in ("setup", "tools-outside-run"))
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    printed = subprocess.check_output(
        [sys.executable, "-B", "-c", setup + "\n" + cell.replace('"strace"', '"gdb"')],
        text=True,
        cwd=LAB.parent,
        env={**os.environ, "PATH": str(tmp_path)},
    )
    assert printed == "not run: gdb is not installed\n"
