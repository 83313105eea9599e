"""looplab.player: the columns are what the trace holds, and the still shows itself."""

from __future__ import annotations

import asyncio
import json
import re
from html import unescape
from typing import Any

import pytest

from looplab import Timeline, record
from looplab.player import Player
from looplab.trace import Trace
from tests.fast.looplab.trace.helpers import both


@pytest.fixture
def trace() -> Trace:
    return record(both(), whole=True)


def test_the_columns_of_a_sleep_in_a_busy_loop(trace: Trace) -> None:
    data = Player(trace, colours={"sleeper": "orange"}).data
    assert (data["u"], data["zero"], data["end"]) == (5_000_000, 0, 12)
    assert data["names"] == [
        ["both", 3, 1],
        ["sleeper", 1, 1],
        ["busy", 0, 1],
        ["done", 3, 0],
    ]
    assert data["t"] == [[1], [1], [0], [5], [-1]], "set by the sleeper, due at 25 ms"
    names, iterations, gaps, lengths, makers, _, timers = data["r"]
    assert len(names) == len(trace)
    assert sum(iterations) == 10
    assert sum(gaps) == 0
    assert sum(lengths) * data["u"] == 60_000_000
    assert makers[0] == 0
    assert [i for i, timer in enumerate(timers) if timer] == [6]


def test_times_can_be_had_back_from_the_columns(trace: Trace) -> None:
    data = Player(trace).data
    at = 0
    for gap, length, one in zip(data["r"][2], data["r"][3], trace, strict=True):
        assert (at + gap) * data["u"] == one.run_ns
        at += gap + length
        assert at * data["u"] == one.ended_ns


def test_a_part_has_whole_iterations_and_what_hangs_over(trace: Trace) -> None:
    data = Player(trace, start=0.015, end=0.055).data
    # The iterations of 20 to 50 ms; the timer was set before, the task wakes in them.
    assert data["zero"] * data["u"] == 15_000_000
    assert [data["names"][i][0] for i in data["r"][0]] == [
        "busy",
        "busy",
        "sleeper",
        "busy",
        "sleeper",
    ]
    assert data["t"][1] == [-1]
    assert data["r"][4][0] == 0, "its maker is outside"


def test_a_callback_of_a_timer_is_called_as_whoever_set_it(trace: Trace) -> None:
    data = Player(trace).data
    place = data["r"][6].index(1)
    assert data["names"][data["r"][0][place]][0] == "sleeper"


def test_it_shows_its_still_and_holds_its_data_as_text(trace: Trace) -> None:
    player = Player(trace, title="<b>", label="a<b", follows="c", at=0.03)
    html = player._repr_html_()
    assert player.still.svg == Timeline(trace, title="<b>").svg
    assert player.alt in unescape(html)
    text = re.search(r'<samp class="film" style="display:none">(.*)</samp>', html)
    assert text is not None
    assert "<" not in text[1]
    data: dict[str, Any] = json.loads(unescape(text[1]))
    assert data == player.data
    assert (data["at"], data["label"], data["follows"]) == (6.0, "a<b", "c")
    assert data["title"] == "<b>"
    assert repr(player).startswith("<Player: ")


def test_a_plain_trace_cannot_be_played() -> None:
    with pytest.raises(ValueError, match="whole=True"):
        Player(record(both()))


def test_a_part_without_a_whole_iteration_is_refused(trace: Trace) -> None:
    with pytest.raises(ValueError, match=r"between 0\.021 and 0\.029 s.*longer"):
        Player(trace, start=0.021, end=0.029)


def test_too_many_callbacks_are_refused() -> None:
    async def many() -> None:
        for _ in range(5_000):
            await asyncio.sleep(0)

    with pytest.raises(ValueError, match=r"5,001 callbacks.*start and end"):
        Player(record(many(), whole=True))


def test_a_moment_is_a_finite_number(trace: Trace) -> None:
    with pytest.raises(ValueError, match="nan"):
        Player(trace, at=float("nan"))


def test_a_long_chain_of_private_timers_has_a_name() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()

        def _tick(left: int) -> None:
            if left:
                loop.call_later(1, _tick, left - 1)

        _tick(1_200)
        await asyncio.sleep(2_000)

    names = Player(record(main(), whole=True)).data["names"]
    assert [name[0] for name in names] == ["main", "tick"]


def test_a_timer_that_never_fires_is_not_drawn() -> None:
    async def main() -> None:
        timer = asyncio.get_running_loop().call_later(float("inf"), print)
        await asyncio.sleep(1)
        timer.cancel()

    data = Player(record(main(), whole=True)).data
    assert data["t"][3] == [1]
