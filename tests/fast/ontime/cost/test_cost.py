"""What is measured, and what is refused, before any process starts."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from looplab import elapsed, run
from ontime.cost import VARIANTS, CostTable, child, cpu_cost, variant_source
from ontime.cost.works import nap, nothing

#: What chapter 3 shows of a Python that the lab did not run on.
KEPT = Path(__file__).parents[4] / "book" / "figures" / "task_cost_newer.json"


def test_the_works() -> None:
    async def main() -> list[float]:
        return [await nothing(), elapsed(), await nap(), elapsed(), await nap(2)]

    assert run(main()) == [0, 0, 0, 0.001, 0]


@pytest.mark.filterwarnings("error")
def test_what_cannot_be_sent() -> None:
    with pytest.raises(TypeError, match="hand over the function, without calling it"):
        cpu_cost(nothing())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="args cannot be sent"):
        cpu_cost(nothing, args=(sys._getframe(),))


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_every_variant_awaits_so_often(name: str, times: int) -> None:
    anyio = pytest.importorskip("anyio") if "anyio" in name else None
    called = 0

    async def work() -> None:
        nonlocal called
        called += 1
        await asyncio.sleep(0)
        called += 100

    space: dict[str, Any] = {"asyncio": asyncio, "anyio": anyio, "work": work}
    exec(variant_source(name, times), space)
    run(space["variant"]())
    assert called == 101 * times


@pytest.mark.parametrize(
    ("samples", "least", "tries"),
    [
        ([(0.001, 0.03), (0.001, 0.002)], (0.001, 0.002), 2),  # it had to wait
        ([(0.0, 0.03), (0.0, 0.04), (0.0, 0.05)], (0.0, 0.03), 3),  # it waits
        ([(0.02, 0.03)], (0.02, 0.03), 1),  # it computes
    ],
)
def test_a_stop_of_the_process_is_told_from_waiting(
    monkeypatch: pytest.MonkeyPatch,
    samples: list[tuple[float, float]],
    least: tuple[float, float],
    tries: int,
) -> None:
    left = list(samples)
    monkeypatch.setattr(child, "_sample", lambda order, calls: left.pop(0))
    assert child._undisturbed({}, 7) == least  # type: ignore[arg-type]
    assert len(samples) - len(left) == tries


@pytest.mark.parametrize(
    ("call", "overhead", "calls"),
    [(1e-6, 0.0, 24_000), (0.004, 0.0, 6), (0.5, 0.0, 1), (1e-5, 1e-4, 2400)],
)
def test_so_many_calls_make_a_value(
    monkeypatch: pytest.MonkeyPatch, call: float, overhead: float, calls: int
) -> None:
    """About 20 ms, and a fifth more to be sure."""

    def sample(order: object, count: int) -> tuple[float, float]:
        seconds = call * count + overhead
        return seconds, seconds

    monkeypatch.setattr(child, "_sample", sample)
    trial = child.trial(({}, None))  # type: ignore[arg-type]
    assert trial.calls == pytest.approx(calls, rel=0.02)
    assert child.trial(({}, 9)).calls == 9  # type: ignore[arg-type]


def test_the_kept_table_has_what_the_chapter_shows() -> None:
    table = CostTable.load(KEPT)
    assert table.machine["python"] > "Python 3.12"
    for way in "tasks", "gather":
        assert 0 < table[f"{way}, eager"].cpu < 0.7 * table[way].cpu
    assert table["wait_for"].cpu < table["tasks"].cpu
