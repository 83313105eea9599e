"""Binder and Colab: what they are given, as far as it can be tried without them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools import colab
from tools.common import ROOT

BINDER = ROOT / ".binder"
REPOSITORY = "https://github.com/owner/name"


def test_binder_gets_the_environment_of_make_lab() -> None:
    text = (BINDER / "requirements.txt").read_text("utf-8")
    named = re.findall(r"^-r (\S+)$", text, re.MULTILINE)
    files = [(BINDER / name).resolve() for name in named]
    assert files == [ROOT / "requirements.txt", ROOT / "tools/lab_requirements.txt"]
    assert all(file.is_file() for file in files)
    runtime = (BINDER / "runtime.txt").read_text("utf-8")
    assert re.fullmatch(r"python-3\.1[1-4]\n", runtime)


def test_binder_installs_every_package() -> None:
    script = BINDER / "postBuild"
    text = script.read_text("utf-8")
    assert text.startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(script, os.X_OK)
    packages = {path.parent.name for path in ROOT.glob("src/*/pyproject.toml")}
    assert set(re.findall(r"-e src/(\w+)", text)) == packages


@pytest.mark.parametrize("address", [REPOSITORY, ""])
def test_colab_gets_copies_with_one_cell_more(tmp_path: Path, address: str) -> None:
    text = f'sphinx:\n  config:\n    lab_repository: "{address}"\n'
    (tmp_path / "_config.yml").write_text(text, "utf-8")
    (tmp_path / "requirements.txt").write_text("myst-nb==1.2.3\n", "utf-8")
    (tmp_path / "notebooks").mkdir()
    lab = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    nbformat.write(lab, tmp_path / "notebooks/lab.ipynb")
    colab.copies(tmp_path / "out", tmp_path)
    if not address:
        assert not (tmp_path / "out").exists()
        return
    copied = nbformat.read(tmp_path / "out/lab.ipynb", 4)
    nbformat.validate(copied)
    first, second = copied.cells
    assert f"git clone --quiet --depth 1 {REPOSITORY} on-time" in first.source
    assert "myst-nb==1.2.3" in first.source
    assert second.source == "1 + 1"
    for path in re.findall(r"\./on-time/(src/\w+)", first.source):
        assert (ROOT / path / "pyproject.toml").is_file()


class Shell(InteractiveShell):
    """Notes what a cell would install, and does not do it."""

    def __init__(self) -> None:
        super().__init__(config=Config({"HistoryManager": {"enabled": False}}))
        self.called: list[str] = []

    def system(self, cmd: str) -> None:
        self.called.append(cmd.partition(" ")[0])

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> None:
        self.called.append(magic_name)


@pytest.mark.parametrize("installed", [True, False])
def test_the_cell_installs_what_is_missing(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = Shell()
    if not installed:
        monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    code = "".join(colab.first_cell(REPOSITORY)["source"])
    assert shell.run_cell(code).success
    assert shell.called == ([] if installed else ["git", "pip", "cd"])
