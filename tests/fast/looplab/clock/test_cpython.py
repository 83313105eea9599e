"""CPython's own asyncio tests pass on the virtual-time loop.

They come with the interpreter, in its ``test`` package.  ``cpython_on_looplab.py`` runs
one module of them, and says what it leaves out and why.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.contract.looplab.clock.cpython_on_looplab import EXCLUDED, LEFT_OUT

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


def test_more_than_a_thousand_tests_run() -> None:
    assert sum(least for module, least in MODULES.items() if has(module)) > 1_000


def test_every_exclusion_belongs_to_a_module_that_runs() -> None:
    assert set(EXCLUDED) <= set(MODULES)


def test_every_module_is_run_or_left_out_for_a_reason() -> None:
    if not KNOWN:
        pytest.skip("this release of Python may have other modules")
    cpythons = importlib.util.find_spec("test.test_asyncio")
    assert cpythons is not None and cpythons.origin is not None
    here = {path.stem for path in Path(cpythons.origin).parent.glob("test_*.py")}
    named = {module.rpartition(".")[2] for module in MODULES} | set(LEFT_OUT)
    assert here <= named
    assert not here & set(LEFT_OUT) & {m.rpartition(".")[2] for m in MODULES}
