"""The published test with the libraries of then and now: its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import CAPTURES, fake, programs, realcase


def test_the_spread_of_some_figures() -> None:
    assert realcase.spread([4.0, 1.0, 2.0, 3.0, 5.0]) == {
        "median": 3.0,
        "quartiles": [2.0, 4.0],
        "least": 1.0,
        "most": 5.0,
        "tests": 5,
    }
    assert realcase.spread([2.0])["quartiles"] == [2.0, 2.0]
    with pytest.raises(programs.CaptureError, match="budget of time"):
        realcase.spread([])


def block(others: float | None, *seconds: float) -> dict[str, Any]:
    return {"first": 1.0, "seconds": list(seconds), "others": others}


def test_blocks_that_others_disturbed_are_left_out() -> None:
    found = realcase.summary([block(0.5, 9.0), block(0.0, 1.0), block(0.02, 3.0)])
    assert (found["median"], found["blocks"], found["quiet"]) == (2.0, 2, True)


def test_too_few_quiet_blocks_and_all_are_kept() -> None:
    blocks = [block(0.5, 9.0), block(0.6, 7.0), block(0.0, 1.0)]
    found = realcase.summary(blocks)  # one quiet block says nothing of the spread
    assert (found["median"], found["blocks"], found["quiet"]) == (7.0, 3, False)
    found = realcase.summary([*blocks, *blocks, block(0.7, 8.0)])  # under a third
    assert (found["median"], found["blocks"], found["quiet"]) == (7.0, 7, False)


def test_where_the_load_is_unknown_all_blocks_count() -> None:
    found = realcase.summary([block(None, 9.0), block(None, 1.0)])
    assert (found["median"], found["quiet"]) == (5.0, True)


def test_one_block_is_never_called_quiet_by_itself() -> None:
    found = realcase.summary([block(0.0, 9.0)])
    assert (found["median"], found["blocks"], found["quiet"]) == (9.0, 1, False)


@pytest.mark.parametrize(
    ("done", "message"),
    [
        ((1, "", "Traceback\nValueError: no"), "exit status 1: ValueError: no"),
        ((-11, "", ""), "signal 11: no words"),
        ((0, "ready\n", ""), "printed no result"),
        ((0, "{broken", ""), "printed no result"),
    ],
)
def test_a_test_that_failed(done: tuple[int, str, str], message: str) -> None:
    with pytest.raises(programs.CaptureError, match=message):
        programs.parsed(programs.Done(*done))


def test_one_core(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(bin_folder, "taskset", "exit 0")
    monkeypatch.setattr(realcase, "cores", lambda: [3])
    with pytest.raises(programs.SkippedError, match="only one core"):
        realcase.pinned()
    monkeypatch.setattr(realcase, "cores", lambda: [3, 5])
    assert realcase.pinned() == [str(bin_folder / "taskset"), "-c", "3"]


def test_a_part_that_did_not_run_is_a_line_of_the_table() -> None:
    found = json.loads((CAPTURES / "real.json").read_text("utf-8"))
    assert realcase.failed(found) == []
    found["growth"]["pinned"] = {"status": "skipped", "why": "one core"}
    text = realcase.table(found)
    assert "the same on one core               skipped: one core" in text
    assert "pinned" not in text
    assert realcase.skipped(found) == ["growth pinned"]
