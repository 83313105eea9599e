"""Read what a student hands in; nothing in it is believed, and no code of it is run."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontime.grade.cells import checked, defines, names_in

__all__ = [
    "MOST_BYTES",
    "Answer",
    "Cell",
    "UnreadableError",
    "find_answer",
    "load",
    "read",
]

#: Bytes that a submission may have.
MOST_BYTES = 20 * 2**20
_LONGEST_ANSWER = 100_000  # characters
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


@dataclass(frozen=True, slots=True)
class Answer:
    """The cells of an answer, or why there is none."""

    source: str = ""
    before: tuple[str, ...] = ()  # the student's other cells above it
    after: tuple[str, ...] = ()  # and those between it and its check
    expression: str = ""  # what the notebook hands to the check, if it is known
    status: str = ""
    reason: str = ""
    note: str = ""  # where it was found, if not in its own cell


def load(path: Path) -> dict[str, Any]:
    """A notebook of format 3 or 4 as JSON holds it.

    Its ``cells`` are dictionaries with a dictionary ``metadata`` and a text ``source``.

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
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict):
        cells = _old_cells(book.get("worksheets"))
    if not isinstance(cells, list):
        raise UnreadableError("it is JSON, but no notebook: it has no list of cells")
    whole: dict[str, Any] = book
    whole["cells"] = [_whole(cell) for cell in cells if isinstance(cell, dict)]
    return whole


def _old_cells(sheets: Any) -> list[Any] | None:
    """The cells of a notebook of format 3."""
    if not isinstance(sheets, list):
        return None
    cells: list[Any] = []
    for sheet in sheets:
        inside = sheet.get("cells") if isinstance(sheet, dict) else None
        cells += inside if isinstance(inside, list) else []
    return cells


def _whole(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell.get("source", cell.pop("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = cell.get("metadata")
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
    return Cell(
        id=key if isinstance(key, str) else "",
        exercise=name if isinstance(name, str) else "",
        tags=frozenset(
            tag
            for tag in (tags if isinstance(tags, list) else ())
            if isinstance(tag, str)
        ),
        source=cell["source"],
        ran=count if isinstance(count, int) else 0,
    )


def find_answer(
    cells: list[Cell],
    name: str,
    stub_id: str,
    stub: str,
    *,
    expression: str = "",
    known: frozenset[str] = frozenset(),
) -> Answer:
    """The answer to one exercise, as the notebook ran.

    It is in the cell with the exercise's name and the tag ``exercise``, or else with
    the id of the lab's stub.  If that is untouched or not there, it is in the last of
    the student's own cells that defines what the check is handed.

    Args:
        cells: those of the submission.
        name: of the exercise.
        stub_id: the id that its stub has in the lab.
        stub: the stub's source.
        expression: what the lab hands to the check.
        known: the code cells of the lab, without space around them.
    """
    untouched = known | {"", stub.strip()}
    mine = [
        place
        for place, cell in enumerate(cells)
        if cell.source.strip() not in untouched
        and len(cell.source) <= _LONGEST_ANSWER
        and not cell.tags & {"check", "solution"}
    ]
    places = [
        place
        for place, cell in enumerate(cells)
        if cell.exercise == name and "exercise" in cell.tags
    ] or [
        place
        for place, cell in enumerate(cells)
        if stub_id and cell.id == stub_id and cell.exercise in ("", name)
    ]
    handed = [
        (place, words)
        for place, cell in enumerate(cells)
        if "solution" not in cell.tags
        if len(cell.source) <= _LONGEST_ANSWER
        for words in checked(cell.source, name)
    ]
    check, words = handed[-1] if handed else (len(cells), expression)
    changed = [p for p in places if cells[p].source.strip() not in ("", stub.strip())]
    note = ""
    if changed:
        found = max(changed, key=lambda place: (cells[place].ran, place))
        if len({cells[place].source.strip() for place in changed}) > 1:
            note = f"of {len(changed)} cells for it, the one that ran last is code "
            note += f"cell {found + 1}: "
    else:
        uses = names_in(words)[1]
        wanted = uses & defines(stub) or uses
        elsewhere = [p for p in mine if wanted & defines(cells[p].source)]
        if not elsewhere and words != expression:
            return Answer("", tuple(cells[p].source for p in mine), (), words)
        if not elsewhere and places:
            reason = "the cell is as it was in the lab, or empty"
            return Answer(stub, status="no answer", reason=reason)
        if not elsewhere:
            reason = f"no cell has the exercise's name {name} or the id {stub_id}, and "
            reason += f"no other defines {words or 'it'}"
            return Answer(status="missing", reason=reason)
        found = elsewhere[-1]
        note = f"it is in code cell {found + 1}, not in the cell of the exercise: "
    source = cells[found].source
    others = [place for place in mine if place not in places]
    answer = Answer(
        source,
        tuple(cells[place].source for place in others if place < found),
        tuple(cells[place].source for place in others if found < place < check),
        words,
        note=note,
    )
    size = sum(map(len, (source, *answer.before, *answer.after)))
    if size > _LONGEST_ANSWER:
        reason = f"with the cells around it the answer has {size} characters; "
        reason += f"{_LONGEST_ANSWER} are the most"
        return Answer(status="error", reason=reason)
    return answer
