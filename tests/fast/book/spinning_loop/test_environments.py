"""The environments with the libraries of the article's time, and today's."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.fast.book.spinning_loop.example import EXAMPLE, environments, programs


def test_the_pins_are_exact_and_of_their_time() -> None:
    for side, starlette in ("old", "==0.36.3"), ("new", "==1."):
        text = (EXAMPLE / f"requirements-{side}.txt").read_text("utf-8")
        pins = [line for line in text.splitlines() if line and line[0] != "#"]
        assert all("==" in pin for pin in pins)
        assert any(pin.startswith(f"starlette{starlette}") for pin in pins)


def test_an_environment_is_made_once_and_a_broken_one_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    answers = [CompletedProcess([], 0, "", "")] * 2

    def run(command: list[str], *_: object) -> CompletedProcess[str]:
        ran.append(command[2])
        if command[2] == "venv":
            python = Path(command[3], "bin", "python")
            python.parent.mkdir(parents=True)
            python.touch()
        return answers[len(ran) % 2]

    monkeypatch.setattr(environments, "run", run)
    lines: list[str] = []
    made = environments.ensure("old", tmp_path, lines.append)
    assert environments.ensure("old", tmp_path, lines.append) == made
    assert ran == ["venv", "pip"] and len(lines) == 1
    # Other pins, another environment; and pip has no luck with it.
    (made.parent.parent / environments.STAMP).write_text("others", "utf-8")
    answers[0] = CompletedProcess([], 1, "", "notice\nERROR: no fastapi==0.1")
    with pytest.raises(programs.SkippedError, match=r"no fastapi==0\.1.*--folder"):
        environments.ensure("old", tmp_path, lines.append)
    assert list(tmp_path.iterdir()) == []
