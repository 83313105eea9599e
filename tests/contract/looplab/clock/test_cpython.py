"""CPython's own asyncio tests pass on the virtual-time loop.

They come with the interpreter, in its ``test`` package.  ``cpython_on_looplab.py`` runs
one module of them, and says what it leaves out and why.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.looplab.clock.cpython_on_looplab import EXCLUDED, LEFT_OUT
from tests.contract.looplab.priority import test_cpython as on_priority
from tests.contract.looplab.priority.cpython_on_priority import (
    LEFT_OUT as LEFT_OUT_ON_PRIORITY,
)

RUNNER = Path(__file__).with_name("cpython_on_looplab.py")
SOURCE = Path(__file__).parents[4] / "src"

# Where the exclusions were drawn up.  Another release of Python has other tests: there
# a failure is reported as expected, because it need not be the loop's.
KNOWN = sys.version_info[:3] in {(3, 11, 7), (3, 12, 1), (3, 13, 0)}

# Module, and how many of its tests run at least, on any of the known releases.
MODULES = {
    "test.test_asyncio.test_base_events": 40,
    "test.test_asyncio.test_context": 1,
    "test.test_asyncio.test_eager_task_factory": 35,
    "test.test_asyncio.test_events": 40,
    "test.test_asyncio.test_futures": 150,
    "test.test_asyncio.test_futures2": 3,
    "test.test_asyncio.test_locks": 65,
    "test.test_asyncio.test_pep492": 10,
    "test.test_asyncio.test_protocols": 5,
    "test.test_asyncio.test_queues": 40,
    "test.test_asyncio.test_runners": 25,
    "test.test_asyncio.test_staggered": 5,
    "test.test_asyncio.test_streams": 45,
    "test.test_asyncio.test_taskgroups": 35,
    "test.test_asyncio.test_tasks": 880,
    "test.test_asyncio.test_timeouts": 30,
    "test.test_asyncio.test_transports": 7,
    "test.test_asyncio.test_waitfor": 15,
    "test.test_asyncgen": 60,
    "test.test_context": 40,
    "test.test_contextlib_async": 55,
    "test.test_coroutines": 90,
    "test.test_unittest.test_async_case": 13,
    "unittest.test.test_async_case": 13,  # its name before Python 3.12
}


def has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


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


@pytest.mark.parametrize(
    ("modules", "left_out"),
    [(MODULES, LEFT_OUT), (on_priority.MODULES, LEFT_OUT_ON_PRIORITY)],
    ids=["clock", "priority"],
)
def test_every_module_is_run_or_left_out_for_a_reason(
    modules: dict[str, Any], left_out: dict[str, str]
) -> None:
    if not KNOWN:
        pytest.skip("this release of Python may have other modules")
    cpythons = importlib.util.find_spec("test.test_asyncio")
    assert cpythons is not None and cpythons.origin is not None
    its_own = {path.stem for path in Path(cpythons.origin).parent.glob("test_*.py")}
    run = {module.rpartition(".")[2] for module in modules}
    assert its_own <= run | set(left_out)
    assert not its_own & run & set(left_out)
