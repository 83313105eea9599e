"""Each model gives every result, and counts what it costs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ontime.cpu_models import KINDS, Model, WorkFailedError, compare_models

AVAILABLE = [kind for kind in KINDS if not Model(kind).unavailable()]


def count_up(path: str) -> None:
    """Add a byte to a file, in one step."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, b".")
    os.close(file)


def fail_once(path: str) -> None:
    """Fail in the first call only; whoever calls a page of numbers prints."""
    print("x" * 100_000)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    raise ValueError("the first one fails")


def burn(seconds: float) -> None:
    """Use so much CPU time, on whatever machine."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize("kind", AVAILABLE)
def test_every_job_is_run_once(kind: str, tmp_path: Path) -> None:
    """Also where the calls are equal, and a cluster could share one result."""
    path = tmp_path / "count"
    (row,) = compare_models(count_up, (str(path),), count=7, models=[kind], timeout=240)
    assert len(path.read_bytes()) == 7
    assert row.wall > 0 and row.total >= row.wall


@pytest.mark.parametrize("kind", [kind for kind in AVAILABLE if kind != "dask"])
def test_what_a_job_raises(kind: str, tmp_path: Path) -> None:
    with pytest.raises(
        WorkFailedError, match=r"^fail_once in .*the first one"
    ) as caught:
        compare_models(fail_once, (str(tmp_path / "x"),), count=6, models=[kind])
    assert Model(kind).name in str(caught.value)
    if kind != "interpreters":
        assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("kind", "method"),
    [("process pool", "fork"), ("pool", "spawn"), ("pool", "forkserver")],
)
def test_cpu_time_counts_the_children(kind: str, method: str) -> None:
    models = [Model(kind, 2, method)]
    (row,) = compare_models(burn, (0.1,), count=3, models=models, timeout=280)
    assert row.name.endswith(f"(2), {method}")
    assert row.cpu >= 0.3
