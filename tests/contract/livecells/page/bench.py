"""The small book that the page's scenarios run on."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.contract.livecells.books import (
    FIGURE,
    MODULE,
    Shelf,
    code,
    notebook,
    printed,
    text,
)
from tools.kernels import AsyncFileKernelManager

__all__ = ["PROGRAMS", "SCENARIOS", "build_bench", "run_in_kernel"]

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"

DRAWING = """\
class Figure:
    def _repr_html_(self):
        return (
            '<svg viewBox="0 0 40 10" role="img" aria-label="A line" class="fig">'
            "<style>.fig{--ink:#b8430b;width:100%}"
            ".fig path{stroke:var(--ink);fill:none}</style>"
            '<path d="M0 5h40"/></svg>'
        )

Figure()"""

#: Programs whose output in the page must be that of ipykernel, by name.
PROGRAMS = {
    name: source.rstrip("\n")
    for part in (HERE / "programs.txt").read_text("utf-8").split("\n=== ")[1:]
    for name, _, source in [part.partition("\n")]
}


def run_in_kernel(programs: dict[str, str]) -> dict[str, str]:
    """What each program shows in a cell of ipykernel, run in one kernel in order."""
    import nbclient
    import nbformat

    cells = [nbformat.v4.new_code_cell(source) for source in programs.values()]
    lab = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        lab,
        timeout=120,
        iopub_timeout=120,
        startup_timeout=300,
        kernel_name="python3",
        kernel_manager_class=AsyncFileKernelManager,
    )
    client.execute()

    def text_of(output: Any) -> str:
        if "data" in output:
            return str(output["data"]["text/plain"]) + "\n"
        return str(output["text"]) if output["name"] == "stdout" else ""

    return {
        name: "".join(map(text_of, cell.outputs))
        for name, cell in zip(programs, lab.cells, strict=True)
    }


def build_bench(shelf: Shelf, **config: Any) -> Path:
    """Build the book; returns the folder of its pages."""
    toc = "# Bench\n\n```{toctree}\nprograms\nlab\npackages\nplain\nfigure\n```\n"
    packages = {
        "alpha": "NAME = 'alpha'\n",
        "beta": "from alpha import NAME\nBOTH = NAME + ' and beta'\n",
        "gamma": "NAME = 'gamma'\n",
    }
    wheels = [_wheel(shelf.folder, *package) for package in packages.items()]
    lab = notebook(
        text("# Lab"),
        code("x = 40", "first"),
        code("print(x + 2)", "second", outputs=[printed("42\n")]),
        code("print('alone')", "third", outputs=[printed("alone\n")]),
        code(DRAWING, "figure", outputs=[_shown(DRAWING)]),
        code("import json\nprint(json.loads('[1, 2]'))", "names"),
        code("print('measured')", "measured", tags=["measured"]),
    )
    programs = notebook(
        text("# Programs"),
        *(code(source, name) for name, source in PROGRAMS.items()),
    )
    files = {
        "index.md": toc,
        "lab.ipynb": lab,
        "programs.ipynb": programs,
        "packages.ipynb": notebook(
            text("# Packages"),
            code("import beta\nprint(beta.BOTH)", "beta"),
        ),
        "plain.md": "# Plain\n\nNothing runs here.\n",
        "figure.md": FIGURE,
        "explorables/mine.py": MODULE,
    }
    reasons = {"measured": "It measures real time."}
    options = {"livecells_reasons": reasons, "livecells_wheels": wheels, **config}
    return shelf.build(files, **options).out


def _wheel(folder: Path, name: str, source: str) -> str:
    """A wheel with one module."""
    path = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", source)
        archive.writestr(f"{name}-1.dist-info/METADATA", f"Name: {name}\nVersion: 1\n")
    return str(path)


def _shown(source: str) -> dict[str, Any]:
    """The output of a cell whose last line is a value with HTML."""
    *body, last = source.split("\n")
    names: dict[str, Any] = {}
    exec("\n".join(body), names)
    value = eval(last, names)
    return {
        "output_type": "execute_result",
        "data": {"text/html": value._repr_html_(), "text/plain": json.dumps("figure")},
        "metadata": {},
        "execution_count": 1,
    }
