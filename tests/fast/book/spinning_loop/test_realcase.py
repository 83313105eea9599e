"""The published test with the libraries of then and now: its figures."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import fake, programs, realcase


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


OTHERS = block(0.5, 9.0), block(0.6, 7.0), block(0.0, 1.0)


@pytest.mark.parametrize(
    ("blocks", "median", "kept", "quiet"),
    [
        ([block(0.5, 9.0), block(0.0, 1.0), block(0.02, 3.0)], 2.0, 2, True),
        (OTHERS, 7.0, 3, False),  # one quiet block says nothing of the spread
        ((*OTHERS, *OTHERS, block(0.7, 8.0)), 7.0, 7, False),  # under a third
        ([block(None, 9.0), block(None, 1.0)], 5.0, 2, True),  # nobody knows
        ([block(0.0, 9.0)], 9.0, 1, False),
    ],
)
def test_blocks_that_others_disturbed_are_left_out(
    blocks: list[dict[str, Any]], median: float, kept: int, quiet: bool
) -> None:
    figures = realcase.summary(list(blocks))
    assert figures["median"] == median
    assert (figures["blocks"], figures["quiet"]) == (kept, quiet)


@pytest.mark.parametrize(
    ("done", "message"),
    [
        ((1, "", "Traceback\nValueError: no"), "exit status 1: ValueError: no"),
        ((-11, "", ""), "signal 11: it said nothing"),
        ((0, "ready\n", ""), "printed no result"),
        ((0, "{broken", ""), "printed no result"),
    ],
)
def test_a_test_that_failed(done: tuple[int, str, str], message: str) -> None:
    with pytest.raises(programs.CaptureError, match=message):
        programs.parsed(CompletedProcess([], *done))


def test_one_core(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(bin_folder, "taskset", "exit 0")
    monkeypatch.setattr(realcase, "cores", lambda: [3])
    with pytest.raises(programs.SkippedError, match="only one core"):
        realcase.pinned()
    monkeypatch.setattr(realcase, "cores", lambda: [3, 5])
    assert realcase.pinned() == [str(bin_folder / "taskset"), "-c", "3"]
