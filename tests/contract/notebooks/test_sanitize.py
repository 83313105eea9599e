"""nbval with our settings: it sees a changed figure and ignores an address."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat

from tests.fast.notebooks.guards import ROOT

SETTINGS = (
    "--nbval",
    "--nbval-sanitize-with=tests/sanitize.cfg",
    "--nbval-cell-timeout=600",
    "--nbval-kernel-startup-timeout=600",
)


#: What a cell prints, what it printed when it was saved, and what nbval makes of that.
CELLS = (
    ("print(1.5)", "1.5\n", "PASSED"),
    ("print(1.5)", "1.534\n", "FAILED"),
    ("print(object())", "<object object at 0x7f0000000001>\n", "PASSED"),
    ("print('0x1.8p+0')", "0x1.9p+0\n", "FAILED"),
)


def test_what_nbval_compares(tmp_path: Path) -> None:
    cells = []
    for source, output, _ in CELLS:
        stream = nbformat.v4.new_output("stream", name="stdout", text=output)
        cell = nbformat.v4.new_code_cell(source, outputs=[stream], execution_count=1)
        cells.append(cell)
    path = tmp_path / "lab.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    words = ["-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "conftest"]
    words += [*SETTINGS, str(path)]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    found = re.findall(r"^\S+::Cell (\d+) (\w+) ", done.stdout, re.MULTILINE)
    wanted = [(str(number), outcome) for number, (*_, outcome) in enumerate(CELLS)]
    assert found == wanted, done.stdout
