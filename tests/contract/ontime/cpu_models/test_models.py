"""Each model gives every result, counts what it costs, and says why it cannot run."""

from __future__ import annotations

import asyncio
import multiprocessing
import multiprocessing.pool
import sys
import threading
import time
from functools import partial
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import pytest

from ontime.cpu_models import (
    Measurement,
    Model,
    ModelUnavailableError,
    WorkerLostError,
    compare_models,
    models,
    product,
)
from ontime.cpu_models.measure import measure
from tests.contract.left import SLOW
from tests.contract.ontime.cpu_models.jobs_of_tests import (
    count_up,
    fail,
    leave,
    sleep_and_compute,
)
from tests.fast.ontime.cpu_models.shared import (
    HERE,
    PROCESSES,
    SOURCE,
    run_script,
)

# Where it is there: the others leave a process that tracks resources.
needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)

RESULTS = """
import asyncio, math, sys
from functools import partial
sys.path.insert(0, {source!r})
from ontime.cpu_models import KINDS, Model, product

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


@pytest.mark.parametrize("kind", HERE)
def test_every_job_is_run_once(kind: str, tmp_path: Path) -> None:
    """Also where the calls are equal, and a cluster could share one result."""
    path = tmp_path / "count"
    compare_models(count_up, (str(path),), count=7, models=[kind], timeout=SLOW)
    assert len(path.read_bytes()) == 7


def test_work_on_the_loop_is_late_by_all_and_by_one() -> None:
    """Jobs that block the loop for a known time, of which a busy machine takes nothing.

    What it adds comes and goes: a model that is late by more is so in each of its runs.
    """
    result = compare_models(
        sleep_and_compute, count=20, models=["at once", "chain", "threads"], repeats=3
    )
    at_once, chain, threads = result
    least = {row.name: min(row.values("lateness")) for row in result}
    assert least[at_once.name] > 3.95  # 4 less the interval
    assert 0.18 < least[chain.name] < least[at_once.name]
    assert least[threads.name] < 0.5 * least[at_once.name]
    assert chain.wall >= 4 and at_once.wall >= 4 and threads.wall >= 0.2


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
    begun = time.monotonic()
    found = measure(Model("chain"), product, (10,), 3, 0.001)
    took = time.monotonic() - begun
    assert isinstance(found, Measurement)
    assert 0 <= found.startup <= found.total <= took


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
            async with asyncio.timeout(60):
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


def test_interpreters_say_which_python_they_need() -> None:
    if sys.version_info >= (3, 14):
        assert not Model("interpreters").unavailable()
        return
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14 or newer"):
        compare_models(product, (10,), models=["interpreters"])
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14"):
        Model("interpreters").enter()


def test_a_package_that_the_fresh_process_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The reason comes back as the same error."""
    monkeypatch.setattr(Model, "unavailable", lambda self: "")
    if sys.version_info >= (3, 14):
        pytest.skip("this Python has all of them")
    with pytest.raises(ModelUnavailableError, match=r"needs Python 3\.14"):
        compare_models(product, (10,), models=["interpreters"])


def test_a_pool_that_never_ends_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker that is ended while it sends its result keeps a lock for ever."""
    kept: list[Pool] = []
    begun = threading.Event()
    really = Pool.terminate

    def stuck(pool: Pool) -> None:
        kept.append(pool)
        begun.set()
        threading.Event().wait()

    async def main() -> None:
        async with Model("pool", workers=1).enter() as run_all:
            await run_all(partial(fail, "no"), 1)

    monkeypatch.setattr(Pool, "terminate", stuck)
    monkeypatch.setattr(models, "_PATIENCE", 0.2)
    with pytest.raises(Exception, match="no"):
        asyncio.run(main())
    assert begun.wait(60)
    really(kept[0])
    kept[0].join()
