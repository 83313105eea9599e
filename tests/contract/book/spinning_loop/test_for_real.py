"""The published test with both sets of libraries, which pip fetches."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import capture_py, processes_with


@pytest.mark.slow  # pip fetches both sets of libraries
def test_the_real_case(tmp_path: Path) -> None:
    """Some minutes: both environments, and a run of everything."""
    done = capture_py(
        "fresh",
        "real",
        "guard",
        "--folder",
        tmp_path / "e",
        "--output",
        tmp_path / "o",
        timeout=3600,  # most of it is pip
    )
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    figures = json.loads((tmp_path / "o" / "real.json").read_text("utf-8"))
    assert figures["idle"]["old"]["turns"] > 200
    assert figures["idle"]["new"]["turns"] <= 20
    assert "idle event loop turned" in (tmp_path / "o" / "guard_old.txt").read_text()
    assert "passed" in (tmp_path / "o" / "guard_new.txt").read_text("utf-8")
    assert not processes_with(str(tmp_path))


def test_no_index(tmp_path: Path) -> None:
    """The whole command with an index that nobody serves: one line, no traceback."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        index = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        env = {**os.environ, "PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull}
        env = {k: v for k, v in env.items() if k != "PIP_EXTRA_INDEX_URL"}
        done = capture_py(
            *("real", "--folder", tmp_path / "e", "--output", tmp_path / "o"),
            env=env,
        )
    assert done.returncode == 3
    assert (
        "real left out: the libraries of requirements-old.txt could not be"
        in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()
    assert list((tmp_path / "e").iterdir()) == []
