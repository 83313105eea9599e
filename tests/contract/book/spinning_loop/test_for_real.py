"""The published test with both sets of libraries, which pip fetches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.left import none_left
from tests.fast.book.spinning_loop.example import EXAMPLE


@pytest.mark.slow  # pip fetches both sets of libraries
def test_the_real_case(tmp_path: Path) -> None:
    """Some minutes: both environments, and a run of everything."""
    command = [sys.executable, "-B", str(EXAMPLE / "capture.py"), "fresh", "real"]
    done = subprocess.run(
        [*command, "guard", "--output", str(tmp_path / "o")],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=3600,  # most of it is pip
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    figures = json.loads((tmp_path / "o" / "real.json").read_text("utf-8"))
    assert figures["idle"]["old"]["turns"] > 200
    assert figures["idle"]["new"]["turns"] <= 20
    assert "idle event loop turned" in (tmp_path / "o" / "guard_old.txt").read_text()
    assert "passed" in (tmp_path / "o" / "guard_new.txt").read_text("utf-8")
    assert not none_left()
