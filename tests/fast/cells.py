"""Cells of the labs, run again without a kernel."""

from __future__ import annotations

import contextlib
import io

from ontime.grade.cells import needed, run_cell
from tests.fast.exercises import homes

__all__ = ["as_committed", "run_again"]


def as_committed(notebook: str, name: str) -> str:
    """What the cell of this id printed, and the HTML of what it showed."""
    cell = next(cell for cell in homes.code_cells(notebook) if cell["id"] == name)
    outputs = [out.get("text") or out["data"]["text/html"] for out in cell["outputs"]]
    return "".join("".join(lines) for lines in outputs)


def run_again(notebook: str, name: str, *above: str) -> str:
    """What the cell prints, and the HTML of what its last line gives, now.

    Before it run the cells that are given, or all above it that bind what it uses.
    """
    sources = {
        cell["id"]: "".join(cell["source"]) for cell in homes.code_cells(notebook)
    }
    cells = list(sources.values())[: list(sources).index(name)]
    before = [sources[cell] for cell in above] or needed(cells, [sources[name]])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        names = dict(homes.after(tuple(before)))
        printed.truncate(0)  # what the cells above have printed
        printed.seek(0)
        shown = run_cell(sources[name], names)
    return printed.getvalue() + ("" if shown is None else shown._repr_html_())
