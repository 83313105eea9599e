"""Read what a student hands in; nothing in it is believed, and no code of it is run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["MOST_BYTES", "Cell", "UnreadableError", "load", "read"]

#: Bytes that a submission may have.
MOST_BYTES = 20 * 2**20
_MOST_CELLS = 2_000


class UnreadableError(ValueError):
    """A file is no notebook that can be graded; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell."""

    id: str
    exercise: str
    tags: frozenset[str]
    source: str
    ran: int = 0  # its execution count


def load(path: Path) -> dict[str, Any]:
    """A notebook as JSON holds it.

    Its ``cells`` are dictionaries with a dictionary ``metadata`` and a text ``source``.

    Raises:
        UnreadableError: it cannot be read as a notebook.
    """
    try:
        size = path.stat().st_size if path.is_file() else -1
        if size > MOST_BYTES:
            raise UnreadableError(
                f"it has {size} bytes; a notebook may have {MOST_BYTES}: "
                "clear its outputs, save it and hand it in again"
            )
        if size <= 0:
            there = path.is_symlink() or path.exists()
            words = "it is not a file" if there else "there is no such file"
            raise UnreadableError("it is empty" if size == 0 else words)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is not UTF-8: byte {error.start}") from None
    try:
        book = json.loads(text)
    except (RecursionError, MemoryError):
        raise UnreadableError("its JSON is nested too deep, or too large") from None
    except ValueError as error:
        raise UnreadableError(f"it is not JSON: {error}") from None
    if isinstance(book, dict) and "worksheets" in book:
        raise UnreadableError(
            "it has the format 3 of old: open it in JupyterLab and save it"
        )
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise UnreadableError("it is JSON, but no notebook: it has no list of cells")
    whole: dict[str, Any] = book
    whole["cells"] = [_whole(cell) for cell in cells if isinstance(cell, dict)]
    return whole


def _whole(cell: dict[str, Any]) -> dict[str, Any]:
    source, metadata = cell.get("source"), cell.get("metadata")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    cell["source"] = source if isinstance(source, str) else ""
    cell["metadata"] = metadata if isinstance(metadata, dict) else {}
    return cell


def read(path: Path) -> list[Cell]:
    """The code cells of a notebook.

    Raises:
        UnreadableError: it cannot be read as a notebook.
    """
    cells = [c for c in load(path)["cells"] if c.get("cell_type") == "code"]
    if len(cells) > _MOST_CELLS:
        raise UnreadableError(
            f"it has {len(cells)} code cells; {_MOST_CELLS} are the most"
        )
    return [_cell(cell) for cell in cells]


def _cell(cell: dict[str, Any]) -> Cell:
    tags, name = (cell["metadata"].get(key) for key in ("tags", "exercise"))
    key, count = cell.get("id"), cell.get("execution_count")
    tags = tags if isinstance(tags, list) else []
    return Cell(
        id=key if isinstance(key, str) else "",
        exercise=name if isinstance(name, str) else "",
        tags=frozenset(tag for tag in tags if isinstance(tag, str)),
        source=cell["source"],
        ran=count if isinstance(count, int) else 0,
    )
