"""A project of its own for each test, and the command."""

from __future__ import annotations

import io
import sys
import types

import pytest

from tests.fast.looplab.lint.command.runs import Run


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """An empty project, which is the current folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def lint(capsys):
    return lambda *words: Run(capsys, *words)


@pytest.fixture
def stdin(monkeypatch):
    def give(data):
        stream = types.SimpleNamespace(buffer=io.BytesIO(data))
        monkeypatch.setattr(sys, "stdin", stream)

    return give
