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

LOGS = read_logs(Path(__file__).parents[4] / "book" / "published_leases.csv")


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
