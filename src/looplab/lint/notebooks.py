"""The Python of a notebook: its code cells, one below the other.

Names are followed from cell to cell.  A line that is for IPython (``%time``, ``!ls``,
``x?``) counts as ``pass``, and a cell that is for another language is left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .paths import NotCheckedError

__all__ = ["Notebook", "cells"]

_MAGIC = re.compile(r"^(\s*)(?:[%!].*|\?+\w[\w.]*|[\w.]+\?+)\s*$")
_ASSIGNED = re.compile(r"^(\s*[\w.,\s]+=\s*)[!%].*$")
# Magics of a cell under which there still is Python.
_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(frozen=True, slots=True)
class Notebook:
    """The lines of all cells, and where each cell begins.

    Args:
        lines: the lines, with their ends.
        starts: for each line the number of its cell and of the line in it, from 1.
    """

    lines: list[str]
    starts: list[tuple[int, int]]


def cells(text: str) -> Notebook:
    """Read a notebook.

    Raises:
        NotCheckedError: it is none.
    """
    try:
        data: Any = json.loads(text)
        every = data["cells"]
        sources = [
            (number, cell["source"])
            for number, cell in enumerate(every, 1)
            if cell["cell_type"] == "code"
        ]
        joined = [
            (number, "".join(source) if isinstance(source, list) else str(source))
            for number, source in sources
        ]
        language = data.get("metadata", {}).get("kernelspec", {}).get("language", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotCheckedError("is not a notebook of format 4") from None
    if language and language != "python":
        return Notebook([], [])
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    for number, source in joined:
        for place, line in enumerate(_python(source), 1):
            lines.append(line + "\n")
            starts.append((number, place))
    return Notebook(lines, starts)


def _python(source: str) -> list[str]:
    """The lines of a cell as Python reads them."""
    lines = re.split(r"\r\n|\r|\n", source)
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not first.startswith(_PYTHON):
        return []
    out = []
    for line in lines:
        line = _ASSIGNED.sub(r"\1None", line)
        out.append(_MAGIC.sub(r"\1pass", line))
    return out
