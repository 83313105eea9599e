"""The published log beside the models: what the data can tell apart."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from looplab.priority import PriorityProtocol
from ontime.leases import (
    EXPERIMENTS,
    LeaseRuns,
    LeaseSettings,
    ThreadPool,
    Window,
    consume,
)
from ontime.leases.published import (
    LAST,
    Aims,
    Event,
    Log,
    events_of,
    judge,
    read_logs,
)

LOGS = read_logs(Path(__file__).parents[3] / "book" / "published_leases.csv")


@cache
def judged(**window: Any) -> tuple[dict[str, LeaseRuns], Aims]:
    runs = {
        "E3": EXPERIMENTS["E3"].judged(Window(**window)),
        "E4": EXPERIMENTS["E4"].judged(Window(**window)),
        "E5": EXPERIMENTS["E5"].judged(Window(PriorityProtocol, **window)),
    }
    return runs, judge(LOGS, runs)


def test_the_model_meets_what_was_published() -> None:
    runs, aims = judged()
    assert aims == Aims(
        E3_lost=True, E3_state=True, E3_last=False, E4=True, E5=True, E5_third=True
    )
    # What is left: the last messages take half a second of some thirty longer.
    assert max(LOGS["E3"].distance(run, LAST) for run in runs["E3"]) < 0.6


@pytest.mark.full  # a plain run sees it in the lab
def test_waits_that_end_at_the_next_tick_meet_the_last_of_e3_and_miss_e4() -> None:
    runs, aims = judged(whole_ms=False)
    assert aims == Aims(
        E3_lost=True, E3_state=True, E3_last=True, E4=False, E5=True, E5_third=False
    )
    assert runs["E5"].spread(lambda run: run.messages[2].received_at).min > 40


@pytest.mark.full
@pytest.mark.parametrize("wrong", [{"stages": 2}, {"tick": None}, {"opening": False}])
def test_a_wrong_model_is_seen_to_be_wrong(wrong: dict[str, Any]) -> None:
    for run in EXPERIMENTS["E3"].judged(Window(**wrong)):
        assert run.lost != 3
        assert all(run.state(117 + n / 20) != LOGS["E3"].states[117] for n in range(20))
        assert LOGS["E3"].distance(run, LAST) > 1


@pytest.mark.full  # a plain run sees it in the lab
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


@pytest.mark.full
def test_a_second_pool_is_seen_to_be_wrong() -> None:
    heavy = EXPERIMENTS["E2"].judged(ThreadPool(tick=1 / 64))
    assert heavy.makespan.max < 80


def test_the_log_as_it_was_shipped() -> None:
    assert sorted(LOGS) == ["E1", "E2", "E3", "E4", "E5"]
    assert [len(LOGS[name].times) for name in sorted(LOGS)] == [17, 13, 7, 3, 3]
    assert [len(LOGS[name].parts) for name in sorted(LOGS)] == [2, 2, 3, 2, 2]
    assert str(LOGS["E3"].states[117]) == "65/43/3/19"


def test_an_event_is_found_in_the_second_that_was_printed() -> None:
    run = EXPERIMENTS["E3"].run()
    [first, *_] = events_of(run)
    assert (first.kind, first.message) == ("received", 1)
    printed = Log(((Event(int(first.at), "received", 1),),), {}, {})
    assert printed.found_in(run, within=0) == 1
    late = Log(((Event(int(first.at) + 1, "received", 1),),), {}, {})
    assert late.found_in(run, within=0) == 0
    assert late.found_in(run, within=1) == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("E1,x,4,received,1,,,,", "line 2: invalid literal"),
        ("E1,1,4,eaten,1,,,,", "line 2: the event is 'eaten'"),
        ("E1,3,7,counts,,11,0,0,12", "line 2: 12 running is not what is left"),
        ("E1,3,7,received", "line 2: int"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "log.csv"
    head = "experiment,second,thread,event,message,seconds_or_received,"
    path.write_text(f"{head}success,failed,running\n{line}\n")
    with pytest.raises(ValueError, match=says):
        read_logs(path)


# -- the window itself ---------------------------------------------------------------


def test_on_a_window_an_urgent_task_waits_for_one_computation() -> None:
    for cpu in (1.0, 1.75, 2.5):
        what = LeaseSettings(cpu=cpu, messages=20)
        run = consume(what, Window(PriorityProtocol, tick=None), jitter=0.001)
        assert run.lost == 0
        assert run.worst_lateness <= cpu + 0.001


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ({"tick": 0}, ValueError, "tick is 0 s: give a finite number"),
        ({"tick": "1"}, TypeError, "tick as a number of seconds"),
        ({"stages": 3}, ValueError, "stages is 3: give 1 or 2"),
        ({"stages": 0}, ValueError, "stages is 0: give 1 or more"),
    ],
)
def test_a_window_that_cannot_be_meant(
    bad: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        Window(**bad)
