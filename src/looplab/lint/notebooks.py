"""The Python of a notebook: its code cells, one below the other.

JSON is also an expression of Python, so flake8 parses a notebook, and hands it over.
Names are followed from cell to cell.  A line that is for IPython (``%time``, ``!ls``,
``x?``) counts as ``pass``, and a cell for another language is left out.  A finding is
reported at its line of the file, where a comment silences it; its message names the
cell, and so do the lines in it, which is what nbqa cannot do.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from .findings import LONGEST, Finding
from .rules import check_tree

_MAGIC = re.compile(r"^(\s*)(?:[%!].*|\?+\w[\w.]*|[\w.]+\?+)\s*$")
_ASSIGNED = re.compile(r"^(\s*[\w.,\s]+=\s*)[!%].*$")
# Magics of a cell under which there still is Python.
_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")


def check_notebook(tree: ast.Module) -> Iterator[tuple[Finding, int, int, str]]:
    """Check a notebook of format 4, parsed as Python.

    Returns:
        For each finding where it is in the file (line from 1, column from 0), and the
        text with the cell.  What is no notebook, or not of Python, has none.
    """
    code, starts, rows = [], [], []
    for number, sources in _cells(tree):
        first = next((text for _, text in sources if text.strip()), "")
        if first.startswith("%%") and not first.startswith(_PYTHON):
            continue
        for place, (row, text) in enumerate(sources, 1):
            text = _MAGIC.sub(r"\1pass", _ASSIGNED.sub(r"\1None", text))
            code.append(text + "\n")
            starts.append((number, place))
            rows.append(row)
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        cells = compile("".join(code), "<notebook>", "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = min(getattr(error, "lineno", None) or 1, len(code) or 1)
        where = "cell {} line {}: ".format(*starts[line - 1]) if starts else ""
        bad = Finding(line, 1, "E999", f"{where}{type(error).__name__}: {error}", "")
        yield bad, rows[line - 1] if rows else 1, 0, bad.message
        return
    for finding in check_tree(cells, code):
        cell, line = starts[finding.line - 1]
        text = re.sub(
            r"\bline (\d+)",
            lambda match: "cell {} line {}".format(*starts[int(match[1]) - 1]),
            finding.message,
        )
        if len(text) > LONGEST:
            text = re.sub(r"\b(cell \d+) line \d+", r"\1", text)
        text = dataclasses.replace(finding, message=text).text
        row = rows[finding.line - 1]
        yield finding, row, finding.column, f"cell {cell} line {line}: {text}"


def _cells(tree: ast.Module) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The code cells: their numbers, from 1, and for each line its row in the file."""
    try:
        notebook: Any = tree.body[0]
        spec = _value(_value(notebook.value, "metadata"), "kernelspec")
        if _value(spec, "language", ast.Constant("python")).value != "python":
            return
        for number, cell in enumerate(_value(notebook.value, "cells").elts, 1):
            if _value(cell, "cell_type").value == "code":
                source = _value(cell, "source")
                yield (
                    number,
                    [
                        (piece.lineno, _decoded(line))
                        for piece in getattr(source, "elts", [source])
                        for line in re.split(
                            r"\r\n|\r|\n", piece.value.removesuffix("\n")
                        )
                    ],
                )
    except (AttributeError, TypeError, IndexError):
        return


def _value(node: Any, key: str, default: Any = None) -> Any:
    """The node of a value in a dict that is written out."""
    pairs = zip(getattr(node, "keys", ()), getattr(node, "values", ()), strict=True)
    return next((value for name, value in pairs if name.value == key), default)


def _decoded(text: str) -> str:
    """A text of JSON, where one character may be written as two halves."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
