"""CPython's own asyncio tests pass on the virtual clock and on the priority loop.

They come with the interpreter, in its ``test`` package.  ``cpython_on.py`` runs one
module of them, and says what it leaves out on the virtual clock and why; on the
priority loop nothing is left out.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("these are the tests of Unix", allow_module_level=True)

from tests.contract.looplab.clock.cpython_on import LEFT_OUT
from tests.contract.looplab.fresh import ENVIRON, python

RUNNER = Path(__file__).with_name("cpython_on.py")

CPYTHONS = importlib.util.find_spec("test.test_asyncio")
if CPYTHONS is None or CPYTHONS.origin is None:
    pytest.skip("this Python came without its test package", allow_module_level=True)
MODULES = sorted(
    f"test.test_asyncio.{path.stem}"
    for path in Path(CPYTHONS.origin).parent.glob("test_*.py")
    if "windows" not in path.stem
)
#: Not of asyncio's own folder; the last is the one before it until Python 3.11.
BESIDE = [
    "test.test_asyncgen",
    "test.test_context",
    "test.test_contextlib_async",
    "test.test_coroutines",
    "test.test_unittest.test_async_case",
    "unittest.test.test_async_case",
]

# What ends in another way where priorities are in use.  Of test_ssl one test looks for
# leaks as soon as the loop stops; a transport's last callback may still be waiting
# then, in another order than stock: it is not run.
_ALIKE = (
    "test_events test_locks test_queues test_selector_events test_server "
    "test_sock_lowlevel test_sslproto test_streams test_subprocess test_taskgroups "
    "test_unix_events test_waitfor"
)
IN_USE: dict[str, str | None] = dict.fromkeys(_ALIKE.split()) | {
    # A callback that the test adds between two runs has no priority, so it goes before
    # the one that gather() has added.
    "test_tasks": "test_cancel_gather_1",
    # Of two timers of one moment the first cancels the task that the program runs,
    # and that goes before all others: before the second timer too.
    "test_timeouts": "test_nested_timeouts",
}


def exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


RUNS = [
    *(
        ("virtual", module)
        for module in [*MODULES, *filter(exists, BESIDE)]
        if module.rpartition(".")[2] not in " ".join(LEFT_OUT).split()
    ),
    *(("priority", module) for module in MODULES),
    *(("in-use", f"test.test_asyncio.{module}") for module in IN_USE),
]


def run_module(kind: str, module: str, *names: str) -> dict[str, Any]:
    environment = {k: v for k, v in ENVIRON.items() if k != "PYTHONASYNCIODEBUG"}
    done = python(RUNNER, kind, module, *names, env=environment, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "module"), RUNS)
def test_cpythons_tests_pass(kind: str, module: str) -> None:
    report = run_module(kind, module)
    assert report["ran"]
    failed = {
        name.removeprefix(f"{module}."): why for name, why in report["failed"].items()
    }
    short = module.rpartition(".")[2]
    expected = {IN_USE[short]} - {None} if kind == "in-use" else set()
    unexpected = {name for name in failed if name.rpartition(".")[2] not in expected}
    if unexpected:  # another Python, or what measures time: does the stock loop pass?
        on_stock = run_module("stock", module, *unexpected)["failed"]
        unexpected -= {name.removeprefix(f"{module}.") for name in on_stock}
    assert not unexpected, {name: failed[name] for name in unexpected}


@pytest.mark.parametrize("kind", ["virtual", "priority"])
def test_the_tests_do_run_on_our_loop(kind: str) -> None:
    report = run_module(kind, "test.test_asyncio.test_locks")
    assert report["ran"] >= 65
    assert report["loops"] >= 40
    assert not report["failed"]
