"""`pytest --late-max` in a run of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

from tools.common import ROOT

ENVIRON = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")} | {
    "PYTHONPATH": str(ROOT / "src")
}
TESTS = """
    import asyncio, time
    import pytest

    async def hog():
        await asyncio.sleep(0)
        time.sleep(0.05)

    def test_good():
        asyncio.run(asyncio.sleep(0.01))

    def test_no_loop():
        time.sleep(0.05)

    def test_bad():
        asyncio.run(hog())

    @pytest.mark.late_max(None)
    def test_exempt():
        asyncio.run(hog())
"""
# Where looplab is installed pytest finds the plugin by itself.
FOUND = {one.value for one in entry_points(group="pytest11")}
PLUGIN = [] if "looplab.diagnose.plugin" in FOUND else ["-p", "looplab.diagnose.plugin"]


def test_a_test_that_holds_its_loop_fails(tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(textwrap.dedent(TESTS), encoding="utf-8")

    def run(limit):
        words = ["-m", "pytest", "-q", *PLUGIN, str(path), f"--late-max={limit}"]
        return subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=ENVIRON,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    assert run("1h").returncode == 0
    assert "'soon' is not a time above 0" in run("soon").stderr
    # No callback is as short as this, on any machine.
    done = run("1us")
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout
    assert "held longer than 0.001 ms" in done.stdout
    line = TESTS.split("\n").index("    async def hog():") + 1
    assert f"hog  {path}:" in done.stdout
    assert f"{path}:{line + 2}" in done.stdout
