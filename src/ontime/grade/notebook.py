"""Read what a student hands in; nothing in it is believed, and no code of it is run."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["MOST_BYTES", "Answer", "Cell", "UnreadableError", "find_answer", "read"]

#: Bytes that a submission may have.
MOST_BYTES = 20 * 2**20
_LONGEST_ANSWER = 100_000  # characters


class UnreadableError(ValueError):
    """A file is no notebook that can be graded; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell."""

    id: str
    exercise: str
    tags: frozenset[str]
    source: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The cell with an answer, or why there is none."""

    source: str = ""
    status: str = ""
    reason: str = ""


def read(path: Path) -> list[Cell]:
    """The code cells of a notebook.

    Raises:
        UnreadableError: it cannot be read as a notebook.
    """
    try:
        kind = path.stat()
        if not stat.S_ISREG(kind.st_mode):
            raise UnreadableError("it is not a file")
        if kind.st_size > MOST_BYTES:
            raise UnreadableError(
                f"it has {kind.st_size} bytes; a notebook may have {MOST_BYTES}: "
                "clear its outputs, save it and hand it in again"
            )
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableError("there is no such file") from None
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(words) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is not UTF-8: byte {error.start}") from None
    if not text.strip():
        raise UnreadableError("it is empty")
    try:
        book = json.loads(text)
    except RecursionError:
        raise UnreadableError("its JSON is nested too deep") from None
    except ValueError as error:
        raise UnreadableError(f"it is not JSON: {error}") from None
    except MemoryError:
        raise UnreadableError("it takes too much memory") from None
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        raise UnreadableError(
            "it is JSON, but no notebook of format 4: it has no list of cells"
        )
    return [
        _cell(cell)
        for cell in book["cells"]
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]


def _cell(cell: dict[str, Any]) -> Cell:
    metadata = cell.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    tags = metadata.get("tags")
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    name, key = metadata.get("exercise"), cell.get("id")
    return Cell(
        id=key if isinstance(key, str) else "",
        exercise=name if isinstance(name, str) else "",
        tags=frozenset(
            tag
            for tag in (tags if isinstance(tags, list) else ())
            if isinstance(tag, str)
        ),
        source=source if isinstance(source, str) else "",
    )


def find_answer(cells: list[Cell], name: str, stub_id: str, stub: str) -> Answer:
    """The answer to one exercise.

    It is in the cell with the exercise's name and the tag ``exercise``.  If no cell has
    them, it is in the cell with the id of the lab's stub.

    Args:
        cells: those of the submission.
        name: of the exercise.
        stub_id: the id that its stub has in the lab.
        stub: the stub's source.
    """
    found = [c for c in cells if c.exercise == name and "exercise" in c.tags]
    if not found:
        found = [c for c in cells if c.id == stub_id and c.exercise in ("", name)]
    if not found:
        return Answer(
            status="missing",
            reason=f"no cell has the exercise's name {name} or the id {stub_id}",
        )
    changed = {c.source.strip() for c in found} - {stub.strip()}
    if not changed or changed == {""}:
        return Answer(stub, "no answer", "the cell is as it was in the lab, or empty")
    if len(changed) > 1:
        return Answer(
            status="ambiguous",
            reason=f"{len(changed)} different cells claim to be the answer",
        )
    (source,) = changed
    if len(source) > _LONGEST_ANSWER:
        return Answer(
            status="error",
            reason=f"the answer has {len(source)} characters; {_LONGEST_ANSWER} are "
            "the most",
        )
    return Answer(source)
