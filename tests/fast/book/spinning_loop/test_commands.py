"""The command that makes the captures: its words, its exit status, its output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import commands, programs


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        commands.main(["everything"])
    assert caught.value.code == 2
    assert "no part 'everything': choose from fresh, real" in capsys.readouterr().err


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The parts, each of which does what the test says."""
    results: dict[str, Any] = dict.fromkeys(commands.PARTS)

    def result(name: str) -> Callable[..., None]:
        def work(*arguments: object) -> None:
            if results[name] is not None:
                raise results[name]

        return work

    monkeypatch.setattr(commands, "PARTS", {name: result(name) for name in results})
    monkeypatch.setattr(commands, "start_up", lambda: None)
    return results


def test_the_exit_status(
    parts: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = list(parts)
    line = [*every, "--output", str(tmp_path), "--folder", str(tmp_path)]
    assert commands.main(line) == 0
    parts["guard"] = programs.SkippedError("no network")
    assert commands.main(line) == 3
    parts["real"] = programs.CaptureError("the disk is full")
    assert commands.main(line) == 1  # and the others still ran
    err = capsys.readouterr().err
    assert "capture.py: real failed: the disk is full\n" in err
    assert "capture.py: guard left out: no network\n" in err
    parts["free"] = KeyboardInterrupt()
    assert commands.main(line) == 130
