"""The case in one file, and the tools at work on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.fast.book.spinning_loop.example import EXAMPLE


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
