"""The gradebook as CSV, harmless to open, and a page of feedback for each student."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ontime.grade.grading import Grade
from ontime.grade.labs import Answer, Exercise, points_of

__all__ = ["Row", "Table", "feedback", "safe"]

_LONGEST = 300  # characters of a cell


@dataclass(slots=True)
class Row:
    """What a student has handed in, and what became of it."""

    student: str
    files: list[str]
    answers: list[tuple[Exercise, Answer]] = field(default_factory=list)
    grades: dict[str, Grade] = field(default_factory=dict)  # by exercise
    unreadable: list[str] = field(default_factory=list)  # why, for each such file

    def points(self, name: str) -> int:
        """The points for an exercise: all of them, or none."""
        grade = self.grades.get(name)
        return points_of(name) if grade is not None and grade.passed else 0


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def safe(text: str) -> str:
    """*text* in one short line that no spreadsheet takes for a formula."""
    line = " ".join(_printable(text[: 4 * _LONGEST]).split())
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…"
    return f"'{line}" if line.startswith(("=", "+", "-", "@", "|", "%")) else line


class Table:
    """A gradebook that is written a row after the other.

    A link stays a link, and a device a device: what they lead to is written.  What is
    below ``/dev`` or ``/proc`` is added to: where the output of the command goes into a
    file, ``/dev/stdout`` leads to that file.

    Args:
        path: the file.
        names: of the exercises, a column each.

    Raises:
        OSError: it cannot be written, here and later.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.names = list(names)
        self.of = sum(map(points_of, names))
        places = (path.absolute(), path.resolve())
        of_system = any(place.parts[1] in ("dev", "proc") for place in places)
        mode = "a" if of_system else "w"
        self._file = path.open(mode, encoding="utf-8", newline="")
        self._write("student", "points", "of", *self.names, "remarks", "files")

    def _write(self, *words: object) -> None:
        csv.writer(self._file).writerow([safe(str(word)) for word in words])
        self._file.flush()

    def add(self, row: Row) -> int:
        """Write the row of a student; returns the points."""
        points = [row.points(name) for name in self.names]
        remarks = [f"unreadable: {reason}" for reason in row.unreadable]
        grades = row.grades.items()
        remarks += [f"{name} {each.status}" for name, each in grades if not each.passed]
        texts = ("; ".join(remarks), "; ".join(row.files))
        self._write(row.student, sum(points), self.of, *points, *texts)
        return sum(points)


_PAGE = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 50rem; margin: 2rem auto }}
td, th {{ text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0 }}</style>
<h1>{title}</h1>
<p>{sum} of {of} points</p>
{unreadable}<table><tr><th>Exercise<th>Points<th>Status<th>What the check says</tr>
{rows}</table>
</html>
"""


def feedback(folder: Path, row: Row, names: Sequence[str]) -> Path:
    """Write the page of feedback for a student; one of an earlier run is replaced.

    Raises:
        OSError: it cannot be written.
    """
    lines = []
    for name in names:
        grade = row.grades.get(name, Grade("missing", "it was not handed in"))
        points = f"{row.points(name)} of {points_of(name)}"
        words = [name, points, grade.status, grade.reason]
        lines.append(f"<tr>{''.join(f'<td>{_html(word)}' for word in words)}</tr>\n")
    page = _PAGE.format(
        title=_html(row.student),
        sum=sum(map(row.points, names)),
        of=sum(map(points_of, names)),
        unreadable="".join(f"<p>Unreadable: {_html(w)}</p>\n" for w in row.unreadable),
        rows="".join(lines),
    )
    name = re.sub(r"[^\w .-]", "_", row.student).strip(" .")[:100] or "_"
    path = folder / f"{name}.html"
    path.write_text(page, encoding="utf-8", errors="replace")
    return path


def _html(text: str) -> str:
    return html.escape(_printable(text))
