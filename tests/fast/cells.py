"""Cells of the labs, run again without a kernel."""

from __future__ import annotations

import ast
import contextlib
import io

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
    cells = tuple(sources.values())[: list(sources).index(name)]
    before = tuple(sources[cell] for cell in above) or homes.needed(
        cells, sources[name]
    )
    tree = ast.parse(sources[name])
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else ast.Expr()
    printed, html = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        names = dict(homes.after(before))
        printed.truncate(0)  # what the cells above have printed
        printed.seek(0)
        homes.run_cell(ast.unparse(tree), names)
        if hasattr(shown, "value"):
            value = eval(ast.unparse(shown), names)
            html = "" if value is None else value._repr_html_()
    return printed.getvalue() + html
