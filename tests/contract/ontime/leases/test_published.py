"""The published log beside the models: what the data can tell apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ontime.leases import (
    EXPERIMENTS,
    ThreadPool,
    Window,
)
from ontime.leases.published import (
    LAST,
    Aims,
    read_logs,
)
from tests.fast.ontime.leases.test_published import judged

LOGS = read_logs(Path(__file__).parents[4] / "book" / "published_leases.csv")


@pytest.mark.slow  # a plain run sees it in the lab
def test_waits_that_end_at_the_next_tick_meet_the_last_of_e3_and_miss_e4() -> None:
    runs, aims = judged(whole_ms=False)
    assert aims == Aims(
        E3_lost=True, E3_state=True, E3_last=True, E4=False, E5=True, E5_third=False
    )
    assert runs["E5"].spread(lambda run: run.messages[2].received_at).min > 40


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong", [{"future": True}, {"tick": None}, {"opening": False}]
)
def test_a_wrong_model_is_seen_to_be_wrong(wrong: dict[str, Any]) -> None:
    for run in EXPERIMENTS["E3"].judged(Window(**wrong)):
        assert run.lost != 3
        assert all(run.state(117 + n / 20) != LOGS["E3"].states[117] for n in range(20))
        assert LOGS["E3"].distance(run, LAST) > 1


@pytest.mark.slow  # a plain run sees it in the lab
def test_the_pool_meets_what_was_published() -> None:
    light, heavy = EXPERIMENTS["E1"].judged(), EXPERIMENTS["E2"].judged()
    assert light.lost.max == heavy.lost.max == 0
    for run in heavy:
        for second in (3, 6):
            state = run.state(second + 0.1)
            assert state.received == LOGS["E2"].states[second].received
        assert abs(run.state(102.1).success - 88) <= 2
        assert abs(run.makespan - 107.5) < 1.5
    # A round is 7 ticks asleep and 64 or 65 of waiting.
    for run in light:
        assert LOGS["E1"].distance(run, list(LOGS["E1"].times)) < 0.3


@pytest.mark.slow
def test_a_second_pool_is_seen_to_be_wrong() -> None:
    heavy = EXPERIMENTS["E2"].judged(ThreadPool(tick=1 / 64))
    assert heavy.makespan.max < 80
