"""Grade the exercises of handed-in labs into a gradebook, a student a row.

Outputs in a notebook are not looked at: each answer runs again, in a process of its
own.  An answer that passes has all its points, any other none.

The exit status is 0 if every file was graded, however badly its answers did; 1 if one
could not be read (the table says which); 2 if nothing was graded; 130 if it was
interrupted: the table has the students that were done by then.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from ontime.grade.grading import STATUSES, Grader
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

__all__ = ["collect", "graded", "main", "read_all"]

_CHECK = re.compile(r"""check\(["'](\d\d-\w+)["']""")
_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX)")
_MOODLE = re.compile(r"_\d+_assignsubmission.*")
_LAB_NAME = re.compile(r"[\s_-]*\d\d_(more_exercises|[a-z]+(_[a-z]+)*)[\s_(\d)-]*$")

Handed = dict[str, list[Path]]
_T = TypeVar("_T")
_S = TypeVar("_S")


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
        inside = [
            file
            for file in sorted(path.rglob("*.ipynb"))
            if not _HIDDEN.search(file.relative_to(path).as_posix())
        ]
        if not inside and not each:
            raise LabError(f"{path} holds no notebook: name the folder of the class")
        for file in inside or [path]:
            parts = file.relative_to(path).parts
            folder = path.resolve().name if each else parts[0]
            alone = not each and len(parts) == 1
            name = _student(file) if alone else _MOODLE.sub("", folder)
            handed.setdefault(name, []).append(file)
    return handed


def _student(file: Path) -> str:
    """Who handed in a file: its name without the lab's, or else its folder's."""
    name = _LAB_NAME.sub("", file.stem)
    return name or _MOODLE.sub("", file.resolve().parent.name) or file.stem


def read_all(
    handed: Handed, exercises: dict[str, Exercise], lab: str = ""
) -> list[Row]:
    """What the students have handed in, not graded yet.

    Args:
        handed: the files of each student.
        exercises: of the labs, by name.
        lab: the lab that was handed in, such as ``"04"``, or ``"04-x"`` for extra
            exercises, if the submissions have lost the names of the exercises.
    """
    rows = []
    for student, files in handed.items():
        row = Row(student, [str(file) for file in files])
        for file in files:
            try:
                cells = read(file)
                wanted = _wanted(cells, exercises, lab)
            except UnreadableError as error:
                row.unreadable.append(str(error))
            else:
                row.answers += [(each, find_answer(cells, each)) for each in wanted]
        rows.append(row)
    return rows


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


def graded(rows: list[Row], grader: Grader, jobs: int = 1) -> Generator[Row]:
    """The same rows with grades, as they come, so many students at a time.

    Of several files of a student the better answer to an exercise counts.  Call it in
    the main thread: while it runs, an interrupt waits until it waits for a student.
    Raised anywhere, as Python would, it also hits the locks of the thread pool, and a
    lock that was hit raises an error of its own.

    Raises:
        LabError: an exercise cannot be graded on this machine.
        KeyboardInterrupt: the process was interrupted.
    """

    def finish(row: Row) -> Row:
        for exercise, answer in row.answers:
            grade = grader.grade(exercise, answer)
            if exercise.name not in row.grades or grade.passed:
                row.grades[exercise.name] = grade
        return row

    ended: SimpleQueue[Future[Any] | None] = SimpleQueue()

    def results(function: Callable[[_S], _T], items: Sequence[_S]) -> Generator[_T]:
        for item in items:
            pool.submit(function, item).add_done_callback(ended.put)
        for _ in items:
            if (future := ended.get()) is None:
                raise KeyboardInterrupt
            yield future.result()

    exercises = {each.name: each for row in rows for each, _ in row.answers}
    pool = ThreadPoolExecutor(jobs)
    usual = signal.signal(signal.SIGINT, lambda *_: ended.put(None))
    try:
        list(results(grader.prepare, list(exercises.values())))
        yield from results(finish, rows)
    finally:
        signal.signal(signal.SIGINT, usual)
        pool.shutdown(wait=False, cancel_futures=True)


def _number(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not least <= int(text) < 1e6:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and 1e6")
        return int(text)

    return number


def _parser() -> argparse.ArgumentParser:
    statuses = "\n".join(f"  {word:<11} {means}" for word, means in STATUSES.items())
    parser = argparse.ArgumentParser(
        prog="python -m ontime.grade",
        description=__doc__,
        epilog=f"what can become of an answer:\n{statuses}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    what = "notebooks, the folder of a class, or a folder for each student"
    add("submissions", nargs="+", type=Path, metavar="SUBMISSION", help=what)
    add("--csv", required=True, type=Path, metavar="OUT", help="the gradebook to write")
    add("--feedback", type=Path, metavar="FOLDER", help="a page for each student")
    add("--labs", type=Path, metavar="FOLDER", help="the labs, if not of this project")
    what = "the lab, if its names are lost; 04-x for more exercises"
    add("--lab", default="", metavar="04", help=what)
    for name, metavar, least, default, what in (
        ("--jobs", "N", 1, 1, "students at a time"),
        ("--seconds", "S", 1, 20, "of CPU time for each answer"),
        ("--memory", "MB", 128, 1024, "for each answer"),
    ):
        kind, what = _number(least), f"{what}, %(default)s unless told"
        add(name, type=kind, default=default, metavar=metavar, help=what)
    return parser


def _run(options: argparse.Namespace) -> Generator[Row]:
    handed = collect(options.submissions)
    if any(options.csv.resolve() == f.resolve() for fs in handed.values() for f in fs):
        raise LabError(f"{options.csv} was handed in: name another file with --csv")
    folder = options.labs or default_folder()
    if folder is None:
        raise LabError("the labs were not found: use --labs on-time/notebooks")
    exercises = read_labs(folder)
    if options.lab and options.lab not in map(lab_of, exercises):
        raise LabError(f"{folder} has no exercises of a lab {options.lab!r}")
    options.csv.open("a").close()  # whether it can be written is known at once
    if options.feedback:
        options.feedback.mkdir(parents=True, exist_ok=True)
    rows = read_all(handed, exercises, options.lab)
    met = {each.name for row in rows for each, _ in row.answers}
    names = [name for name in exercises if name in met]
    grader = Grader(options.seconds, options.memory << 20)
    table = None
    with closing(graded(rows, grader, options.jobs)) as results:
        for row in results:
            table = table or Table(options.csv, names)
            points = table.add(row)
            _say(f"{row.student}: {points} of {table.of} points")
            if options.feedback:
                feedback(options.feedback, row, names)
            yield row


def _say(text: str) -> None:
    print(safe(text), file=sys.stderr)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(words)
    rows: list[Row] = []
    try:
        rows.extend(_run(options))
    except LabError as error:
        _say(f"error: {error}")
        return 2
    except OSError as error:
        name = error.filename or options.csv
        _say(f"error: {name} could not be written: {error.strerror or error}")
        return 2
    except KeyboardInterrupt:
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
    status = main()
    sys.stderr.flush()
    os._exit(status)  # an answer that still runs ends with us, and is not waited for
