"""Copies of the labs to work in: no outputs, so that a prediction is one.

``make lab`` brings them to ``my_labs/``. A copy that is there is never written to. When
its lab has changed since, the new one comes beside it: ``04_late_heartbeat-2.ipynb``.
"""

from __future__ import annotations

import hashlib
import json
from itertools import count
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "bring", "fresh"]

FOLDER = "my_labs"
_KEPT = ("tags", "exercise")


def fresh(lab: Path) -> dict[str, Any]:
    """A lab as its reader begins it: no outputs, and its solutions are folded.

    The cells that only pass figures to the pages of the book are left out.
    """
    notebook: dict[str, Any] = json.loads(lab.read_text(encoding="utf-8"))
    cells = []
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags", [])
        if "remove-cell" in tags:
            continue
        metadata = cell["metadata"]
        cell["metadata"] = {name: metadata[name] for name in _KEPT if name in metadata}
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
            if {"solution", "hide-cell", "hide-input"} & set(tags):
                cell["metadata"]["jupyter"] = {"source_hidden": True}
        cells.append(cell)
    text = json.dumps([[cell["cell_type"], cell["source"]] for cell in cells])
    notebook["cells"] = cells
    # By this a copy is known, whatever its reader has made of it.
    notebook["metadata"]["made_from"] = hashlib.sha256(text.encode()).hexdigest()
    return notebook


def bring(labs: Path, folder: Path) -> list[Path]:
    """Copy the labs that are not in *folder* yet; return the copies that were made."""
    folder.mkdir(exist_ok=True)
    made = []
    for lab in sorted(labs.glob("*.ipynb")):
        notebook = fresh(lab)
        names = (f"{lab.stem}-{n}.ipynb" if n > 1 else lab.name for n in count(1))
        for path in (folder / name for name in names):
            if not path.exists():
                text = json.dumps(notebook, indent=1, ensure_ascii=False)
                path.write_text(f"{text}\n", encoding="utf-8")
                made.append(path)
                break
            if _made_from(path) == notebook["metadata"]["made_from"]:
                break
    return made


def _made_from(path: Path) -> str:
    """The lab that a copy was made from; empty where nobody can tell any more."""
    try:
        return str(json.loads(path.read_text("utf-8"))["metadata"]["made_from"])
    except (ValueError, KeyError, TypeError, OSError):
        return ""
