"""Live cells of the labs, pressed in any order, give what the labs have committed.

In their order, and in Pyodide, they do so in the tests of the site.
"""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from tests.fast.livecells.runtime.pages import Reader
from tools.common import ROOT


def committed(cell: dict[str, Any]) -> list[tuple[str, str]]:
    outputs = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            outputs.append((output["name"], "".join(output["text"])))
        else:
            data = output["data"]
            mime = "text/html" if "text/html" in data else "text/plain"
            outputs.append((mime, "".join(data[mime])))
    return outputs


@pytest.mark.slow
@pytest.mark.parametrize(
    "notebook",
    sorted(ROOT.glob("notebooks/*.ipynb"))[1::2],
    ids=lambda path: path.stem,
)
def test_cells_pressed_in_any_order_give_the_committed_outputs(
    notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without handlers a warning goes to stderr, as it does in a page.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    cells = [
        {**cell, "source": "".join(cell["source"])}
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        if "live" in cell["metadata"].get("tags", ())
    ]
    reader = Reader(cells)
    for place in random.Random(len(cells)).sample(range(len(cells)), len(cells)):
        cell = cells[place]
        assert reader.press(place) == committed(cell), cell["id"]
