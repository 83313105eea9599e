"""Grade a class in a terminal: ``python -m ontime.grade handed-in --csv grades.csv``.

The exit status is 0 if every file was graded, however badly its answers did; 1 if one
could not be read (the table says which); 2 if nothing was graded; 130 if it was
interrupted: the table has the students that were done by then.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from pathlib import Path

from ontime.grade.child import Limits
from ontime.grade.grading import STATUSES, Grader, StoppedError
from ontime.grade.labs import (
    Exercise,
    LabError,
    default_folder,
    find_answer,
    lab_of,
    read_labs,
)
from ontime.grade.notebook import Cell, UnreadableError, read
from ontime.grade.table import Row, Table, feedback, safe

__all__ = ["collect", "graded", "main"]

_CHECK = re.compile(r"""check\(["'](\d\d-\w+)["']""")
_MOODLE = re.compile(r"_\d+_assignsubmission.*")
_LAB_NAME = re.compile(r"[\s_-]*\d\d_(more_exercises|[a-z]+(_[a-z]+)*)[\s_(\d)-]*$")

Handed = dict[str, list[Path]]


def collect(paths: Sequence[Path]) -> Handed:
    """The files of each student, by name.

    Several folders are a student each, as a shell makes them of ``handed-in/*``.  In
    one folder alone, each folder inside is a student, and so is each notebook that lies
    in it directly.

    Raises:
        LabError: the folder of a class holds no notebook.
    """
    handed: Handed = {}
    each = sum(path.is_dir() for path in paths) > 1
    for path in paths:
        if not path.is_dir() or path.suffix == ".ipynb":
            handed.setdefault(_student(path), []).append(path)
            continue
        inside = {file: file.relative_to(path).parts for file in path.rglob("*.ipynb")}
        for file, parts in sorted(inside.items()):
            if any(part.startswith((".", "__MACOSX")) for part in parts):
                del inside[file]
        if not inside and not each:
            raise LabError(f"{path} holds no notebook: name the folder of the class")
        for file, parts in inside.items() or [(path, ())]:
            folder = path.resolve().name if each else parts[0]
            alone = not each and len(parts) == 1
            name = _student(file) if alone else _MOODLE.sub("", folder)
            handed.setdefault(name, []).append(file)
    return handed


def _student(file: Path) -> str:
    """Who handed in a file: its name without the lab's, or else its folder's."""
    name = _LAB_NAME.sub("", file.stem)
    return name or _MOODLE.sub("", file.resolve().parent.name) or file.stem


def _wanted(
    cells: list[Cell], exercises: dict[str, Exercise], lab: str
) -> list[Exercise]:
    """The exercises of the labs that a notebook names, in metadata or in its checks."""
    named = {cell.exercise for cell in cells}
    for cell in cells:
        named.update(_CHECK.findall(cell.source))
    labs = {lab} if lab else {lab_of(name) for name in named if name in exercises}
    if not labs:
        raise UnreadableError(
            "no cell has the name of an exercise; say which lab it is with --lab, "
            f"one of {', '.join(sorted(set(map(lab_of, exercises))))}"
        )
    return [each for name, each in exercises.items() if lab_of(name) in labs]


def graded(
    handed: Handed,
    exercises: dict[str, Exercise],
    grader: Grader,
    *,
    lab: str = "",
    jobs: int = 1,
    begin: Callable[[list[str]], None] = lambda _: None,
) -> Generator[Row]:
    """The rows of the gradebook, as they come.

    Of several files the better answer to an exercise counts.

    Args:
        handed: the files of each student.
        exercises: of the labs, by name.
        grader: what runs the answers.
        lab: the lab that was handed in, such as ``"04"``, or ``"04-x"`` for extra
            exercises, if the submissions have lost the names of the exercises.
        jobs: how many students are graded at a time.
        begin: is told the names of all exercises before the first row.

    Raises:
        LabError: an exercise cannot be graded on this machine.
    """
    rows: list[tuple[Row, list[tuple[Exercise, list[Cell]]]]] = []
    names: set[str] = set()
    for student, files in handed.items():
        row = Row(student, [str(file) for file in files])
        work = []
        for file in files:
            try:
                cells = read(file)
                work += [(each, cells) for each in _wanted(cells, exercises, lab)]
            except UnreadableError as error:
                row.unreadable.append(str(error))
        names.update(exercise.name for exercise, _ in work)
        rows.append((row, work))
    columns = [name for name in exercises if name in names]

    def finish(row: Row, work: list[tuple[Exercise, list[Cell]]]) -> Row:
        for exercise, cells in work:
            grade = grader.grade(exercise, find_answer(cells, exercise))
            if exercise.name not in row.grades or grade.passed:
                row.grades[exercise.name] = grade
        return row

    pool = ThreadPoolExecutor(jobs)
    try:
        list(pool.map(grader.prepare, [[exercises[name]] for name in columns]))
        begin(columns)
        for done in as_completed([pool.submit(finish, *each) for each in rows]):
            yield done.result()
    finally:
        grader.stopped.set()
        pool.shutdown(cancel_futures=True)


def _between(least: float, kind: type[float] = float) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = kind(text)
        if not least <= value < 1e6:
            raise argparse.ArgumentTypeError(f"{text} is not between {least:g} and 1e6")
        return value

    return number


def _parser() -> argparse.ArgumentParser:
    statuses = "\n".join(f"  {word:<11} {means}" for word, means in STATUSES.items())
    parser = argparse.ArgumentParser(
        prog="python -m ontime.grade",
        description="Grade the exercises of handed-in labs into a gradebook, a student "
        "a row. Outputs in a notebook are not looked at: each answer runs again, in a "
        "process of its own. An answer that passes has all its points, any other none.",
        epilog=f"statuses:\n{statuses}\n\nexit status:\n"
        "  0    every file was graded, however its answers did\n"
        "  1    a file could not be read; the table says which\n"
        "  2    nothing was graded\n"
        "  130  interrupted; the table has the students that were done",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    what = "notebooks, the folder of a class, or a folder for each student"
    add("submissions", nargs="+", type=Path, metavar="SUBMISSION", help=what)
    add("--csv", required=True, type=Path, metavar="OUT", help="the gradebook to write")
    add("--feedback", type=Path, metavar="FOLDER", help="a page for each student")
    at_a_time = "students at a time, %(default)s unless told"
    add("--jobs", type=_between(1, int), default=1, metavar="N", help=at_a_time)
    add("--labs", type=Path, metavar="FOLDER", help="the labs, if not of this project")
    what = "the lab, if its names are lost; 04-x for more exercises"
    add("--lab", default="", metavar="04", help=what)
    limits, what = Limits(), "for each answer, %(default)g unless told"
    for name, least, default in (
        ("seconds", 1, limits.seconds),
        ("memory", 128, limits.memory / 2**20),
    ):
        unit = {"seconds": "S", "memory": "MB"}[name]
        kind = _between(least)
        add(f"--{name}", type=kind, default=default, metavar=unit, help=what)
    return parser


def _run(options: argparse.Namespace, rows: list[Row]) -> None:
    if options.csv.is_dir():
        raise LabError(f"{options.csv} is a folder: name a file with --csv")
    if not options.csv.parent.is_dir():
        raise LabError(f"there is no folder {options.csv.parent} for the table")
    handed = collect(options.submissions)
    if any(options.csv.resolve() == f.resolve() for fs in handed.values() for f in fs):
        raise LabError(f"{options.csv} was handed in: name another file with --csv")
    folder = options.labs or default_folder()
    if folder is None:
        raise LabError("the labs were not found: use --labs on-time/notebooks")
    exercises = read_labs(folder)
    if options.lab and options.lab not in map(lab_of, exercises):
        raise LabError(f"{folder} has no exercises of a lab {options.lab!r}")
    grader = Grader(Limits(options.seconds, int(options.memory * 2**20)))
    tables: list[Table] = []
    lab, jobs = options.lab, options.jobs

    def begin(names: list[str]) -> None:
        tables.append(Table(options.csv, names))
        if options.feedback:
            options.feedback.mkdir(parents=True, exist_ok=True)

    results = graded(handed, exercises, grader, lab=lab, jobs=jobs, begin=begin)
    with closing(results):
        for row in results:
            (table,) = tables
            points = table.add(row)
            rows.append(row)
            _say(f"{row.student}: {points} of {table.of} points")
            if options.feedback:
                feedback(options.feedback, row, table.names)


def _say(text: str) -> None:
    print(safe(text).encode("ascii", "backslashreplace").decode(), file=sys.stderr)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(words)
    rows: list[Row] = []
    try:
        _run(options, rows)
    except LabError as error:
        _say(f"error: {error}")
        return 2
    except OSError as error:
        name = error.filename or options.csv
        _say(f"error: {name} could not be written: {error.strerror or error}")
        return 2
    except (KeyboardInterrupt, StoppedError):
        _say(f"interrupted: {options.csv} has the {len(rows)} students that were done")
        return 130
    bad = sum(len(row.unreadable) for row in rows)
    grades = [grade for row in rows for grade in row.grades.values()]
    passed = sum(grade.passed for grade in grades)
    _say(
        f"{options.csv}: {len(rows)} students, {passed} of {len(grades)} answers passed"
        + (f"; {bad} files could not be read" if bad else "")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
