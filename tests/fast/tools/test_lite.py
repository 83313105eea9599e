"""The labs as JupyterLite gets them, and what it is built from."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools import commands, environment, lite, lite_labs
from tools.common import ROOT, ToolError

LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REASONS = lite_labs.settings(ROOT)["livecells_reasons"]
each_lab = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def is_live(cell: dict[str, Any]) -> bool:
    return "live" in cell["metadata"].get("tags", [])


@each_lab
def test_a_copy_keeps_what_runs_and_marks_the_rest(path: Path) -> None:
    lab = read(path)
    before = copy.deepcopy(lab)
    copied = lite_labs.copy_of(lab, REASONS)
    assert lab == before
    nbformat.validate(nbformat.from_dict(copied))
    assert copied["metadata"]["kernelspec"]["name"] == "python"
    note, first, *cells = copied["cells"]
    assert (note["cell_type"], first["cell_type"]) == ("markdown", "code")
    by_id = {cell["id"]: cell for cell in cells}
    assert len(by_id) == len(cells)
    for cell in lab["cells"]:
        is_code = cell["cell_type"] == "code"
        if is_code and "remove-cell" in cell["metadata"]["tags"] and not is_live(cell):
            assert cell["id"] not in by_id
            continue
        source, copied_source = cell["source"], by_id[cell["id"]]["source"]
        if is_code and not is_live(cell):
            why = copied_source[0].removeprefix("%%elsewhere ").strip()
            assert why in REASONS.values()
            assert copied_source[1:] == source
        elif is_code:
            assert copied_source == source
        if is_code:
            assert by_id[cell["id"]]["metadata"]["trusted"] is True
            assert by_id[cell["id"]]["outputs"] == cell["outputs"]
    assert "](../" not in json.dumps([by_id[name]["source"] for name in by_id])


def test_solutions_are_folded() -> None:
    lab = {
        "cells": [
            {
                "cell_type": "code",
                "id": "one",
                "metadata": {"tags": ["live", "hide-cell"]},
                "outputs": [],
                "source": ["1"],
            }
        ],
        "metadata": {},
    }
    cell = lite_labs.copy_of(lab, REASONS)["cells"][-1]
    hidden = {"source_hidden": True, "outputs_hidden": True}
    assert cell["metadata"]["jupyter"] == hidden
    assert cell["source"] == ["1"]


def test_a_cell_without_a_tag_is_refused() -> None:
    cell = {"cell_type": "code", "id": "abc", "metadata": {}, "source": ["1"]}
    with pytest.raises(ToolError, match="cell abc has none of the tags live, measured"):
        lite_labs.copy_of({"cells": [cell], "metadata": {}}, REASONS)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InteractiveShell]:
    """The shell that ``get_ipython()`` gives, without a history."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = Config({"HistoryManager": {"enabled": False}})
    yield InteractiveShell.instance(config=config)
    InteractiveShell.clear_instance()


def test_a_cell_that_is_not_run_says_why(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run_cell(lite_labs.FIRST).success
    done = shell.run_cell("%%elsewhere It needs threads.\nran = 1\n")
    assert done.success
    assert "ran" not in shell.user_ns
    assert capsys.readouterr().out == "It needs threads.\n"


def test_a_package_has_another_address_for_another_content(tmp_path: Path) -> None:
    wheel = tmp_path / "looplab-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"one")
    package = lite.Package(wheel, ["other"])
    entry = package.entry()
    assert (entry["name"], entry["version"]) == ("looplab", "0.1.0")
    assert (entry["imports"], entry["depends"]) == (["looplab"], ["other"])
    assert entry["sha256"] == hashlib.sha256(b"one").hexdigest()
    assert entry["file_name"].endswith(f"/{wheel.name}")
    wheel.write_bytes(b"two")
    assert lite.Package(wheel).place != package.place


def test_a_package_is_put_beside_pyodide_and_on_its_list(tmp_path: Path) -> None:
    wheel = tmp_path / "looplab-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"one")
    listed = tmp_path / "pyodide-lock.json"
    listed.write_text(json.dumps({"packages": {"six": {}}}), "utf-8")
    lite._add_packages(tmp_path, [lite.Package(wheel)])
    packages = json.loads(listed.read_text("utf-8"))["packages"]
    assert packages.keys() == {"six", "looplab"}
    assert (tmp_path / packages["looplab"]["file_name"]).read_bytes() == b"one"


def test_notebooks_are_listed(tmp_path: Path) -> None:
    for name in ("b.ipynb", "a.ipynb"):
        (tmp_path / name).write_text("{}", "utf-8")
    out = tmp_path / "out"
    lite._add_notebooks(out, tmp_path)
    listing = json.loads((out / "api" / "contents" / "all.json").read_text("utf-8"))
    assert listing["type"] == "directory"
    assert [one["path"] for one in listing["content"]] == ["a.ipynb", "b.ipynb"]
    assert {one["type"] for one in listing["content"]} == {"notebook"}
    for one in listing["content"]:
        assert (out / "files" / one["path"]).stat().st_size == one["size"]


CONFIG = """
sphinx:
  config:
    livecells_wheels: []
    livecells_reasons:
      measured: "Why."
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book with one lab, whose JupyterLite is quickly built."""
    (tmp_path / "_config.yml").write_text(CONFIG, "utf-8")
    (tmp_path / "notebooks").mkdir()
    lab = tmp_path / "notebooks" / "01_lab.ipynb"
    lab.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4}), "utf-8")

    def built(out: Path, apps: list[str], **words: Any) -> None:
        assert apps == ["lab"]
        assert [file.name for file in words["files"].iterdir()] == ["01_lab.ipynb"]
        out.mkdir(exist_ok=True)

    monkeypatch.setattr(lite, "build", built)
    (tmp_path / "site" / "notebooks").mkdir(parents=True)
    return tmp_path


def test_the_page_of_a_lab_gets_its_link(book: Path) -> None:
    from lab_links import links

    page = book / "site" / "notebooks" / "01_lab.html"
    page.write_text(f"<h1>Lab</h1>{links('01_lab.ipynb', '')}<p>Text", "utf-8")
    assert lite_labs.add(book / "site", book) == 1
    expected = 'href="../lite/lab/index.html?path=01_lab.ipynb">Open in JupyterLite</a>'
    assert page.read_text("utf-8").count(expected) == 1
    assert lite_labs.add(book / "site", book) == 1  # again: nothing is doubled
    assert page.read_text("utf-8").count(expected) == 1


def test_a_page_without_a_place_is_named(book: Path) -> None:
    page = book / "site" / "notebooks" / "01_lab.html"
    page.write_text("<h1>Lab</h1>", "utf-8")
    with pytest.raises(ToolError, match=r"01_lab\.html has no place for the link"):
        lite_labs.add(book / "site", book)


def test_without_npm_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = tmp_path / "jupyterlite_pyodide_kernel" / "constants.py"
    constants.parent.mkdir()
    constants.write_text('PYODIDE_VERSION = "1.2.3"\n', "utf-8")
    assert lite.pyodide_version(tmp_path) == "1.2.3"
    monkeypatch.setattr(lite.shutil, "which", lambda _: None)
    with pytest.raises(ToolError, match="npm is needed to fetch Pyodide"):
        lite._fetch_pyodide(tmp_path, tmp_path)


def test_a_failed_download_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Done:
        returncode = 1
        stdout = "no network"

    monkeypatch.setattr(lite.subprocess, "run", lambda *_, **__: Done)
    with pytest.raises(ToolError, match=r"-m pip .* failed: see its words above"):
        lite._pip(tmp_path, "download", "comm")
    assert capsys.readouterr().out == "no network\n"


def test_the_command_runs_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[object, ...]] = []
    monkeypatch.setattr(environment, "offer_node_modules", lambda: None)
    monkeypatch.setattr(environment, "ensure_venv", lambda: tmp_path)
    monkeypatch.setattr(commands, "run", lambda *words: started.append(words))
    assert commands.main(["lite"]) == 0
    assert started == [(tmp_path, "-m", "tools.lite_labs")]


def test_every_pin_is_exact() -> None:
    lines = lite.REQUIREMENTS.read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", pin) for pin in pins)
