"""A comparison: its settings, its patience, its words."""

from __future__ import annotations

import asyncio

import pytest

from ontime import cpu_models
from ontime.cpu_models import (
    Comparison,
    compare_models,
    product,
)
from tests.contract.ontime.cpu_models.jobs_of_tests import (
    print_and_read,
)


def test_the_work_may_print_and_read() -> None:
    result = compare_models(print_and_read, count=2, models=["chain", "process pool"])
    assert len(result) == 2


def test_works_in_a_running_loop_and_in_a_thread() -> None:
    async def inside() -> Comparison:
        return await asyncio.to_thread(
            compare_models, product, (10,), count=1, models=["chain"]
        )

    assert len(asyncio.run(inside())) == 1


def test_a_report_that_raises() -> None:
    def report(line: str) -> None:
        raise KeyError(line)

    with pytest.raises(KeyError):
        compare_models(product, (10,), count=1, models=["chain"], report=report)


def test_exports() -> None:
    for name in cpu_models.__all__:
        assert hasattr(cpu_models, name)
