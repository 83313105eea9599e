"""The tools of the capture: what they print, what they lack, and their table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import (
    CAPTURES,
    programs,
    toolbox,
)


def test_the_leaves_of_a_profile() -> None:
    folded = (
        "thread (11864): loop-2;_bootstrap (threading.py:1);select (selectors.py:4) 7\n"
        "thread (11864): loop-2;_bootstrap (threading.py:1);select (selectors.py:9) 2\n"
        "thread (0x7F01): MainThread;wait (threading.py:355) 5\n"
    )
    assert toolbox.leaves(folded) == {
        ("loop-2", "select (selectors.py)"): 9,
        ("MainThread", "wait (threading.py)"): 5,
    }


def test_the_last_whole_screen() -> None:
    def screen(samples: int) -> str:
        return f"\x1b[2J\x1b[1mTotal Samples {samples}\x1b[0m\r\nGIL: 9.00%\r\n\r\nf"

    drawn = screen(100) + screen(200) + "\x1b[2JTotal Samp"
    assert toolbox.last_screen(drawn) == "Total Samples 200\nGIL: 9.00%\nf\n"
    assert toolbox.last_screen("nothing") == "\n"


def test_a_program_that_never_had_two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it prints would be the case of one core, under another name."""
    runs: list[int] = []

    def told(work: str, *, loops: int, **rest: Any) -> dict[str, Any]:
        runs.append(loops)
        return {"process_cpu_share": 0.992 if len(runs) != 3 else 1.6}

    monkeypatch.setattr(toolbox, "told", told)
    assert toolbox.on_several_cores(2)["process_cpu_share"] == 1.6
    assert runs == [2, 2, 2]
    with pytest.raises(programs.CaptureError, match=r"10 runs .*no more than one core"):
        toolbox.on_several_cores(2)
    monkeypatch.setattr(toolbox, "cores", lambda: [0])
    with pytest.raises(programs.SkippedError, match="only one core"):
        toolbox.getrusage(toolbox.Context(Path()))


def test_every_tool_has_a_row_and_every_row_a_capture() -> None:
    rows = toolbox.read_table()
    assert sorted(row["capture"] for row in rows) == sorted(toolbox.TOOLS)


def test_the_rendered_table_is_fresh() -> None:
    text = (CAPTURES / "tools.md").read_text("utf-8")
    assert text == toolbox.rendered(toolbox.read_table())
    assert {line.count("|") for line in text.splitlines()} == {5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[tool]]\nname = 'x'\n", "x lacks 'capture'"),
        ("[[tool]]\nname = ' '\n", "lacks 'name'"),
        ("[[tool]\n", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_a_broken_table(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tools.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(programs.CaptureError, match=message):
        toolbox.read_table(path)


def test_figures_that_are_not_readable_are_kept(tmp_path: Path) -> None:
    (tmp_path / "captures.json").write_text("{", "utf-8")
    with pytest.raises(programs.CaptureError, match="remove it"):
        toolbox.remember(tmp_path, "gdb", {})
    assert (tmp_path / "captures.json").read_text("utf-8") == "{"
