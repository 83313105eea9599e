"""The command that makes the captures, and the environments that it makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import (
    EXAMPLE,
    capture,
    environments,
    programs,
)


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        capture.main(["everything"])
    assert caught.value.code == 2
    assert "no part 'everything': choose from fresh, real" in capsys.readouterr().err


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The parts, each of which does what the test says."""
    results: dict[str, Any] = dict.fromkeys(capture.PARTS)

    def result(name: str) -> Callable[..., None]:
        def work(*arguments: object) -> None:
            if results[name] is not None:
                raise results[name]

        return work

    monkeypatch.setattr(capture, "PARTS", {name: result(name) for name in results})
    return results


def test_the_exit_status(
    parts: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = list(parts)
    line = [*every, "--output", str(tmp_path), "--folder", str(tmp_path)]
    assert capture.main(line) == 0
    parts["guard"] = programs.SkippedError("no network")
    assert capture.main(line) == 3
    parts["real"] = OSError("the disk is full")
    assert capture.main(line) == 1  # and the others still ran
    err = capsys.readouterr().err
    assert "capture.py: real failed: the disk is full\n" in err
    assert "capture.py: guard left out: no network\n" in err
    parts["free"] = KeyboardInterrupt()
    assert capture.main(line) == 130


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
