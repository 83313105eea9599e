"""A comparison without its processes: turns, patience, models and words."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from looplab import Heartbeat, burn, run
from ontime.cpu_models import (
    KINDS,
    Measurement,
    Model,
    UnpicklableError,
    compare,
    compare_models,
    product,
    usable_cores,
)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were measured, on a clock that a sleep moves."""
    names: list[str] = []
    now = [0.0]

    def run(
        name: str, request: tuple[Model, int, bytes], timeout: float
    ) -> Measurement:
        names.append(request[0].name)
        return Measurement(1, 0.5, 2, 0.1, 3)

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(compare, "_run", run)
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    monkeypatch.setattr(compare, "time", clock)
    return names


def free_as_told(monkeypatch: pytest.MonkeyPatch, *shares: float) -> list[float]:
    """Let free_cores() give these shares of the usable cores, the last one for ever."""
    left = list(shares)
    asked: list[float] = []

    def free_cores() -> float:
        asked.append(left.pop(0) if len(left) > 1 else left[0])
        return asked[-1] * usable_cores()

    monkeypatch.setattr(compare, "free_cores", free_cores)
    return asked


def test_runs_take_turns_and_report(measured: list[str]) -> None:
    lines: list[str] = []
    result = compare_models(
        product,
        (10,),
        models=["chain", Model("pool", 2)],
        repeats=2,
        report=lines.append,
    )
    assert measured == ["call_soon chain", "Pool(2)"] * 2
    assert [line[-8:] for line in lines] == ["(1 of 2)"] * 2 + ["(2 of 2)"] * 2
    assert [len(row.runs) for row in result] == [2, 2]
    assert result["Pool(2)"].total == 1.5


def test_by_default_one_of_each_kind_and_what_is_missing(measured: list[str]) -> None:
    result = compare_models(product, (10,))
    assert [row.model.kind for row in result] == list(KINDS)
    for row in result:
        assert bool(row.runs) != bool(row.unavailable)
        assert row.unavailable == row.model.unavailable()


def test_a_patient_run_is_repeated_until_the_cores_were_free(
    monkeypatch: pytest.MonkeyPatch, measured: list[str]
) -> None:
    # Busy at first; free, and busy after the run; free before and after.
    asked = free_as_told(monkeypatch, 0.5, 1.0, 0.5, 1.0, 1.0)
    result = compare_models(product, (9,), models=["chain"], patience=600)
    assert asked == [0.5, 1.0, 0.5, 1.0, 1.0]
    assert len(measured) == 2
    assert len(result.rows[0].runs) == 1


def test_patience_has_an_end(
    monkeypatch: pytest.MonkeyPatch, measured: list[str]
) -> None:
    free_as_told(monkeypatch, 0.5)
    with pytest.raises(TimeoutError, match=r"not free within 60 s"):
        compare_models(product, (9,), models=["chain"], patience=60)
    assert measured == []


@pytest.mark.parametrize(
    ("work", "args", "words"),
    [(lambda: None, (), "top level"), (product, (lambda: 0,), "arguments that")],
)
def test_what_cannot_be_sent(work: Any, args: tuple[Any, ...], words: str) -> None:
    with pytest.raises(UnpicklableError, match=words):
        compare_models(work, args, models=["chain"])


def test_what_a_model_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch, measured: list[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = compare_models(product, (10,), models=["chain", "dask"])
    assert "pip install 'ontime[cluster]'" in result.rows[1].unavailable
    if sys.version_info < (3, 14):
        assert "needs Python 3.14" in Model("interpreters").unavailable()


@pytest.mark.parametrize(("kind", "jobs"), [("at once", 20), ("chain", 3)])
def test_the_loop_is_late_by_all_jobs_or_by_three(kind: str, jobs: int) -> None:
    """Jobs of 0.2 s stand in the iterations between two beats."""

    async def main() -> float:
        async with Model(kind).enter() as run_all, Heartbeat(0.01) as heartbeat:
            await asyncio.sleep(0)
            assert await run_all(partial(burn, 0.2), 20) == [None] * 20
            await asyncio.sleep(0.02)
        return heartbeat.worst

    assert run(main()) == pytest.approx(0.2 * jobs - 0.01)


@pytest.mark.parametrize("kind", ["at once", "chain"])
def test_what_a_job_raises_comes_out(kind: str) -> None:
    left = [ValueError("no"), None]

    def job() -> None:
        if error := left.pop(0):
            raise error

    async def main() -> None:
        async with Model(kind).enter() as run_all:
            await run_all(job, 1)

    with pytest.raises(ValueError, match="no"):
        run(main())
    run(main())
