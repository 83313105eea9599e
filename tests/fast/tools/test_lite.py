"""The labs as JupyterLite gets them, and what it is built from."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tools import lite, lite_labs
from tools.common import ROOT, ToolError

LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REASONS = lite_labs.settings(ROOT)["livecells_reasons"]
each_lab = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8")))


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


def test_a_package_is_put_beside_pyodide_and_on_its_list(tmp_path: Path) -> None:
    wheel = tmp_path / "looplab-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"first")
    listed = tmp_path / "pyodide-lock.json"
    listed.write_text(json.dumps({"packages": {"six": {}}}), "utf-8")
    package = lite.Package(wheel, ["six"])
    lite._add_packages(tmp_path, [package])
    packages = json.loads(listed.read_text("utf-8"))["packages"]
    assert packages.keys() == {"six", "looplab"}
    entry = packages["looplab"]
    assert (entry["version"], entry["depends"]) == ("0.1.0", ["six"])
    assert (tmp_path / entry["file_name"]).read_bytes() == b"first"
    assert entry["sha256"] == hashlib.sha256(b"first").hexdigest()
    wheel.write_bytes(b"second")  # another content has another address
    assert lite.Package(wheel).place != package.place


def test_notebooks_are_listed(tmp_path: Path) -> None:
    files, out = tmp_path / "files", tmp_path / "out"
    files.mkdir()
    for name in ("b.ipynb", "a.ipynb"):
        (files / name).write_text("{}", "utf-8")
    lite._add_notebooks(out, files)
    listing = json.loads((out / "api" / "contents" / "all.json").read_text("utf-8"))
    assert listing["type"] == "directory"
    rows = listing["content"]
    assert [(row["path"], row["type"], row["size"]) for row in rows] == [
        ("a.ipynb", "notebook", 2),
        ("b.ipynb", "notebook", 2),
    ]
    assert (out / "files" / "a.ipynb").read_text("utf-8") == "{}"


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
