"""The labs as JupyterLite gets them, and what it is built from."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tools import lite, lite_labs
from tools.common import ROOT, ToolError

LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REASONS = lite_labs.settings(ROOT)["livecells_reasons"]
each_lab = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8")))


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
        tags = cell["metadata"].get("tags", [])
        is_code, is_live = cell["cell_type"] == "code", "live" in tags
        if is_code and "remove-cell" in tags and not is_live:
            assert cell["id"] not in by_id
        elif is_code:
            twin = by_id[cell["id"]]
            assert twin["metadata"]["trusted"] is True
            assert twin["outputs"] == cell["outputs"]
            lines = twin["source"]
            if not is_live:
                why, *lines = lines
                assert why.removeprefix("%%elsewhere ").strip() in REASONS.values()
            assert lines == cell["source"]
    assert "](../" not in json.dumps([by_id[name]["source"] for name in by_id])


def test_solutions_are_folded_and_a_cell_without_a_tag_is_refused() -> None:
    cell = {"cell_type": "code", "id": "abc", "outputs": [], "source": ["1"]}
    lab = {"cells": [cell], "metadata": {}}
    cell["metadata"] = {"tags": ["live", "hide-cell"]}
    copied = lite_labs.copy_of(lab, REASONS)["cells"][-1]
    hidden = {"source_hidden": True, "outputs_hidden": True}
    assert (copied["metadata"]["jupyter"], copied["source"]) == (hidden, ["1"])
    cell["metadata"] = {}
    with pytest.raises(ToolError, match="cell abc has none of the tags live, measured"):
        lite_labs.copy_of(lab, REASONS)


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
    listing = read(out / "api" / "contents" / "all.json")
    rows = [(row["path"], row["type"], row["size"]) for row in listing["content"]]
    assert rows == [("a.ipynb", "notebook", 2), ("b.ipynb", "notebook", 2)]
    assert (out / "files" / "a.ipynb").read_text("utf-8") == "{}"
