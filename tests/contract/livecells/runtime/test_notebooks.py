"""The live cells of the labs give what the labs have committed.

In Pyodide all of them do so in the tests of the site, on the pages themselves; here
one half of the labs in their order, the other half in any order.
"""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from livecells.runtime import Session
from tests.fast.livecells.runtime.pages import Reader, shown
from tests.fast.livecells.runtime.test_notebooks import NOTEBOOKS, committed, live_cells

ROOT = Path(__file__).resolve().parents[4]


def run_apart(cells: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Run cells as the build does, in a process of their own."""
    request = {
        "limit": 100_000,
        "cells": [
            {"id": cell["id"], "label": cell["id"], "source": cell["source"]}
            for cell in cells
        ],
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "src" / "livecells" / "sphinx" / "runner.py")],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answer: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("notebook", NOTEBOOKS[::3], ids=lambda path: path.stem)
def test_live_cells_give_the_committed_outputs(notebook: Path) -> None:
    cells = live_cells(notebook)
    outputs = run_apart(cells)
    for cell in cells:
        assert shown(outputs[cell["id"]]) == committed(cell), cell["id"]


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS[1::2], ids=lambda path: path.stem)
def test_cells_pressed_in_any_order_give_the_committed_outputs(
    notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without handlers a warning goes to stderr, as it does in a page.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    cells = live_cells(notebook)
    reader = Reader(cells)
    for place in random.Random(len(cells)).sample(range(len(cells)), len(cells)):
        cell = cells[place]
        assert reader.press(place) == committed(cell), cell["id"]


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_cell_with_what_it_needs_gives_the_committed_output(notebook: Path) -> None:
    cells = live_cells(notebook)
    byname = {cell["id"]: cell for cell in cells}
    session = Session(lambda output: None)
    # Every eighth one, each in a process of its own: the sample varies with the book.
    for cell in cells[3::8]:
        needed = [byname[name] for name in session.plan(cells, cell["id"])]
        assert shown(run_apart(needed)[cell["id"]]) == committed(cell), cell["id"]
