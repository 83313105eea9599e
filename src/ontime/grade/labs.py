"""The exercises of the labs: what a submission is compared with."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from ontime.grade.notebook import Cell, UnreadableError, read

__all__ = ["Exercise", "LabError", "default_folder", "exercises_of", "read_labs"]

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


def default_folder() -> Path | None:
    """The folder with the labs of this copy of the project, or None."""
    for root in (Path(__file__).resolve().parents[3], Path.cwd()):
        if any((root / "notebooks").glob("*.ipynb")):
            return root / "notebooks"
    return None


def read_labs(folder: Path) -> dict[str, Exercise]:
    """The exercises of all labs in a folder, by name.

    Raises:
        LabError: it has none, or a lab cannot be read.
    """
    found: dict[str, Exercise] = {}
    for path in sorted(folder.glob("*.ipynb")):
        try:
            cells = read(path)
        except UnreadableError as error:
            raise LabError(f"the lab {path} cannot be read: {error}") from None
        found.update({exercise.name: exercise for exercise in exercises_of(cells)})
    if not found:
        raise LabError(
            f"{folder} has no lab with exercises; name the folder with --labs, "
            "for example --labs on-time/notebooks"
        )
    return found


def exercises_of(cells: list[Cell]) -> list[Exercise]:
    """The exercises of one lab, in order.

    Raises:
        LabError: the cells of an exercise are not what they should be.
    """
    setup: list[str] = []
    parts: dict[str, dict[str, Cell]] = {}
    above: dict[str, tuple[str, ...]] = {}
    for cell in cells:
        if cell.exercise:
            for part in cell.tags & set(_PARTS):
                parts.setdefault(cell.exercise, {})[part] = cell
                if part == "check":
                    above[cell.exercise] = tuple(setup)
        elif "live" in cell.tags and "raises-exception" not in cell.tags:
            setup.append(cell.source)
    for name, found in parts.items():
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
        )
        for name, found in parts.items()
    ]


def _handed_over(name: str, source: str) -> str:
    """The expression of the answer in ``check("04-fix", process)``."""
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except SyntaxError:
        tree = None
    match tree:
        case ast.Expression(
            ast.Call(ast.Name("check"), [ast.Constant(value), answer], [])
        ) if value == name:
            return ast.unparse(answer)
    raise LabError(
        f'the check of exercise {name} is not one line check("{name}", answer): '
        f"{source.strip()!r}"
    )
