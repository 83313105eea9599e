"""CPython's own asyncio tests pass on the virtual-time loop.

They come with the interpreter, in its ``test`` package.  ``cpython_on_looplab.py`` runs
one module of them, and says what it leaves out and why.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.looplab.clock.cpython_on_looplab import EXCLUDED
from tests.fast.looplab.clock.test_cpython import KNOWN, MODULES, has

RUNNER = Path(__file__).with_name("cpython_on_looplab.py")
SOURCE = Path(__file__).parents[4] / "src"


pytestmark = pytest.mark.skipif(
    not has("test.test_asyncio.utils"),
    reason="this Python came without its test package",
)


def run_module(module: str, *names: str) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    environment.pop("PYTHONASYNCIODEBUG", None)
    done = subprocess.run(
        [sys.executable, str(RUNNER), module, *names],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_cpythons_tests_pass(module: str) -> None:
    if not has(module):
        pytest.skip(
            f"Python {sys.version_info[0]}.{sys.version_info[1]} has no {module}"
        )
    report = run_module(module)
    failed = report["failed"]
    if failed and not KNOWN:
        pytest.xfail(f"not looked at on this release of Python: {failed}")
    assert failed == {}
    assert report["ran"] >= MODULES[module]
    if KNOWN:
        unmatched = [name for name, hits in report["matched"].items() if not hits]
        assert unmatched == [], "these exclusions leave nothing out"


def test_what_is_excluded_would_fail() -> None:
    """No exclusion hides a module's worth of tests that pass."""
    if not KNOWN:
        pytest.skip("this release of Python may have fixed some of them")
    module = "test.test_asyncio.test_tasks"
    report = run_module(module, *(e.pattern for e in EXCLUDED[module]))
    assert len(report["failed"]) == report["ran"] > 10
