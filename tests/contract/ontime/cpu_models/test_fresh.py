"""The fresh process: errors travel, and nothing is left, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from ontime.cpu_models import (
    KINDS,
    MeasurementError,
    Model,
    UnpicklableError,
    WorkError,
    compare_models,
    product,
)
from tests.contract.left import (
    HAS_PROC,
    PATIENCE,
    SLOW,
    needs_groups,
    needs_proc,
    none_left,
    ours,
)
from tests.contract.ontime.cpu_models.jobs_of_tests import (
    fail,
    fail_oddly,
    fail_once,
    give_a_lock,
    leave,
    leave_politely,
    start_a_child_and_wait,
    stop_iteration,
)
from tests.fast.ontime.cpu_models.shared import (
    HERE,
    PROCESSES,
    QUICK,
    SOURCE,
    run_script,
)


@needs_proc
def test_the_search_for_orphans_finds_one() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    try:
        limit = time.monotonic() + 300
        while child.pid not in ours() and time.monotonic() < limit:
            time.sleep(0.02)
        assert child.pid in ours()
    finally:
        child.kill()
        child.wait()
    assert none_left() == {}


def test_unpicklable_functions() -> None:
    def inner() -> None:
        pass

    for work in (inner, lambda: None):
        with pytest.raises(UnpicklableError, match="top level of a module"):
            compare_models(work, models=["chain"])


def test_unpicklable_arguments() -> None:
    with pytest.raises(UnpicklableError, match="arguments that pickle can copy"):
        compare_models(product, (threading.Lock(),), models=["chain"])


def test_a_function_of_a_notebook(tmp_path: Path) -> None:
    """At a prompt there is no file to import the function from."""
    said = subprocess.run(
        [sys.executable, "-"],
        input=textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {SOURCE!r})
            from functools import partial
            from ontime.cpu_models import compare_models, UnpicklableError
            def mine():
                pass
            for work in mine, partial(mine):
                try:
                    compare_models(work, models=["pool"])
                except UnpicklableError as error:
                    print(error)
            """),
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=True,
    ).stdout
    assert said.count("%%writefile") == 2


def test_an_argument_of_a_notebook() -> None:
    """Pickle takes it here, and only the other side misses its class."""
    said = subprocess.run(
        [sys.executable, "-"],
        input=textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {SOURCE!r})
            from ontime.cpu_models import compare_models, MeasurementError
            class Mine:
                pass
            try:
                compare_models(repr, (Mine(),), models=["pool"])
            except MeasurementError as error:
                print(error)
            """),
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=True,
    ).stdout
    assert "could not import the work" in said and "Mine" in said
    assert "must be defined in a module" in said


def test_an_unpicklable_result() -> None:
    """It matters only where the result has to travel."""
    assert len(compare_models(give_a_lock, count=1, models=["chain", "threads"])) == 2
    for kind in PROCESSES:
        with pytest.raises(WorkError, match="pickle"):
            compare_models(give_a_lock, count=1, models=[kind])


@pytest.mark.parametrize("kind", QUICK)
def test_a_function_that_raises(kind: str) -> None:
    with pytest.raises(WorkError, match=r"^fail failed .*: ValueError: no") as caught:
        compare_models(fail, ("no",), count=3, models=[kind])
    assert Model(kind).name in str(caught.value)
    if kind != "interpreters":
        assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("kind", QUICK)
def test_one_job_that_raises(kind: str, tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="the first one fails"):
        compare_models(fail_once, (str(tmp_path / "x"),), count=6, models=[kind])


@pytest.mark.parametrize("kind", ["chain", "threads", "pool", "process pool"])
def test_an_exception_that_does_not_travel(kind: str) -> None:
    with pytest.raises(WorkError, match="OddError: 1 and 2"):
        compare_models(fail_oddly, count=2, models=[kind], timeout=SLOW)


@pytest.mark.parametrize("kind", QUICK)
def test_a_job_that_exits(kind: str) -> None:
    with pytest.raises((WorkError, MeasurementError)):
        compare_models(leave_politely, count=2, models=[kind], timeout=SLOW)


@pytest.mark.parametrize("kind", QUICK)
def test_a_job_that_leaves_python(kind: str) -> None:
    with pytest.raises((WorkError, MeasurementError)) as caught:
        compare_models(leave, count=2, models=[kind], timeout=SLOW)
    if kind in ("chain", "threads", "at once"):
        assert "ended with status 3" in str(caught.value)
    if kind == "pool":
        assert "a worker process of the Pool ended" in str(caught.value)


@pytest.mark.parametrize("kind", ["chain", "threads"])
def test_stop_iteration_is_an_error_like_others(kind: str) -> None:
    with pytest.raises(WorkError, match="StopIteration"):
        compare_models(stop_iteration, count=2, models=[kind], timeout=SLOW)


@pytest.mark.parametrize("kind", ["chain", "threads", *PROCESSES])
def test_a_timeout(kind: str) -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match=r"not done after 1 s: give it a smaller"):
        compare_models(time.sleep, (SLOW,), count=3, models=[kind], timeout=1)
    assert time.monotonic() - begun < SLOW / 2


@needs_groups
@needs_proc
def test_a_timeout_ends_the_children_of_the_job_too() -> None:
    with pytest.raises(TimeoutError):
        compare_models(
            start_a_child_and_wait, (60,), count=2, models=["process pool"], timeout=2
        )
    assert none_left() == {}


SCRIPT = """
import sys, time
sys.path.insert(0, {source!r})
from ontime.cpu_models import Model, compare_models
if __name__ == "__main__":
    models = [Model({kind!r}, {workers!r})]
    compare_models(time.sleep, (60,), count=3, models=models, timeout=600)
"""


def start_script(kind: str, least: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a script that measures for a minute; return once its workers are there."""
    path = folder / "script.py"
    workers = 2 if KINDS[kind].pooled else None
    text = SCRIPT.format(source=SOURCE, kind=kind, workers=workers)
    path.write_text(text, encoding="utf-8")
    script = subprocess.Popen(
        [sys.executable, str(path)], stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        limit = time.monotonic() + SLOW
        while len(ours()) < least:
            assert time.monotonic() < limit and script.poll() is None
            time.sleep(0.05)
    except BaseException:
        script.kill()
        script.wait()
        raise
    time.sleep(0.3)
    return script


@pytest.mark.slow
# The script, the supervisor, the measuring process; and two workers.
@needs_groups
@needs_proc
@pytest.mark.parametrize(
    ("kind", "least"), [("chain", 3), ("threads", 3), ("pool", 5), ("process pool", 5)]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_an_interrupt_or_a_kill_in_the_middle(
    kind: str, least: int, number: signal.Signals, tmp_path: Path
) -> None:
    script = start_script(kind, least, tmp_path)
    os.kill(script.pid, number)
    script.wait(PATIENCE)
    assert script.returncode != 0
    assert none_left() == {}


@needs_groups
@needs_proc
def test_a_kill_while_the_cluster_runs(tmp_path: Path) -> None:
    if "dask" not in HERE:
        pytest.skip("distributed is not installed")
    script = start_script("dask", 5, tmp_path)
    script.kill()
    script.wait(PATIENCE)
    assert none_left() == {}


@needs_groups
@needs_proc
def test_the_measuring_process_is_killed(tmp_path: Path) -> None:
    """Its workers go with it, and the caller hears of it."""
    caught: list[BaseException] = []

    def call() -> None:
        try:
            compare_models(
                time.sleep, (60,), count=3, models=[Model("pool", 2)], timeout=SLOW
            )
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    # The supervisor, the measuring process, two workers.
    limit = time.monotonic() + SLOW
    while len(ours()) < 4 and time.monotonic() < limit:
        time.sleep(0.02)
    measuring = [
        pid for pid, line in ours().items() if "ontime.cpu_models.fresh" in line
    ]
    # A worker that was forked has the command line of its parent.
    os.kill(min(measuring), signal.SIGKILL)
    thread.join(SLOW)
    assert isinstance(caught[0], MeasurementError)
    assert "ended with signal 9" in str(caught[0])
    assert none_left() == {}


def test_an_interrupt_right_at_the_start() -> None:
    """KeyboardInterrupt from any line between start and end leaves nothing behind."""
    import _thread

    for delay in (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4):
        timer = threading.Timer(delay, _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            compare_models(time.sleep, (60,), count=3, models=["process pool"])
            pytest.fail("it was not interrupted")
        timer.join()
        if HAS_PROC:
            assert none_left() == {}


def test_no_thread_and_no_descriptor_is_left() -> None:
    compare_models(product, (10,), count=1, models=["chain"])
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("needs /proc to count descriptors")
    threads, files = threading.active_count(), len(list(folder.iterdir()))
    for _ in range(3):
        compare_models(product, (10,), count=1, models=["chain"])
    assert len(list(folder.iterdir())) <= files
    assert threading.active_count() <= threads


def test_a_function_of_a_script(tmp_path: Path) -> None:
    done = run_script(
        """
        from ontime.cpu_models import Model, compare_models
        def mine(n):
            return n * n
        if __name__ == "__main__":
            models = ["chain", Model("pool", 2, "spawn"), Model("process pool", 2)]
            print(compare_models(mine, (7,), count=2, models=models))
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "2 jobs of mine(7)." in done.stdout


def test_a_script_without_its_guard_is_told(tmp_path: Path) -> None:
    """It would start processes without an end."""
    done = run_script(
        """
        from ontime.cpu_models import compare_models, product
        compare_models(product, (7,), count=2, models=["chain"])
        """,
        tmp_path,
    )
    assert done.returncode == 1
    assert 'under if __name__ == "__main__"' in done.stderr.splitlines()[-1]
