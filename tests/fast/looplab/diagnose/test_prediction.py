"""`looplab what-if`: a range, or a refusal."""

from __future__ import annotations

import asyncio
import json
from random import Random

import pytest

from looplab import burn
from looplab._numbers import percentile
from looplab.diagnose import (
    Callback,
    Code,
    Figure,
    Prediction,
    Recording,
    ThreadUse,
    faster,
    move,
    predict,
    record,
)
from looplab.diagnose.commands.what_if import _move
from looplab.diagnose.prediction import UNLIKE, UNLIKE_S, _compare, another, by_chance
from tests.fast.looplab.diagnose.files import save


async def probe():
    for _ in range(30):
        await asyncio.sleep(0.05)


async def hog():
    await asyncio.sleep(0.02)
    burn(1)


async def both():
    await asyncio.gather(probe(), hog())


def test_a_range():
    prediction = predict(record(both()), move("hog"))
    now = prediction.figure("timers of probe", "p99")
    assert now.recorded == pytest.approx(0.97)
    # If the work releases the lock nobody is late; if it keeps it, a little.
    assert now.low == 0
    assert 0 < now.high < 0.02
    assert "hog in a thread" in str(prediction)
    with pytest.raises(KeyError, match="nobody"):
        prediction.figure("nobody")


@pytest.mark.parametrize(
    ("times", "what"),
    [((1, 2, 4), "p90"), ((2, 3, 4), "p50"), ((1, 1.9, 4), "p99")],
)
def test_the_percentile_at_which_somebody_suffers(times, what):
    """The lowest that is at least half of the p99."""
    figures = [
        Figure("beat", each, 9, time, 0, 0, 0, 0)
        for each, time in zip(("p50", "p90", "p99"), times, strict=True)
    ]
    assert Prediction((), tuple(figures), ()).harmed("beat").what == what


def test_recordings_of_one_program_lie_in_the_range_19_times_of_20():
    """Of what differs by nothing but chance, in two ways to be distributed."""
    random = Random(7)
    for draw in (lambda: random.expovariate(1), random.random):
        held = 0
        for _ in range(400):
            one, other = ([draw() for _ in range(300)] for _ in range(2))
            low, high = by_chance(one, 0.9)
            held += low <= percentile(other, 90) <= high
        assert 0.92 <= held / 400 <= 0.985


def test_a_range_counts_that_a_machine_is_not_the_same_twice():
    for time, margin in (0.1, 0.1 * UNLIKE), (0.000_2, UNLIKE_S):
        ends = max(0, time - margin), time + margin
        assert another([time] * 50, 0.9) == pytest.approx(ends)


def late_for_no_reason(count=30, late_ns=500_000_000):
    """Timers that ran half a second late although nothing held the loop."""
    second = 1_000_000_000
    late = [n * second + late_ns for n in range(count)]
    how = {"cause": "timer", "by": None, "code": Code("tick"), "task": None}
    ticks = [
        Callback(n, at, at, at + 1000, 1000, due_ns=n * second, **how)
        for n, at in enumerate(late)
    ]
    return Recording(ticks, clock="virtual")  # which nothing can keep from running


def test_what_nothing_explains_is_not_predicted_away():
    """On a real clock a wait without a cause stays; three phases of it are replayed."""
    recording = late_for_no_reason()
    recording.clock = "real"
    now = predict(recording, faster("tick", 2)).figure("timers of tick", "p50")
    assert now.recorded == 0.5
    assert now.low <= 0.5 <= now.high
    # What is too short to be replayed widens the range.
    short = late_for_no_reason(late_ns=2_000_000)
    short.clock = "real"
    now = predict(short, faster("tick", 2)).figure("timers of tick", "p50")
    assert (now.recorded, now.low) == (0.002, 0)
    assert now.high > 0.001


@pytest.mark.parametrize(
    ("recorded", "most", "least"), [(0.01, 0.02, 0), (1.0, 1.15, 0.85)]
)
def test_how_far_a_replay_may_be_off(recorded, most, least):
    """By 10 ms or 15 %, whichever is more; few values are not held against it."""
    measured = Recording([], clock="real")
    for end, beyond in (most, 0.001), (least, -0.001):
        for off, agrees in (-beyond, True), (beyond, False):
            for count, refuses in (20, not agrees), (19, False):
                was = {"tick": [recorded] * count}
                again = {"tick": [end + off] * count}
                errors, refused = _compare(measured, was, [again])
                far = abs(end + off - recorded)
                assert errors["tick", "p50"] == pytest.approx(far)
                assert bool(refused) == refuses or end == 0


def test_the_command(tmp_path, looplab):
    file = save(record(both()), tmp_path / "t.jsonl")
    status, out, _ = looplab("what-if", file, "--move", "hog:2")
    assert (status, out.startswith("what if hog in 2 threads")) == (0, True)
    assert "970 ms → 0 – " in out
    status, out, _ = looplab("what-if", file, "--chunk", "hog:10ms", "--json")
    assert status == 0
    [high] = [
        figure["high"]
        for figure in json.loads(out)
        if (figure["name"], figure["what"]) == ("timers of probe", "p99")
    ]
    # A piece while the timer was due, and one more before the task that it woke ran.
    assert 0 < high <= 0.02
    # A refusal has a status of its own.
    file = save(late_for_no_reason(), tmp_path / "t.jsonl")
    status, _, err = looplab("what-if", file, "--faster", "tick:2")
    assert (status, "does not agree" in err) == (3, True)


def test_a_pattern_that_ends_in_a_line():
    assert _move("app.py:12") == move("app.py:12")
    assert _move("app.py:12:3") == move("app.py:12", 3)
    assert _move("GET /a:4") == move("GET /a", 4)


def test_a_prediction_warns_that_cores_were_short():
    recording = record(both())
    end = recording.end_ns
    assert predict(recording, faster("hog", 2)).warning == ""
    recording.threads += [
        ThreadUse(0, "loop", 0, 0),
        ThreadUse(end, "loop", 1000, end // 10),
    ]
    prediction = predict(recording, faster("hog", 2))
    assert "waited for one for 10% of the time" in prediction.warning
    assert prediction.warning in str(prediction)
