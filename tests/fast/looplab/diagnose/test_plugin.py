"""`pytest --late-max`, `looplab lag`, metrics, uvloop and attaching."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

import looplab
from looplab import burn
from looplab.diagnose.metrics import watch_lateness
from tools.common import ROOT

ENVIRON = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")} | {
    "PYTHONPATH": str(ROOT / "src")
}


def run(tmp_path, *words, **env):
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=tmp_path,
        env=ENVIRON | env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_lateness_is_counted():
    async def main():
        async with watch_lateness(0.1) as lateness:
            [metric] = lateness()
            asyncio.get_running_loop().call_later(0.05, burn, 1)
            await asyncio.sleep(5)
        await asyncio.sleep(5)
        return metric

    metric = looplab.run(main())
    seen = metric.values[()]
    assert (metric.name, metric.kind) == ("looplab_lateness_seconds", "histogram")
    # The first beat was due at 0.1 and woke at 1.05; the others were in time.
    assert seen.largest == pytest.approx(0.95)
    assert seen.total == pytest.approx(0.95)
    assert seen.count == 40
