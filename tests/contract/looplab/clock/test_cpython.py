"""CPython's own asyncio tests pass on the virtual clock and on the priority loop.

They come with the interpreter, in its ``test`` package.  ``cpython_on.py`` runs one
module of them, and says what it leaves out on the virtual clock and why; on the
priority loop nothing is left out.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("these are the tests of Unix", allow_module_level=True)

from tests.contract.looplab.clock.cpython_on import EXCLUDED, LEFT_OUT, excluded

ROOT = Path(__file__).parents[4]
RUNNER = Path(__file__).with_name("cpython_on.py")
Report = dict[str, Any]

# Where they were tried.  Another release of Python has other tests: there a failure is
# compared with the stock loop's.
KNOWN = sys.version_info[:3] in {(3, 11, 7), (3, 12, 1), (3, 13, 0)}

# Module, and how many of its tests run at least, on the virtual clock and on the
# priority loop; how many loops they make there at least.
MODULES = {
    "test_base_events": (40, 100, 20),
    "test_buffered_proto": (0, 1, 1),
    "test_context": (1, 1, 1),
    "test_eager_task_factory": (35, 35, 30),
    "test_events": (40, 230, 150),
    "test_futures": (150, 150, 0),
    "test_futures2": (3, 3, 3),
    "test_locks": (65, 65, 40),
    "test_pep492": (10, 10, 0),
    "test_proactor_events": (0, 70, 0),
    "test_protocols": (5, 5, 0),
    "test_queues": (40, 40, 30),
    "test_runners": (25, 25, 0),
    "test_selector_events": (0, 100, 0),
    "test_sendfile": (0, 40, 30),
    "test_server": (0, 2, 2),
    "test_sock_lowlevel": (0, 30, 30),
    "test_ssl": (0, 15, 8),
    "test_sslproto": (0, 15, 5),
    "test_staggered": (2, 2, 2),
    "test_streams": (45, 60, 30),
    "test_subprocess": (0, 70, 40),
    "test_taskgroups": (35, 35, 30),
    "test_tasks": (880, 880, 100),
    "test_threads": (0, 5, 5),
    "test_timeouts": (30, 30, 20),
    "test_transports": (7, 7, 0),
    "test_unix_events": (0, 60, 20),
    "test_waitfor": (15, 15, 10),
    # Not of asyncio's own folder; the last is the one before it until Python 3.11.
    "test.test_asyncgen": (60, 0, 0),
    "test.test_context": (40, 0, 0),
    "test.test_contextlib_async": (55, 0, 0),
    "test.test_coroutines": (90, 0, 0),
    "test.test_unittest.test_async_case": (13, 0, 0),
    "unittest.test.test_async_case": (13, 0, 0),
}

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

RUNS = [
    *(("virtual", module) for module, least in MODULES.items() if least[0]),
    *(("priority", module) for module, least in MODULES.items() if least[1]),
    *(("in-use", module) for module in IN_USE),
]


def full(module: str) -> str:
    return module if "." in module else f"test.test_asyncio.{module}"


def has(module: str) -> bool:
    try:
        return importlib.util.find_spec(full(module)) is not None
    except ModuleNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not has("utils"), reason="this Python came without its test package"
)


def run_module(kind: str, module: str, *names: str) -> Report:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    environment.pop("PYTHONASYNCIODEBUG", None)
    done = subprocess.run(
        [sys.executable, str(RUNNER), kind, full(module), *names],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def reports() -> Iterator[dict[tuple[str, str], Future[Report]]]:
    """Of all that run, a few at a time: most of their time they wait."""
    with ThreadPoolExecutor(3) as pool:
        yield {run: pool.submit(run_module, *run) for run in RUNS if has(run[1])}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "module"), RUNS)
def test_cpythons_tests_pass(kind: str, module: str, reports: Any) -> None:
    if (kind, module) not in reports:
        pytest.skip(f"Python {sys.version_info[:2]} has no {module}")
    report = reports[kind, module].result()
    failed = report["failed"]
    for _ in range(4 if kind != "virtual" else 0):
        # Some of them measure time, which the others beside them and the machine take.
        if failed:
            names = [name.removeprefix(f"{full(module)}.") for name in failed]
            failed = run_module(kind, module, *names)["failed"]
    expected = {IN_USE[module]} - {None} if kind == "in-use" else set()
    if failed and not KNOWN:
        stock = run_module("stock", module)["failed"]
        failed = {name: why for name, why in failed.items() if name not in stock}
        assert {name.rpartition(".")[2] for name in failed} <= expected
        return
    assert {name.rpartition(".")[2] for name in failed} == expected, failed
    virtual, priority, loops = MODULES[module]
    assert report["ran"] >= (virtual if kind == "virtual" else priority)
    assert report["loops"] >= (0 if kind == "virtual" else loops)


def test_what_is_excluded_would_fail() -> None:
    """No exclusion hides a module's worth of tests that pass."""
    if not KNOWN:
        pytest.skip("this release of Python may have fixed some of them")
    module = "test.test_asyncio.test_tasks"
    assert module in EXCLUDED
    report = run_module("virtual", module, *excluded(module))
    assert len(report["failed"]) == report["ran"] > 10


def test_every_module_is_run_or_left_out_for_a_reason() -> None:
    if not KNOWN:
        pytest.skip("this release of Python may have other modules")
    cpythons = importlib.util.find_spec("test.test_asyncio")
    assert cpythons is not None and cpythons.origin is not None
    its_own = {path.stem for path in Path(cpythons.origin).parent.glob("test_*.py")}
    virtual = {module for module, least in MODULES.items() if least[0]}
    left_out = set(" ".join(LEFT_OUT).split())
    assert its_own <= virtual | left_out
    assert not its_own & virtual & left_out
    windows = {"test_windows_events", "test_windows_utils"}
    assert its_own - windows <= {
        module for module, least in MODULES.items() if least[1]
    }


def test_the_tests_do_run_on_our_loop() -> None:
    for kind, least in (("virtual", 1), ("priority", 1), ("stock", 0)):
        assert min(1, run_module(kind, "test_locks")["loops"]) == least
