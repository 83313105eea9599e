"""A comparison: its settings, its patience, its words."""

from __future__ import annotations

import asyncio
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ontime import cpu_models
from ontime.cpu_models import (
    MOST_JOBS,
    Comparison,
    compare_models,
    product,
    usable_cores,
)
from ontime.cpu_models.compare import _in_words
from tests.contract.ontime.cpu_models.jobs_of_tests import (
    coroutine_work,
    count_up,
    print_and_read,
)


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


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"count": 0}, ValueError, "count is 0: give 1 or more"),
        ({"count": -3}, ValueError, "count is -3"),
        ({"count": MOST_JOBS + 1}, ValueError, f"give {MOST_JOBS:,} or fewer"),
        ({"count": 2.0}, TypeError, "expected count as a whole number"),
        ({"count": True}, TypeError, "expected count as a whole number"),
        ({"repeats": 0}, ValueError, "repeats is 0"),
        ({"repeats": "2"}, TypeError, "expected repeats as a whole number"),
        ({"interval": 0}, ValueError, "interval is 0"),
        ({"interval": -1}, ValueError, "interval is -1"),
        ({"interval": math.inf}, ValueError, "interval is inf"),
        ({"interval": math.nan}, ValueError, "interval is nan"),
        ({"interval": "1"}, TypeError, "expected interval as a number"),
        ({"timeout": 0}, ValueError, "timeout is 0"),
        ({"timeout": None}, TypeError, "expected timeout as a number"),
        ({"patience": 0}, ValueError, "patience is 0"),
        ({"patience": "long"}, TypeError, "expected patience as a number"),
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


def free_as_told(monkeypatch: pytest.MonkeyPatch, *shares: float) -> list[float]:
    """Let free_cores() give these shares of the usable cores, the last one for ever."""
    left = list(shares)
    asked: list[float] = []

    def told(seconds: float = 0.3) -> float:
        asked.append(left.pop(0) if len(left) > 1 else left[0])
        return asked[-1] * usable_cores()

    monkeypatch.setattr("ontime.cpu_models.compare.free_cores", told)
    return asked


def test_a_patient_run_is_repeated_until_the_cores_were_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Busy at first; free, and busy after the run; free before and after.
    asked = free_as_told(monkeypatch, 0.5, 1.0, 0.5, 1.0, 1.0)
    path = tmp_path / "count"
    result = compare_models(
        count_up, (str(path),), count=1, models=["chain"], patience=600
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


def test_words_for_the_work() -> None:
    long = "x" * 100
    assert _in_words(partial(product, 40_000), ()) == "product(40_000)"
    assert _in_words(math.gcd, (True, 1.5)) == "gcd(True, 1.5)"
    assert len(_in_words(product, (long,))) < 60


def test_exports() -> None:
    for name in cpu_models.__all__:
        assert hasattr(cpu_models, name)
