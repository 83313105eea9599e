"""looplab.player: the columns are what the trace holds, and the still shows itself."""

from __future__ import annotations

import asyncio
import json
import re
from html import unescape
from typing import Any

import pytest

import looplab.diagnose
from looplab import Timeline, burn, record
from looplab.player import Player, worst_moment
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import Record, Trace
from tests.fast.cells import as_committed, run_again
from tests.fast.looplab.trace.helpers import both


@pytest.fixture
def trace() -> Trace:
    return record(both(), whole=True)


@pytest.mark.parametrize("start", [0.005, 0.025, 0.035])
@pytest.mark.parametrize("end", [0.05, 0.055, 0.06])
def test_a_part_has_whole_iterations(trace: Trace, start: float, end: float) -> None:
    assert trace.origins is not None
    iterations: dict[int, list[Record]] = {}
    for callback, origin in zip(trace, trace.origins, strict=True):
        iterations.setdefault(origin.iteration, []).append(callback)
    whole = [
        callbacks
        for callbacks in iterations.values()
        if callbacks[0].run_at >= start and callbacks[-1].ended_at <= end
    ]
    data = Player(trace, start=start, end=end, at=0.05).data
    assert len(data["r"][0]) == sum(map(len, whole))
    assert data["at"] * data["u"] == 50_000_000 - data["zero"] * data["u"]
    assert data["r"][4][0] == 0, "its maker is outside"


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


async def many() -> None:
    for _ in range(5_000):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("main", "whole", "options", "words"),
    [
        (both, False, {}, "whole=True"),
        (both, True, {"start": 0.021, "end": 0.029}, r"0\.021 and 0\.029 s.*longer"),
        (both, True, {"at": float("nan")}, "at is nan"),
        (both, True, {"watched": "in the queue"}, "watch=…"),
        (many, True, {}, r"5,001 callbacks.*start and end"),
    ],
)
def test_what_cannot_be_played(
    main: Any, whole: bool, options: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Player(record(main(), whole=whole), **options)


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


def test_what_is_watched_is_noted_after_each_callback() -> None:
    queue: asyncio.Queue[int] = asyncio.Queue()

    async def main() -> None:
        for item in range(3):
            queue.put_nowait(item)
            await asyncio.sleep(0)

    trace = record(main(), whole=True, watch=queue.qsize)
    assert trace.watched == (1, 2, 3, 3)
    data = Player(trace, watched="in the queue").data
    assert (data["watched"], data["w"]) == ("in the queue", [1, 2, 3, 3])


def test_a_loop_that_looks_between_callbacks_says_so(trace: Trace) -> None:
    async def main() -> None:
        with priority(1):
            await both()

    assert "between" not in Player(trace).data
    plain = record(both(), whole=True, loop_factory=VirtualPriorityLoop)
    assert "between" not in Player(plain).data, (
        "without a priority it is the stock loop"
    )
    urgent = record(main(), whole=True, loop_factory=VirtualPriorityLoop)
    assert Player(urgent).data["between"] == 1


async def late_sleep() -> None:
    """Long before and long after there is nothing to see."""

    async def sleeper() -> None:
        await asyncio.sleep(0.25)

    async def storm() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            burn(0.1)

    burn(0.5)  # longer than the storm, and nobody waits
    await asyncio.sleep(1)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(sleeper(), name="sleeper")
        tasks.create_task(storm(), name="storm")
    for _ in range(50):
        await asyncio.sleep(1)


def test_the_worst_moment_holds_the_longest_wait_and_names_who_held_the_loop() -> None:
    player = worst_moment(record(late_sleep(), whole=True), title="late")
    data = player.data
    names = {name: colour for name, colour, _ in data["names"]}
    assert names["storm"] == 1, "orange"
    assert names["sleeper"] == 0
    # From the iteration before the one in which it was due to the one after its run.
    assert (data["zero"] * data["u"], len(data["r"][0])) == (1_600_000_000, 7)
    assert data["title"] == "late"


def test_a_recording_has_a_worst_moment_too() -> None:
    recording = looplab.diagnose.record(late_sleep())
    data = worst_moment(recording).data
    assert {"storm", "sleeper"} <= {name for name, *_ in data["names"]}
    due = (data["t"][3][0] + data["zero"]) * data["u"]
    assert due == 1_750_000_000, "the sleeper's"


def test_without_a_callback_there_is_no_worst_moment() -> None:
    with pytest.raises(ValueError, match="nothing ran"):
        worst_moment(Trace([], origins=[]))


def test_the_player_of_a_lab_is_as_it_is_committed() -> None:
    lab = ("01_callbacks", "iteration-steps")
    assert run_again(*lab) == as_committed(*lab)
