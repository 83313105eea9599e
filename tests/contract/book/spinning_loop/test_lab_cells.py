"""The lab's cells that make a capture again."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.left import SLOW
from tests.fast.book.spinning_loop.example import CAPTURES, LAB, committed


def run_cell(name: str, change: tuple[str, str], env: dict[str, str]) -> str:
    """What a cell of the lab prints with one word changed, in a process of its own."""
    cells = json.loads(LAB.read_text("utf-8"))["cells"]
    head, source = (
        "".join(next(c for c in cells if c.get("id") == cell_id)["source"])
        for cell_id in ("setup", name)
    )
    assert source.count(change[0]) == 1
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"{head}\n{source.replace(*change)}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SLOW,
        cwd=LAB.parent,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_lab_without_an_index(tmp_path: Path) -> None:
    """The reader asks for the real case: one line says why not, nothing is changed."""
    before = {path: path.read_bytes() for path in committed()}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        env = {k: v for k, v in os.environ.items() if k != "PIP_EXTRA_INDEX_URL"}
        env["PIP_INDEX_URL"] = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        env |= {"PIP_CONFIG_FILE": os.devnull, "XDG_CACHE_HOME": str(tmp_path)}
        env["HOME"] = str(tmp_path)
        out = run_cell("real-run", ("AGAIN = False", "AGAIN = True"), env)
    first, second = out.splitlines()[:2]
    assert first.startswith("capture.py: real left out: the libraries of requirements")
    assert second == "shown instead: what is committed"
    assert (CAPTURES / "fresh.txt").read_text("utf-8") in out
    assert {path: path.read_bytes() for path in committed()} == before


def test_the_lab_without_a_tool(tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    env = {**os.environ, "PATH": str(tmp_path)}
    out = run_cell("tools-outside-run", ('"strace"', '"gdb"'), env)
    assert out == "not run: gdb is not installed\n"
