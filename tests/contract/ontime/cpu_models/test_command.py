"""``python -m ontime.cpu_models``, also with another interpreter."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from ontime.cpu_models import Comparison
from ontime.cpu_models.__main__ import main

WORDS = ["--models", "chain, threads", "--jobs", "2", "--limit", "50"]


def test_it_keeps_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.json"
    assert main([*WORDS, "--save", str(path)]) == 0
    printed = capsys.readouterr()
    assert "2 jobs of product(50)." in printed.out
    assert "call_soon chain" in printed.err
    kept = Comparison.load(path)
    assert path.with_suffix(".txt").read_text(encoding="utf-8") == f"{kept!r}\n"
    assert "cores free before, " in kept.machine["free"]


def test_another_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--python", sys.executable]) == 0
    version = ".".join(map(str, sys.version_info[:3]))
    printed = capsys.readouterr().out
    assert f"a thread each, Python {version}" in printed
    # Interpreters are compared with processes of the same Python.
    assert re.search(rf"^Pool\(\d+\), Python {version}", printed, re.MULTILINE)


def test_the_rest_is_kept_if_an_interpreter_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.json"
    assert main([*WORDS, "--save", str(path), "--python", "/no/python"]) == 1
    assert len(Comparison.load(path)) == 2
    assert "/no/python" in capsys.readouterr().err


def test_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--models", "treads"], ["--save", str(tmp_path / "kept.txt")]):
        assert main([*WORDS, *words]) == 1
        assert "error:" in capsys.readouterr().err
