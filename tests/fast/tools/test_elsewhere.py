"""Binder and Colab: what they are given, as far as it can be tried without them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools import colab
from tools.common import ROOT, ToolError

BINDER = ROOT / ".binder"
REPOSITORY = "https://github.com/owner/name"


# Binder


def test_binder_gets_the_environment_of_make_lab() -> None:
    text = (BINDER / "requirements.txt").read_text("utf-8")
    named = re.findall(r"^-r (\S+)$", text, re.MULTILINE)
    files = [(BINDER / name).resolve() for name in named]
    assert files == [ROOT / "requirements.txt", ROOT / "tools/lab_requirements.txt"]
    assert all(file.is_file() for file in files)


def test_binder_gets_a_python_of_the_packages() -> None:
    named = (BINDER / "runtime.txt").read_text("utf-8")
    assert re.fullmatch(r"python-3\.1[1-4]\n", named)


def test_binder_installs_every_package() -> None:
    script = BINDER / "postBuild"
    text = script.read_text("utf-8")
    assert text.startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(script, os.X_OK)
    packages = {path.parent.name for path in ROOT.glob("src/*/pyproject.toml")}
    assert set(re.findall(r"-e src/(\w+)", text)) == packages


# Colab


def book(folder: Path, address: str) -> Path:
    """A project with one lab."""
    text = f'sphinx:\n  config:\n    lab_repository: "{address}"\n'
    folder.joinpath("_config.yml").write_text(text, "utf-8")
    folder.joinpath("requirements.txt").write_text("myst-nb==1.2.3\n", "utf-8")
    folder.joinpath("notebooks").mkdir()
    lab = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    nbformat.write(lab, folder / "notebooks" / "lab.ipynb")
    return folder


def test_the_setting_is_found() -> None:
    address = colab.repository(ROOT)
    assert address == "" or address.startswith("https://github.com/")
    assert "myst-nb==" in colab.first_cell(address)


def test_a_copy_has_one_cell_more(tmp_path: Path) -> None:
    root = book(tmp_path, REPOSITORY)
    assert colab.main([str(tmp_path / "out")], root) == 0
    copied = nbformat.read(tmp_path / "out" / "notebooks" / "lab.ipynb", 4)
    nbformat.validate(copied)
    first, second = copied.cells
    assert f"git clone --quiet --depth 1 {REPOSITORY} on-time" in first.source
    assert "myst-nb==1.2.3" in first.source
    assert second.source == "1 + 1"
    for path in re.findall(r"\./on-time/(src/\w+)", first.source):
        assert (ROOT / path / "pyproject.toml").is_file()


def test_without_a_repository_there_are_no_copies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert colab.main([str(tmp_path / "out")], book(tmp_path, "")) == 0
    assert not (tmp_path / "out").exists()
    assert "lab_repository in _config.yml is empty" in capsys.readouterr().out


def test_no_folder_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert colab.main([]) == 2
    assert "python -m tools.colab FOLDER" in capsys.readouterr().out


def test_a_setting_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("sphinx: {}\n", "utf-8")
    with pytest.raises(ToolError, match="has no line lab_repository"):
        colab.repository(tmp_path)


class Shell(InteractiveShell):
    """Notes what a cell would install, and does not do it."""

    def __init__(self) -> None:
        super().__init__(config=Config({"HistoryManager": {"enabled": False}}))
        self.called: list[str] = []

    def system(self, cmd: str) -> None:
        self.called.append(cmd)

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> None:
        self.called.append(f"%{magic_name} {line}")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    return Shell()


def test_a_machine_that_has_the_course_is_left_alone(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run_cell(colab.first_cell(REPOSITORY)).success
    assert shell.called == []
    assert capsys.readouterr().out == ""


def test_a_machine_without_it_gets_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert shell.run_cell(colab.first_cell(REPOSITORY)).success
    clone, pip, cd = shell.called
    assert clone.startswith("git clone")
    assert pip.startswith("%pip install")
    assert cd == "%cd -q on-time/notebooks"


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")))
def test_every_lab_can_be_copied(path: Path) -> None:
    lab = json.loads(path.read_text("utf-8"))
    copied = colab.copy_of(lab, colab.first_cell(REPOSITORY))
    nbformat.validate(nbformat.from_dict(copied))
    assert copied["cells"][1:] == lab["cells"]
