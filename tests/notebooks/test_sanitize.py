"""nbval with our settings: it sees a changed figure and ignores an address."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.guards import ROOT

SETTINGS = (
    "--nbval",
    "--nbval-sanitize-with=tests/notebooks/sanitize.cfg",
    "--nbval-cell-timeout=120",
)


@pytest.mark.parametrize(
    ("source", "output", "outcome"),
    [
        ("print(1.5)", "1.5\n", "1 passed"),
        ("print(1.5)", "1.534\n", "1 failed"),
        ("print(object())", "<object object at 0x7f0000000001>\n", "1 passed"),
        ("print('0x1.8p+0')", "0x1.9p+0\n", "1 failed"),
    ],
)
def test_what_nbval_compares(
    tmp_path: Path, source: str, output: str, outcome: str
) -> None:
    stream = nbformat.v4.new_output("stream", name="stdout", text=output)
    cell = nbformat.v4.new_code_cell(source, outputs=[stream], execution_count=1)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    path = tmp_path / "lab.ipynb"
    nbformat.write(notebook, path)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *SETTINGS, str(path)]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert outcome in done.stdout, done.stdout
