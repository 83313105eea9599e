"""The exercises of the labs, and the answers to them in a submission.

The notebooks with more exercises hold no solutions.  They are in a folder beside the
labs: ``teaching/answers/01/xorder.md`` begins with why that of 01-xorder works, a
paragraph, and has its text as the first cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ontime.grade.cells import checked, defines, names_in
from ontime.grade.notebook import Cell, UnreadableError, read

__all__ = [
    "POINTS", "Answer", "Exercise", "LabError", "default_folder", "exercises_of",
    "find_answer", "lab_of", "points_of", "read_labs", "read_solutions",
]  # fmt: skip

_LONGEST_ANSWER = 100_000  # characters
_SOLUTION = re.compile(r"# [^\n]+\n\n([^#`].*?)\n\n```python\n(.*?)\n```", re.S)
_PARTS = ("exercise", "solution", "check")
#: Points by the kind of an exercise, which is the end of its name.
POINTS = {"predict": 1, "parsons": 1, "judge": 1, "fix": 2, "modify": 2, "make": 3}


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


def lab_of(name: str) -> str:
    """The lab of an exercise: ``"04"``, or ``"04-x"`` for more exercises."""
    return name[:4] if name[2:4] == "-x" else name[:2]


def points_of(name: str) -> int:
    """The points of an exercise; an extra one has 2."""
    return POINTS.get(name[3:], 2)


def default_folder() -> Path | None:
    """The folder with the labs of this copy of the project, or None."""
    for root in (Path(__file__).resolve().parents[3], Path.cwd()):
        if any((root / "notebooks").glob("*.ipynb")):
            return root / "notebooks"
    return None


def read_solutions(folder: Path, chapter: str) -> dict[str, tuple[str, str]]:
    """The solutions of a chapter's extra exercises, each with why it works, by name.

    Those of chapter ``"01"`` are in ``01/x*.md`` below *folder*.

    Raises:
        LabError: a file cannot be read, or has no solution.
    """
    solutions = {}
    for path in sorted((folder / chapter).glob("x*.md")):
        try:
            found = _SOLUTION.match(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise LabError(f"{path} cannot be read: {error}") from None
        if found is None:
            raise LabError(
                f"{path} has no solution: below its title and why it works stands the "
                "code, from a line ```python to a line ```"
            )
        why, code = found.groups()
        solutions[f"{chapter}-{path.stem}"] = code, " ".join(why.split())
    return solutions


def read_labs(folder: Path) -> dict[str, Exercise]:
    """The exercises of all labs in a folder, by name.

    Raises:
        LabError: it has none, or a lab or its solutions cannot be read.
    """
    exercises: dict[str, Exercise] = {}
    answers = folder.parent / "teaching" / "answers"
    labs = sorted(folder.glob("*.ipynb"))
    codes: dict[str, str] = {}
    for chapter in dict.fromkeys(lab.stem[:2] for lab in labs):
        solutions = read_solutions(answers, chapter)
        codes |= {name: code for name, (code, _) in solutions.items()}
    for path in labs:
        try:
            cells = read(path)
        except UnreadableError as error:
            raise LabError(f"the lab {path} cannot be read: {error}") from None
        exercises |= {each.name: each for each in exercises_of(cells, codes)}
    if not exercises:
        raise LabError(
            f"{folder} has no lab with exercises; name the folder with --labs, "
            "for example --labs on-time/notebooks"
        )
    return exercises


def exercises_of(cells: list[Cell], solutions: Mapping[str, str]) -> list[Exercise]:
    """The exercises of one lab, in order.

    Args:
        cells: of the lab.
        solutions: by name, of those that have none in the lab.

    Raises:
        LabError: the cells of an exercise are not what they should be.
    """
    parts: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        if cell.exercise:
            parts.setdefault(cell.exercise, {}).update(dict.fromkeys(cell.tags, cell))
    known = frozenset(cell.source.strip() for cell in cells)
    exercises = []
    for name, tagged in parts.items():
        source = {part: tagged[part].source for part in _PARTS if part in tagged}
        source = {"solution": solutions.get(name, "")} | source
        for part in _PARTS:
            if not source.get(part):
                raise LabError(f"exercise {name} has no cell with the tag {part!r}")
        answers = checked(source["check"], name)
        if len(answers) != 1:
            raise LabError(
                f'the check of exercise {name} does not call check("{name}", answer): '
                f"{source['check'].strip()!r}"
            )
        setup = tuple(
            cell.source
            for cell in cells[: cells.index(tagged["check"])]
            if "live" in cell.tags
            and "raises-exception" not in cell.tags
            and not cell.exercise
        )
        stub, solution = source["exercise"], source["solution"]
        key = tagged["exercise"].id
        exercises.append(Exercise(name, key, stub, solution, answers[0], setup, known))
    return exercises


def find_answer(cells: list[Cell], exercise: Exercise) -> Answer:
    """The answer to one exercise in the cells of a submission, as the notebook ran.

    It is in the cell with the exercise's name and the tag ``exercise``, or else with
    the id of the lab's stub.  If that is untouched or not there, it is in the last of
    the student's own cells that defines what the check is handed.
    """
    name, stub = exercise.name, exercise.stub.strip()
    untouched = exercise.known | {"", stub}
    sources = [cell.source.strip() for cell in cells]
    short = [p for p, cell in enumerate(cells) if len(cell.source) <= _LONGEST_ANSWER]
    mine = [
        place
        for place in short
        if sources[place] not in untouched
        and not cells[place].tags & {"check", "solution"}
    ]
    named = [(p, c) for p, c in enumerate(cells) if c.exercise in ("", name)]
    places = [p for p, c in named if c.exercise and "exercise" in c.tags]
    places = places or [p for p, c in named if c.id and c.id == exercise.stub_id]
    handed = [
        (place, words)
        for place in short
        if "solution" not in cells[place].tags
        for words in checked(cells[place].source, name)
    ]
    check, words = handed[-1] if handed else (len(cells), exercise.expression)
    changed = [place for place in places if sources[place] not in ("", stub)]
    note = ""
    if changed:
        place = max(changed, key=lambda place: (cells[place].ran, place))
        if len({sources[place] for place in changed}) > 1:
            note = f"of {len(changed)} cells, code cell {place + 1} ran last: "
    else:
        uses = names_in(words)[1]
        wanted = uses & defines(stub) or uses
        elsewhere = [p for p in mine if wanted & defines(cells[p].source)]
        if not elsewhere and words != exercise.expression:
            return Answer("", tuple(cells[p].source for p in mine), (), words)
        if not elsewhere and places:
            return Answer(status="no answer", reason="the cell is as it was, or empty")
        if not elsewhere:
            reason = f"no cell has the exercise's name {name}, and none defines {words}"
            return Answer(status="missing", reason=reason)
        place = elsewhere[-1]
        note = f"it is in code cell {place + 1}, not in the cell of the exercise: "
    others = [other for other in mine if other not in places]
    before = tuple(cells[other].source for other in others if other < place)
    after = tuple(cells[other].source for other in others if place < other < check)
    answer = Answer(cells[place].source, before, after, words, note=note)
    size = sum(map(len, (answer.source, *before, *after)))
    if size > _LONGEST_ANSWER:
        reason = f"with its cells it has {size} characters; {_LONGEST_ANSWER} at most"
        return Answer(status="error", reason=reason)
    return answer
