"""CPython's own asyncio tests pass on the priority loop, without exception.

They come with the interpreter, in its ``test`` package.  ``cpython_on_priority.py``
runs one module of them.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("CPython's tests of this loop are Unix's", allow_module_level=True)

from tests.contract.looplab.priority.cpython_on_priority import LEFT_OUT

# Where they were tried.  Another release of Python has other tests: there a failure is
# compared with the stock loop's.
KNOWN = sys.version_info[:3] in {(3, 11, 7), (3, 12, 1), (3, 13, 0)}

# Module, how many of its tests run at least, and how many loops they make at least.
MODULES = {
    "test_base_events": (100, 20),
    "test_buffered_proto": (1, 1),
    "test_context": (1, 1),
    "test_eager_task_factory": (35, 30),
    "test_events": (230, 150),
    "test_futures": (150, 0),
    "test_futures2": (3, 3),
    "test_locks": (65, 40),
    "test_pep492": (10, 0),
    "test_proactor_events": (70, 0),
    "test_protocols": (5, 0),
    "test_queues": (40, 30),
    "test_runners": (25, 0),
    "test_selector_events": (100, 0),
    "test_sendfile": (40, 30),
    "test_server": (2, 2),
    "test_sock_lowlevel": (30, 30),
    "test_ssl": (15, 8),
    "test_sslproto": (15, 5),
    "test_staggered": (2, 2),
    "test_streams": (60, 30),
    "test_subprocess": (70, 40),
    "test_taskgroups": (35, 30),
    "test_tasks": (880, 100),
    "test_threads": (5, 5),
    "test_timeouts": (30, 20),
    "test_transports": (7, 0),
    "test_unix_events": (60, 20),
    "test_waitfor": (15, 10),
}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("test") is None
    or importlib.util.find_spec("test.test_asyncio") is None,
    reason="this Python came without its test package",
)


def has(module: str) -> bool:
    return importlib.util.find_spec(f"test.test_asyncio.{module}") is not None


def test_more_than_two_thousand_tests_run() -> None:
    assert sum(MODULES[module][0] for module in MODULES if has(module)) > 2_000


def test_every_module_is_run_or_left_out_for_a_reason() -> None:
    if not KNOWN:
        pytest.skip("this release of Python may have other modules")
    cpythons = importlib.util.find_spec("test.test_asyncio")
    assert cpythons is not None and cpythons.origin is not None
    here = {path.stem for path in Path(cpythons.origin).parent.glob("test_*.py")}
    assert here <= set(MODULES) | set(LEFT_OUT)
