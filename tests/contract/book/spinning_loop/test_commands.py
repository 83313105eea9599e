"""The command that makes the captures: its words, its exit status, its output."""

from __future__ import annotations

from pathlib import Path

from tests.fast.book.spinning_loop.example import (
    CAPTURES,
    capture_py,
)


def test_render_needs_nothing(tmp_path: Path) -> None:
    done = capture_py("render", "--output", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "tools.md").read_text("utf-8") == (
        CAPTURES / "tools.md"
    ).read_text("utf-8")


def test_a_folder_for_the_output_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = capture_py("render", "--output", tmp_path / "file")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
