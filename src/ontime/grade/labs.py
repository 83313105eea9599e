"""The exercises of the labs: what a submission is compared with.

The notebooks of the bank of extra exercises hold no solutions.  They are in a folder
beside it: ``answers/01/xorder.py`` has that of 01-xorder, the text of a cell, under the
name ``SOLUTION``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ontime.grade.cells import checked
from ontime.grade.notebook import Cell, UnreadableError, read

__all__ = [
    "POINTS",
    "Exercise",
    "LabError",
    "default_bank",
    "default_folder",
    "exercises_of",
    "lab_of",
    "points_of",
    "read_labs",
    "read_solutions",
]

_PARTS = ("exercise", "solution", "check")


class LabError(ValueError):
    """The labs cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise of a lab."""

    name: str
    stub_id: str
    stub: str
    solution: str
    expression: str  # what its check is handed
    setup: tuple[str, ...]  # the cells above it that run anywhere
    known: frozenset[str] = frozenset()  # all code cells of its lab


def lab_of(name: str) -> str:
    """The lab that an exercise belongs to.

    It is ``"04"`` for those of lab 4, and ``"04-x"`` for the extra ones of chapter 4.
    """
    return name[:4] if name[2:4] == "-x" else name[:2]


#: Points by the kind of an exercise, which is the end of its name.
POINTS = {"predict": 1, "parsons": 1, "judge": 1, "fix": 2, "modify": 2, "make": 3}


def points_of(name: str) -> int:
    """The points of an exercise; an extra one has 2."""
    return POINTS.get(name[3:], 2)


def default_folder() -> Path | None:
    """The folder with the labs of this copy of the project, or None."""
    return _folder("notebooks")


def default_bank() -> Path | None:
    """The folder with the extra exercises of this copy of the project, or None."""
    return _folder("teaching/exercises")


def _folder(place: str) -> Path | None:
    for root in (Path(__file__).resolve().parents[3], Path.cwd()):
        if any((root / place).glob("*.ipynb")):
            return root / place
    return None


def read_solutions(folder: Path, chapter: str) -> dict[str, str]:
    """The solutions of a chapter's extra exercises, by name.

    Those of chapter ``"01"`` are in ``01/x*.py`` below *folder*. The files are read and
    not run.

    Raises:
        LabError: a file cannot be read, or holds no text ``SOLUTION``.
    """
    return {
        f"{chapter}-{path.stem}": _solution_in(path)
        for path in sorted((folder / chapter).glob("x*.py"))
    }


def _solution_in(path: Path) -> str:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise LabError(f"the solution {path} cannot be read: {error}") from None
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name("SOLUTION")], ast.Constant(str(text))):
                return text
    raise LabError(f'{path} has no SOLUTION = """text of a cell"""')


def read_labs(folder: Path) -> dict[str, Exercise]:
    """The exercises of all labs in a folder, by name.

    Raises:
        LabError: it has none, or a lab or its solutions cannot be read.
    """
    found: dict[str, Exercise] = {}
    for path in sorted(folder.glob("*.ipynb")):
        try:
            cells = read(path)
        except UnreadableError as error:
            raise LabError(f"the lab {path} cannot be read: {error}") from None
        solutions = read_solutions(folder.parent / "answers", path.stem[:2])
        exercises = exercises_of(cells, solutions)
        found.update({exercise.name: exercise for exercise in exercises})
    if not found:
        raise LabError(
            f"{folder} has no lab with exercises; name the folder with --labs, "
            "for example --labs on-time/notebooks"
        )
    return found


def exercises_of(
    cells: list[Cell], solutions: Mapping[str, str] | None = None
) -> list[Exercise]:
    """The exercises of one lab, in order.

    Args:
        cells: of the lab.
        solutions: by name, of those that have none in the lab.

    Raises:
        LabError: the cells of an exercise are not what they should be.
    """
    setup: list[str] = []
    parts: dict[str, dict[str, Cell]] = {}
    above: dict[str, tuple[str, ...]] = {}
    known = frozenset(cell.source.strip() for cell in cells)
    for cell in cells:
        if cell.exercise:
            for part in cell.tags & set(_PARTS):
                parts.setdefault(cell.exercise, {})[part] = cell
                if part == "check":
                    above[cell.exercise] = tuple(setup)
        elif "live" in cell.tags and "raises-exception" not in cell.tags:
            setup.append(cell.source)
    for name, found in parts.items():
        if solutions and name in solutions:
            kept = Cell("", name, frozenset({"solution"}), solutions[name])
            found.setdefault("solution", kept)
        for part in _PARTS:
            if part not in found:
                raise LabError(f"exercise {name} has no cell with the tag {part!r}")
    return [
        Exercise(
            name,
            found["exercise"].id,
            found["exercise"].source,
            found["solution"].source,
            _handed_over(name, found["check"].source),
            above[name],
            known,
        )
        for name, found in parts.items()
    ]


def _handed_over(name: str, source: str) -> str:
    """The expression of the answer in ``check("04-fix", process)``."""
    answers = checked(source, name)
    if len(answers) == 1:
        return answers[0]
    raise LabError(
        f'the check of exercise {name} does not call check("{name}", answer): '
        f"{source.strip()!r}"
    )
