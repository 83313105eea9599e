"""The published log beside the models: what the data can tell apart."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from looplab import elapsed, run
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
from ontime.leases.window import TickingTimers

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


def lost_with(cpu: float, **stages: bool) -> int:
    what = LeaseSettings(cpu=cpu, messages=30)
    window = Window(PriorityProtocol, tick=None, **stages)
    return consume(what, window, jitter=0.001, seed=1, callback_cost=5e-6).lost


def test_a_window_with_look_and_future_is_asyncio() -> None:
    for cpu in (1.0, 1.75):
        stock = consume(
            LeaseSettings(cpu=cpu, messages=30),
            PriorityProtocol(),
            jitter=0.001,
            seed=1,
            callback_cost=5e-6,
        )
        assert lost_with(cpu, look=True, future=True) == stock.lost


def test_the_losses_follow_the_future_and_not_the_look() -> None:
    assert lost_with(1.75, future=True) > 0
    assert lost_with(1.75, look=True) == 0


def test_a_task_that_waits_on_a_window_is_cancelled_when_it_is_woken() -> None:
    async def main() -> float:
        waiting = asyncio.create_task(TickingTimers(None).wait(1))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return elapsed()

    assert run(main()) == 1


def test_a_window_that_cannot_be_meant() -> None:
    with pytest.raises(ValueError, match="tick is 0 s"):
        Window(tick=0)


def test_windows_that_differ_are_called_differently() -> None:
    windows = [Window(), Window(tick=None), Window(look=True), Window(future=True)]
    assert len({window.name for window in windows}) == len(windows)
