"""What the tests of this example share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

if os.name != "posix":  # the captures need Unix
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with one empty folder; nothing is found beside the interpreter."""
    from tests.fast.book.spinning_loop.example import only_on_path, realcase

    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(realcase, "find", only_on_path)
    return folder
