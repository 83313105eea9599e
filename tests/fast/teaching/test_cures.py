"""The question of each misconception of chapter 4, put to the cells that cure it.

The answer that betrays it has to come out wrong there, with the numbers of the guide.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from ontime.grade.cells import run_cell
from tests.fast.teaching.test_guide import cells, guide, labs, parts_of

STEM = "04_late_heartbeat"


def asked(title: str) -> tuple[str, list[float]]:
    """The question, and the times that the betraying answer names, in seconds."""
    text = parts_of(parts_of(guide(STEM), 2)["Misconceptions"], 3)[title]
    words = dict(re.findall(r"^\*\*([^*]+)\*\*\s*(.+?)(?=\n\n|\Z)", text, re.S | re.M))
    answer = words["Answer that betrays it."]
    times = re.findall(r"\b(\d+) (?:ms|to be safe)", answer)
    return words["Question."], [float(number) / 1000 for number in times]


@pytest.fixture(scope="module")
def lab() -> dict[str, Any]:
    """The names of the lab, without its cells that try a hundred phases."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(labs(STEM)["lab"]):
        tags = cell["metadata"].get("tags", ())
        if "exercise" in tags:
            break
        many = (
            "= over_phases(",
            "over_phases(load)",
            "over_phases(partial",
            "Timeline(",
        )
        if "live" in tags and not any(word in cell["source"] for word in many):
            run_cell(cell["source"], space)
    return space


def printed(source: str, line: str) -> str:
    """What the cell with that line printed when the notebook was run."""
    (text,) = (
        "".join(cell["outputs"][0]["text"])
        for cell in cells(labs(STEM)[source])
        if line in cell["source"].splitlines() and cell["outputs"]
    )
    return text


def test_the_longest_callback_is_the_lateness(lab: dict[str, Any]) -> None:
    question, wrong = asked("The longest callback is the lateness")
    assert "Fifty tasks of 4 ms" in question
    assert "0.1 s before" in question
    assert wrong == [0.004]

    async def storm() -> None:
        async def job() -> None:
            lab["burn"](0.004)

        await lab["storm"](job, 50)

    late, after = lab["run"](lab["measure"](storm, start=2.9))
    assert (round(late, 9), after) == (0.1, 0)
    # At the lab's own start the cell would seem to prove the answer.
    assert lab["run"](lab["measure"](storm)) == [0, 0]


def test_a_semaphore_holds_work_back(lab: dict[str, Any]) -> None:
    question, _ = asked("A semaphore holds work back")
    assert "Two hundred jobs" in question
    assert lab["late_semaphore"][4] == lab["exact_storm"] == [1.5, 0]


def test_debug_mode_finds_what_holds_the_loop(lab: dict[str, Any]) -> None:
    asked("Debug mode finds what holds the loop")
    assert lab["late"] == 1.5
    assert lab["lines"] == []


def test_a_small_queue_is_enough(lab: dict[str, Any]) -> None:
    question, _ = asked("A small queue is enough")
    assert "200 workers" in question
    load = partial(lab["through_queue"], 200, lab["waiting_job"])
    # All wait for 10 ms and wake together, 5 ms before the beat.
    late, *_ = lab["run"](lab["measure"](load, start=2.985))
    assert late > 100 * lab["cpu"], "and not one job"


def test_with_slices_the_lateness_is_one_slice(lab: dict[str, Any]) -> None:
    question, wrong = asked("With slices the lateness is one slice")
    assert "Ten tasks" in question
    assert wrong == [0.010]

    async def sliced() -> None:
        for _ in range(10):
            lab["burn"](0.010)
            await lab["asyncio"].sleep(0)

    late, *_ = lab["run"](lab["measure"](partial(lab["storm"], sliced, 10), start=2.95))
    assert late > 10 * 0.010


def test_what_i_saw_is_the_worst() -> None:
    question, wrong = asked("What I saw is the worst")
    text = printed("going deeper", "async def held_at(phase):")
    few, many = map(float, re.findall(r": +([\d.]+)", text))
    assert f"was {few * 1000:.0f} ms late" in question
    assert wrong == [0.029, 0.035]
    assert max(wrong) < many


def test_a_worker_that_fails_makes_itself_heard() -> None:
    asked("A worker that fails makes itself heard")
    text = printed("lab", "    run(main([2, 1, 0, 4], crew))")
    assert "nothing is ready" in text
    assert "1 task waits" in text
