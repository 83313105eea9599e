"""The live cells of the labs give what the labs have committed.

In Pyodide all of them do so in the tests of the site, on the pages themselves; here
one half of the labs in their order, the other half in any order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]


def live_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [
        {**cell, "source": "".join(cell["source"])}
        for cell in cells
        if cell["cell_type"] == "code" and "live" in cell["metadata"].get("tags", ())
    ]


def committed(cell: dict[str, Any]) -> list[tuple[str, str]]:
    out = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            out.append((output["name"], "".join(output["text"])))
        else:
            data = output["data"]
            mime = "text/html" if "text/html" in data else "text/plain"
            out.append((mime, "".join(data[mime])))
    return out


NOTEBOOKS = [
    path for path in sorted(ROOT.glob("notebooks/*.ipynb")) if live_cells(path)
]


def test_there_are_notebooks_to_compare() -> None:
    assert NOTEBOOKS
