"""The measured cells still run: their errors fail here, their figures do not.

Whether a measured claim holds is judged by `make execute` alone, on a quiet machine.
Here the machine may be busy: an assert that fails is told, and nothing is written.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tools.common import ROOT
from tools.execute import MEASURED
from tools.kernels import AsyncFileKernelManager

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_measured_cells_run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        allow_errors=True,
        kernel_name="python3",
        kernel_manager_class=AsyncFileKernelManager,
        resources={"metadata": {"path": str(path.parent)}},
        timeout=900,
    ).execute()
    doubted: list[str] = []
    for number, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags", ())
        for output in cell.get("outputs", ()):
            if output.output_type != "error" or "raises-exception" in tags:
                continue
            where = f"cell {number}: {output.ename}: {output.evalue}"
            # What a cell did not come to define is missing further down.
            excused = {"AssertionError", *(["NameError"] if doubted else [])}
            if MEASURED not in tags or output.ename not in excused:
                pytest.fail(f"{path.name}, {where}", pytrace=False)
            doubted.append(where)
    for where in doubted:
        warnings.warn(f"{path.name}, {where}", stacklevel=1)
