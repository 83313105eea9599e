"""The CPU models: right answers, clear errors, and no process left behind."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import multiprocessing
import multiprocessing.pool
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import looplab
from looplab import cpu_models
from looplab.cpu_models import (
    KINDS,
    MOST_JOBS,
    MOST_WORKERS,
    Comparison,
    Measurement,
    MeasurementError,
    Model,
    ModelUnavailableError,
    Row,
    UnpicklableError,
    WorkerLostError,
    WorkError,
    compare_models,
    compress,
    digest,
    free_cores,
    machine,
    product,
    usable_cores,
)
from looplab.cpu_models.__main__ import _TRIAL, main
from looplab.cpu_models.compare import _in_words
from looplab.cpu_models.measure import measure

SOURCE = str(Path(looplab.__file__).parents[1])
HERE = [kind for kind in KINDS if not Model(kind).unavailable()]
QUICK = [kind for kind in HERE if kind != "dask"]
PROCESSES = ["pool", "process pool"]

needs_groups = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="needs process groups"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc to count processes"
)
# Where it is there: the others leave a process that tracks resources.
needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)


# ------------------------------------------------------------ no process is left


def ours() -> dict[int, str]:
    """Living processes that descend from this one or were started by a test of it.

    They are told by a variable in their environment, so that a process whose parent
    has died is found too.
    """
    mark = f"LOOPLAB_TEST={os.getpid()}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state in "ZX" or mark not in (folder / "environ").read_bytes():
                continue
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            found[int(folder.name)] = line
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return found


def none_left(within: float = 5.0) -> dict[int, str]:
    """What is still there after *within* seconds."""
    limit = time.monotonic() + within
    while (left := ours()) and time.monotonic() < limit:
        time.sleep(0.05)
    return left


@pytest.fixture(autouse=True)
def no_orphans(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test of this file ends without a process of its own."""
    # Not in our own environment as /proc shows it: that is from our start.
    monkeypatch.setenv("LOOPLAB_TEST", str(os.getpid()))
    yield
    if Path("/proc/self/stat").exists():
        left = none_left()
        for pid in left:  # the next test must not suffer
            os.kill(pid, signal.SIGKILL)
        assert left == {}


@needs_proc
def test_the_search_for_orphans_finds_one() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    try:
        limit = time.monotonic() + 5
        while child.pid not in ours() and time.monotonic() < limit:
            time.sleep(0.02)
        assert child.pid in ours()
    finally:
        child.kill()
        child.wait()
    assert none_left() == {}


# ------------------------------------------------------------------ jobs of tests


def fail(text: str) -> None:
    raise ValueError(text)


class OddError(Exception):
    """An exception that pickle cannot make again."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


def fail_oddly() -> None:
    raise OddError(1, 2)


def fail_once(path: str) -> str:
    """Fail in the first call only."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "done"
    raise ValueError("the first one fails")


def leave() -> None:
    os._exit(3)


def leave_politely() -> None:
    sys.exit(4)


def stop_iteration() -> None:
    raise StopIteration(5)


def give_a_lock() -> object:
    return threading.Lock()


def start_a_child_and_wait(seconds: float) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import time; time.sleep({seconds})"], check=True
    )


def count_up(path: str) -> None:
    """Add a byte to a file, in one step."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, b".")
    os.close(file)


def print_and_read() -> str:
    print("x" * 100_000)
    return sys.stdin.read()


# --------------------------------------------------------------------- the work


@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 3, 10, 100])
def test_product(limit: int) -> None:
    assert product(limit) == math.factorial(max(limit - 1, 0))


def test_digest() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest(0) == empty
    assert digest(10) != digest(11)


@pytest.mark.parametrize("size", [0, 1, 996, 997, 998, 100_000])
def test_compress(size: int) -> None:
    assert 0 < compress(size) < size / 2 + 20


# ------------------------------------------------------------------ each model


RESULTS = """
import asyncio, math, sys
from functools import partial
sys.path.insert(0, {source!r})
from looplab.cpu_models import KINDS, Model, product

async def results(model):
    async with model.enter() as run_all:
        return await run_all(partial(product, 20), 5)

if __name__ == "__main__":
    for kind in KINDS:
        if not Model(kind).unavailable():
            assert asyncio.run(results(Model(kind))) == [math.factorial(19)] * 5
            print(kind)
"""


def test_each_model_gives_every_result(tmp_path: Path) -> None:
    """In a process of its own: here, the helpers of multiprocessing would stay."""
    done = run_script(RESULTS.format(source=SOURCE), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == HERE


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("kind", PROCESSES)
def test_each_start_method(kind: str, method: str) -> None:
    row = compare_models(
        product, (500,), count=3, models=[Model(kind, 2, method)]
    ).rows[0]
    assert row.name.endswith(f"(2), {method}")
    # CPU of the workers is in: each has at least started.
    assert row.cpu > 0 and row.startup > 0 and row.wall > 0


def test_default_models_are_one_of_each_kind_and_say_what_is_missing() -> None:
    result = compare_models(product, (10,), count=2)
    assert [row.model.kind for row in result] == list(KINDS)
    for row in result:
        assert bool(row.runs) != bool(row.unavailable)
        assert row.unavailable == row.model.unavailable()
        if not row.runs:
            assert "not run: " + row.unavailable in repr(result)


@pytest.mark.parametrize("kind", QUICK)
def test_a_measurement_makes_sense(kind: str) -> None:
    begun = time.monotonic()
    row = compare_models(product, (4000,), count=4, models=[kind]).rows[0]
    took = time.monotonic() - begun
    run = row.runs[0]
    assert 0 < run.wall < took
    assert 0 <= run.startup < took
    assert run.total == run.startup + run.wall == row.total
    assert run.beats >= 1
    assert 0 <= run.lateness < took
    assert run.cpu is not None
    assert 0 < run.cpu < took * (usable_cores() + 0.5)


@pytest.mark.parametrize("kind", HERE)
def test_every_job_is_run_once(kind: str, tmp_path: Path) -> None:
    """Also where the calls are equal, and a cluster could share one result."""
    path = tmp_path / "count"
    compare_models(count_up, (str(path),), count=7, models=[kind])
    assert len(path.read_bytes()) == 7


def sleep_and_compute() -> None:
    time.sleep(0.2)


def test_work_on_the_loop_is_late_by_all_and_by_one() -> None:
    """Jobs that block the loop for a known time: sleeps do not depend on the load."""
    result = compare_models(
        sleep_and_compute, count=4, models=["at once", "chain", "threads"]
    )
    at_once, chain, threads = result
    assert at_once.lateness > 0.75  # 0.8 less the interval
    assert 0.18 < chain.lateness < at_once.lateness
    assert threads.lateness < 0.5 * at_once.lateness
    assert chain.wall >= 0.8 and at_once.wall >= 0.8 and threads.wall >= 0.2


def test_cpu_counts_the_children() -> None:
    """The same work costs a Pool at least as much CPU as the loop, whatever is free."""
    result = compare_models(product, (9000,), count=4, models=["chain", "pool"])
    chain, pool = result
    assert pool.cpu > 0.5 * chain.cpu


def test_cpu_counts_the_children_of_a_forkserver() -> None:
    models = [Model("pool", 2, "fork"), Model("pool", 2, "forkserver")]
    fork, forkserver = compare_models(product, (9000,), count=8, models=models)
    assert forkserver.cpu > 0.5 * fork.cpu


def test_measure_here(recwarn: pytest.WarningsRecorder) -> None:
    found = measure(Model("chain"), product, (10,), 3, 0.001)
    assert isinstance(found, Measurement)
    assert found.startup < found.wall + 1


def test_runs_take_turns_and_report() -> None:
    said: list[str] = []
    result = compare_models(
        product,
        (10,),
        count=1,
        models=["chain", "threads"],
        repeats=2,
        report=said.append,
    )
    assert said == [
        "call_soon chain (1 of 2)",
        "a thread each (1 of 2)",
        "call_soon chain (2 of 2)",
        "a thread each (2 of 2)",
    ]
    assert [len(row.runs) for row in result] == [2, 2]


def test_the_work_may_print_and_read() -> None:
    result = compare_models(print_and_read, count=2, models=["chain", "process pool"])
    assert len(result) == 2


def test_works_in_a_running_loop_and_in_a_thread() -> None:
    async def inside() -> Comparison:
        return await asyncio.to_thread(
            compare_models, product, (10,), count=1, models=["chain"]
        )

    assert len(asyncio.run(inside())) == 1


# -------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"count": 0}, ValueError, "count is 0: give 1 or more"),
        ({"count": -3}, ValueError, "count is -3"),
        ({"count": MOST_JOBS + 1}, ValueError, f"give {MOST_JOBS} or fewer"),
        ({"count": 2.0}, TypeError, "count must be a whole number"),
        ({"count": True}, TypeError, "count must be a whole number"),
        ({"repeats": 0}, ValueError, "repeats is 0"),
        ({"repeats": "2"}, TypeError, "repeats must be a whole number"),
        ({"interval": 0}, ValueError, "interval is 0"),
        ({"interval": -1}, ValueError, "interval is -1"),
        ({"interval": math.inf}, ValueError, "interval is inf"),
        ({"interval": math.nan}, ValueError, "interval is nan"),
        ({"interval": "1"}, TypeError, "interval must be a number"),
        ({"timeout": 0}, ValueError, "timeout is 0"),
        ({"timeout": None}, TypeError, "timeout must be a number"),
        ({"patience": 0}, ValueError, "patience is 0"),
        ({"patience": "long"}, TypeError, "patience must be a number"),
        ({"models": []}, ValueError, "no model to run"),
        ({"models": ["treads"]}, ValueError, "there is no model 'treads'; there are"),
        ({"models": ["chain", "chain"]}, ValueError, "is there twice"),
        ({"models": [3]}, TypeError, "3 is no model"),
        ({"args": 5}, TypeError, r"such as args=\(10,\)"),
        ({"args": "abc"}, TypeError, "give a tuple"),
    ],
)
def test_bad_settings(settings: dict[str, Any], error: type, words: str) -> None:
    arguments: dict[str, Any] = {"args": (10,), **settings}
    with pytest.raises(error, match=words):
        compare_models(product, **arguments)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Model("pool", 0), ValueError, "workers is 0: give 1 or more"),
        (lambda: Model("pool", -2), ValueError, "workers is -2"),
        (lambda: Model("pool", MOST_WORKERS + 1), ValueError, "61 or fewer"),
        (lambda: Model("thread pool", 1000), ValueError, "workers is 1000"),
        (lambda: Model("pool", 2.5), TypeError, "workers must be a whole number"),  # type: ignore[arg-type]
        (lambda: Model("pool", True), TypeError, "workers must be a whole number"),
        (lambda: Model("chain", 2), ValueError, "has no pool"),
        (lambda: Model("pool", 2, "frok"), ValueError, "start_method is 'frok'"),
        (lambda: Model("thread pool", 2, "fork"), ValueError, "no start method"),
        (lambda: Model("poll"), ValueError, "there is no model 'poll'"),
    ],
)
def test_bad_models(make: Callable[[], Model], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        make()


async def coroutine_work() -> None:
    pass


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (5, "give a function"),
        (None, "give a function"),
        (coroutine_work, "coroutine_work is an async function"),
    ],
)
def test_what_is_no_work(work: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        compare_models(work, models=["chain"])


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
            from looplab.cpu_models import compare_models, UnpicklableError
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
        timeout=60,
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
            from looplab.cpu_models import compare_models, MeasurementError
            class Mine:
                pass
            try:
                compare_models(repr, (Mine(),), models=["pool"])
            except MeasurementError as error:
                print(error)
            """),
        capture_output=True,
        text=True,
        timeout=60,
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
        compare_models(fail_oddly, count=2, models=[kind], timeout=30)


@pytest.mark.parametrize("kind", QUICK)
def test_a_job_that_exits(kind: str) -> None:
    with pytest.raises((WorkError, MeasurementError)):
        compare_models(leave_politely, count=2, models=[kind], timeout=30)


@pytest.mark.parametrize("kind", QUICK)
def test_a_job_that_leaves_python(kind: str) -> None:
    with pytest.raises((WorkError, MeasurementError)) as caught:
        compare_models(leave, count=2, models=[kind], timeout=30)
    if kind in ("chain", "threads", "at once"):
        assert "ended with status 3" in str(caught.value)
    if kind == "pool":
        assert "a worker process of the Pool ended" in str(caught.value)


@needs_fork
def test_a_worker_that_ends_before_anybody_looks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The Pool has replaced it by the time that the last job is handed over."""
    apply_async = multiprocessing.pool.Pool.apply_async

    def slow_machine(*args: Any, **kwargs: Any) -> Any:
        result = apply_async(*args, **kwargs)
        time.sleep(0.5)
        return result

    async def lose_one() -> None:
        async with Model("pool", 1, "fork").enter() as run_all:
            monkeypatch.setattr(multiprocessing.pool.Pool, "apply_async", slow_machine)
            async with asyncio.timeout(10):
                await run_all(leave, 1)

    with pytest.raises(WorkerLostError, match="a worker process of the Pool ended"):
        asyncio.run(lose_one())
    assert not caplog.records, "the loop has complained of what was not looked at"


@needs_fork
def test_a_process_of_the_caller_may_end() -> None:
    """Only the workers are watched, not what the caller has started besides."""

    async def end_another() -> list[None]:
        with multiprocessing.get_context("fork").Pool(1) as mine:
            async with Model("pool", 1, "fork").enter() as run_all:
                mine.terminate()
                mine.join()
                return await run_all(partial(time.sleep, 0.6), 1)

    assert asyncio.run(end_another()) == [None]


@pytest.mark.parametrize("kind", ["chain", "threads"])
def test_stop_iteration_is_an_error_like_others(kind: str) -> None:
    with pytest.raises(WorkError, match="StopIteration"):
        compare_models(stop_iteration, count=2, models=[kind], timeout=30)


# ------------------------------------------------------------- what is not there


def test_interpreters_say_which_python_they_need() -> None:
    if sys.version_info >= (3, 14):
        assert not Model("interpreters").unavailable()
        return
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14 or newer"):
        compare_models(product, (10,), models=["interpreters"])
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14"):
        Model("interpreters").enter()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "distributed" else real(name, *rest),
    )
    with pytest.raises(ModelUnavailableError, match=r"looplab\[cluster\]"):
        compare_models(product, (10,), models=["chain", "dask"])


def test_a_package_that_the_fresh_process_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The reason comes back as the same error."""
    monkeypatch.setattr(Model, "unavailable", lambda self: "")
    if sys.version_info >= (3, 14):
        pytest.skip("this Python has all of them")
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14"):
        compare_models(product, (10,), models=["interpreters"])


# ------------------------------------------- whatever happens, nothing is left


@pytest.mark.parametrize("kind", ["chain", "threads", *PROCESSES])
def test_a_timeout(kind: str) -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match=r"not done after 1 s: give it a smaller"):
        compare_models(time.sleep, (60,), count=3, models=[kind], timeout=1)
    assert time.monotonic() - begun < 20


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
from looplab.cpu_models import Model, compare_models
if __name__ == "__main__":
    compare_models(time.sleep, (60,), count=3, models=[Model({kind!r}, {workers!r})])
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
    limit = time.monotonic() + 40
    while len(ours()) < least:
        assert time.monotonic() < limit and script.poll() is None
        time.sleep(0.05)
    time.sleep(0.3)
    return script


# The script, the measuring process, its watchdog; and two workers.
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
    script.wait(20)
    assert script.returncode != 0
    assert none_left() == {}


@needs_groups
@needs_proc
def test_a_kill_while_the_cluster_runs(tmp_path: Path) -> None:
    if "dask" not in HERE:
        pytest.skip("distributed is not installed")
    script = start_script("dask", 5, tmp_path)
    script.kill()
    script.wait(20)
    assert none_left() == {}


@needs_groups
@needs_proc
def test_the_measuring_process_is_killed(tmp_path: Path) -> None:
    """Its workers go with it, and the caller hears of it."""
    caught: list[BaseException] = []

    def call() -> None:
        try:
            compare_models(time.sleep, (60,), count=3, models=[Model("pool", 2)])
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    limit = time.monotonic() + 20
    while len(ours()) < 4 and time.monotonic() < limit:
        time.sleep(0.02)
    # The leader of the session is the measuring process.
    leaders = [pid for pid in ours() if os.getsid(pid) == pid]
    assert len(leaders) == 1
    os.kill(leaders[0], signal.SIGKILL)
    thread.join(20)
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
        if Path("/proc/self/stat").exists():
            assert none_left() == {}


def free_as_told(monkeypatch: pytest.MonkeyPatch, *shares: float) -> list[float]:
    """Let free_cores() give these shares of the usable cores, the last one for ever."""
    left = list(shares)
    asked: list[float] = []

    def told(seconds: float = 0.3) -> float:
        asked.append(left.pop(0) if len(left) > 1 else left[0])
        return asked[-1] * usable_cores()

    monkeypatch.setattr("looplab.cpu_models.compare.free_cores", told)
    return asked


def test_a_patient_run_is_repeated_until_the_cores_were_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Busy at first; free, and busy after the run; free before and after.
    asked = free_as_told(monkeypatch, 0.5, 1.0, 0.5, 1.0, 1.0)
    path = tmp_path / "count"
    result = compare_models(
        count_up, (str(path),), count=1, models=["chain"], patience=30
    )
    assert asked == [0.5, 1.0, 0.5, 1.0, 1.0]
    assert len(path.read_bytes()) == 2
    assert len(result.rows[0].runs) == 1


def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    free_as_told(monkeypatch, 0.5)
    with pytest.raises(TimeoutError, match=r"not free within 0\.1 s: close other"):
        compare_models(product, (9,), count=1, models=["chain"], patience=0.1)


def test_without_patience_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = free_as_told(monkeypatch, 0.5)
    compare_models(product, (9,), count=1, models=["chain"])
    assert asked == []


def test_a_report_that_raises() -> None:
    def report(line: str) -> None:
        raise KeyError(line)

    with pytest.raises(KeyError):
        compare_models(product, (10,), count=1, models=["chain"], report=report)


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


# -------------------------------------------------------------------- scripts


def run_script(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "my_script.py"
    head = f"import sys\nsys.path.insert(0, {SOURCE!r})\n"
    path.write_text(head + textwrap.dedent(text), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_a_function_of_a_script(tmp_path: Path) -> None:
    done = run_script(
        """
        from looplab.cpu_models import Model, compare_models
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
        from looplab.cpu_models import compare_models, product
        compare_models(product, (7,), count=2, models=["chain"])
        """,
        tmp_path,
    )
    assert done.returncode == 1
    assert 'under if __name__ == "__main__"' in done.stderr.splitlines()[-1]


# ------------------------------------------------------------------- the table


def run_of(wall: float, cpu: float | None = 0.5) -> Measurement:
    return Measurement(wall=wall, startup=0.25, cpu=cpu, lateness=0.125, beats=3)


@pytest.fixture
def table() -> Comparison:
    rows = (
        Row(Model("chain"), "chain <&>", (run_of(3.0), run_of(1.0), run_of(2.0))),
        Row(Model("pool", 2), "Pool(2)", (run_of(1.0, None),)),
        Row(Model("interpreters", 2), "Interpreters(2)", (), "needs <a new> Python"),
    )
    return Comparison("work(1)", 4, rows, {"system": "Linux", "cores": "2 cores"})


def test_rows_give_medians(table: Comparison) -> None:
    row = table["chain <&>"]
    assert (row.wall, row.total, row.startup, row.cpu) == (2.0, 2.25, 0.25, 0.5)
    assert row.lateness == 0.125
    assert row.values("wall") == [1.0, 2.0, 3.0]
    assert [each.name for each in table] == [row.name for row in table.rows]


def test_what_a_row_does_not_know(table: Comparison) -> None:
    with pytest.raises(ValueError, match=r"does not tell the cpu of Pool\(2\)"):
        _ = table["Pool(2)"].cpu
    with pytest.raises(ValueError, match="was not run: needs"):
        _ = table["Interpreters(2)"].wall
    with pytest.raises(KeyError, match=r"no row 'Pool'; there are chain"):
        table["Pool"]


def test_text(table: Comparison) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "4 jobs of work(1), the median of 3 runs (least to most)."
    assert "2.000 (1.000 to 3.000)" in lines[3]
    assert "not known" in lines[4]
    assert lines[5].endswith("not run: needs <a new> Python")
    assert lines[-1] == "Measured on Linux, 2 cores."


def test_html(table: Comparison) -> None:
    html = table._repr_html_()
    assert "chain &lt;&amp;&gt;" in html and "<&>" not in html
    assert html.count("<tr>") == 4
    assert '>2.000<br><span style="font-size:85%">1.000–3.000</span></td>' in html
    assert ">1.000</td>" in html and ">not known</td>" in html
    assert 'colspan="4">not run: needs &lt;a new&gt; Python' in html


def test_save_and_load(table: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    table.save(path)
    again = Comparison.load(path)
    assert repr(again) == repr(table)
    assert again.rows == table.rows
    assert (tmp_path / "table.txt").read_text(encoding="utf-8") == f"{table!r}\n"


def test_save_never_writes_the_text_over_the_result(
    table: Comparison, tmp_path: Path
) -> None:
    for name in ("table.txt", "table"):
        with pytest.raises(ValueError, match=r"must end in \.json"):
            table.save(tmp_path / name)
    with pytest.raises(ValueError, match="is a folder"):
        (tmp_path / "folder.json").mkdir()
        table.save(tmp_path / "folder.json")
    with pytest.raises(FileNotFoundError, match=r"no folder '.*none': make it"):
        table.save(tmp_path / "none" / "table.json")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"rows": [{}]}', "null"])
def test_load_refuses_other_files(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="is not a saved comparison"):
        Comparison.load(path)


def test_machine() -> None:
    found = machine("pytest", "no-such-package")
    assert found["python"].startswith("Python 3.")
    assert found["pytest"] == f"pytest {pytest.__version__}"
    assert "no-such-package" not in found
    assert "core" in found["cores"]


def test_words_for_the_work() -> None:
    long = "x" * 100
    assert _in_words(partial(product, 40_000), ()) == "product(40_000)"
    assert _in_words(math.gcd, (True, 1.5)) == "gcd(True, 1.5)"
    assert len(_in_words(product, (long,))) < 60


def test_free_cores() -> None:
    assert 0 < free_cores(0.1) < usable_cores() + 0.5
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="seconds is"):
            free_cores(bad)
    with pytest.raises(TypeError, match="must be a number"):
        free_cores("1")  # type: ignore[arg-type]


def test_exports() -> None:
    for name in cpu_models.__all__:
        assert hasattr(cpu_models, name)


# ----------------------------------------------------------------- the command


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.json"
    words = ["--models", "chain, threads", "--jobs", "2", "--limit", "50"]
    assert main([*words, "--save", str(path)]) == 0
    said = capsys.readouterr()
    assert "2 jobs of product(50)." in said.out
    assert "call_soon chain" in said.err
    kept = Comparison.load(path)
    assert path.with_suffix(".txt").read_text(encoding="utf-8") == f"{kept!r}\n"
    assert "cores free before, " in kept.machine["free"]


def test_command_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--models", "chain", "--jobs", "1", "--limit", "9", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["work"] == "product(9)"
    assert said.err == ""


def test_command_with_another_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--models", "chain", "--jobs", "1", "--limit", "9"]
    assert main([*words, "--python", sys.executable]) == 0
    version = ".".join(map(str, sys.version_info[:3]))
    assert f"a thread each, Python {version}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--models", "chian"], 2, "no model 'chian'"),
        (["--jobs", "-1", "--models", "chain"], 2, "--jobs is -1: give 1 or more"),
        (["--jobs", "0", "--models", "chain"], 2, "--jobs is 0: give 1 or more"),
        (["--jobs", "1001", "--models", "chain"], 1, "count is 1001"),
        (["--limit", "0", "--models", "chain"], 2, "--limit is 0: give 1 or more"),
        (["--limit", "-5", "--full"], 2, "--limit is -5: give 1 or more"),
        (["--repeats", "0", "--models", "chain"], 1, "repeats is 0"),
        (["--timeout", "nan", "--models", "chain"], 1, "timeout is nan"),
        (["--jobs", "x"], 2, "invalid int"),
    ],
)
def test_command_with_bad_options(
    words: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        found = main(words)
    except SystemExit as stop:
        found = int(stop.code or 0)
    assert found == status
    assert says in capsys.readouterr().err


def refused_before_a_run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command ends with status 2, and nothing was measured."""

    def never(*args: object, **settings: object) -> None:
        raise AssertionError("it has begun to measure")

    monkeypatch.setattr("looplab.cpu_models.__main__.compare_models", never)
    with pytest.raises(SystemExit) as stop:
        main(["--models", "chain", "--jobs", "1", "--limit", "9", *words])
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("kept.txt", "kept.txt' must end in .json"),
        ("kept", "must end in .json"),
        ("none/kept.json", "none': make it"),
        ("folder.json", "folder.json' is a folder"),
    ],
)
def test_command_refuses_a_place_where_it_cannot_save(
    name: str,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "folder.json").mkdir()
    refused_before_a_run(["--save", str(tmp_path / name)], monkeypatch)
    assert says in capsys.readouterr().err
    assert not (tmp_path / name).is_file()


def fake_python(folder: Path, trial: str, run: str) -> str:
    """A program that is called as an interpreter: with -c *trial*, with -m *run*."""
    path = folder / "python-of-a-test"
    lines = f"""#!{sys.executable}
import sys
sys.path.insert(0, {SOURCE!r})
if __name__ == "__main__":
    if sys.argv[1] == "-c":
{textwrap.indent(textwrap.dedent(trial), " " * 8)}
    else:
{textwrap.indent(textwrap.dedent(run), " " * 8)}
"""
    path.write_text(lines, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


needs_scripts = pytest.mark.skipif(os.name == "nt", reason="needs #! lines")


def test_command_refuses_a_program_that_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused_before_a_run(["--python", "/no/such/python"], monkeypatch)
    assert "--python /no/such/python: there is no such" in capsys.readouterr().err


@needs_scripts
@pytest.mark.parametrize(
    ("trial", "says"),
    [
        ("sys.exit('it is Python 3.9: too old')", "it is Python 3.9: too old"),
        ("sys.exit(3)", "it said nothing"),
    ],
)
def test_command_refuses_an_interpreter_that_cannot_run_it(
    trial: str,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = fake_python(tmp_path, trial, "pass")
    refused_before_a_run(["--python", path], monkeypatch)
    assert f"--python {path}: {says}" in capsys.readouterr().err


def test_the_trial_of_an_interpreter_tells_its_age(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SystemExit, match=r"it is Python 3\.9: looplab needs 3\.11"):
        monkeypatch.setattr(sys, "version_info", (3, 9, 1, "final", 0))
        exec(_TRIAL, {})


@needs_scripts
def test_command_keeps_the_rest_if_an_interpreter_fails_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = fake_python(tmp_path, "pass", "sys.exit('no memory')")
    path = tmp_path / "kept.json"
    words = ["--models", "chain", "--jobs", "1", "--limit", "9", "--save", str(path)]
    assert main([*words, "--python", python]) == 1
    said = capsys.readouterr()
    assert f"error: {python} did not measure: no memory" in said.err
    assert [row.name for row in Comparison.load(path)] == ["call_soon chain"]
    assert "call_soon chain" in said.out


@needs_scripts
def test_rows_of_a_free_threaded_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build that says of itself what a free-threaded one says."""
    run = """
        import sysconfig
        from looplab.cpu_models.__main__ import _TRIAL, main
        ask = sysconfig.get_config_var
        sysconfig.get_config_var = lambda name: (
            1 if name == "Py_GIL_DISABLED" else ask(name))
        sys._is_gil_enabled = lambda: False
        sys.exit(main(sys.argv[3:]))
        """
    python = fake_python(tmp_path, "pass", run)
    words = ["--models", "chain", "--jobs", "2", "--limit", "9"]
    assert main([*words, "--python", python]) == 0
    version = ".".join(map(str, sys.version_info[:3]))
    label = f"Python {version}, free-threaded build, GIL off"
    rows = capsys.readouterr().out
    assert f"a thread each, {label}" in rows
    assert f"ThreadPoolExecutor({usable_cores()}), {label}" in rows


@pytest.mark.parametrize(
    ("built", "enabled", "said"),
    [
        (1, False, "free-threaded build, GIL off"),
        (1, True, "free-threaded build, GIL on"),
        (1, None, "free-threaded build, GIL on"),
        (0, None, None),
        (None, None, None),
    ],
)
def test_machine_names_a_free_threaded_build(
    built: int | None,
    enabled: bool | None,
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = sysconfig.get_config_var
    monkeypatch.setattr(
        sysconfig,
        "get_config_var",
        lambda name: built if name == "Py_GIL_DISABLED" else ask(name),
    )
    if enabled is None:
        monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    else:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: enabled, raising=False)
    assert machine().get("build") == said


def test_a_real_free_threaded_build(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"python3.{minor}t" for minor in (13, 14, 15)]
    python = next(filter(None, map(shutil.which, names)), None)
    if python is None:
        pytest.skip(f"none of {', '.join(names)} is installed")
    words = ["--models", "chain", "--jobs", "4", "--limit", "9000"]
    assert main([*words, "--python", python]) == 0
    assert ", free-threaded build, GIL o" in capsys.readouterr().out


# The command, the supervisor, the other interpreter; its measuring process and the
# watchdog of that.
@needs_groups
@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_a_kill_while_another_interpreter_measures(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = """
        import time
        from looplab.cpu_models import compare_models
        compare_models(time.sleep, (60,), count=2, models=["threads"])
        """
    python = fake_python(tmp_path, "pass", run)
    words = ["--models", "chain", "--jobs", "1", "--limit", "9", "--python", python]
    command = subprocess.Popen(
        [sys.executable, "-m", "looplab.cpu_models", *words],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with command:
        assert command.stderr is not None
        for line in command.stderr:
            if "threads and interpreters" in line:
                break
        limit = time.monotonic() + 40
        while len(ours()) < 5:
            assert time.monotonic() < limit and command.poll() is None
            time.sleep(0.05)
        time.sleep(0.3)
        assert len(ours()) >= 5
        os.kill(command.pid, number)
        command.wait(20)
        assert command.returncode != 0
    assert none_left() == {}
