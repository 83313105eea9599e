"""Grade submissions in a terminal: ``python -m ontime.grade LAB.ipynb --csv OUT``.

The exit status is 0 if every file was graded, however badly its answers did; 1 if one
could not be read (the table says which); 2 if nothing was graded and no table written;
130 if it was interrupted, with no table written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ontime.grade.child import Limits
from ontime.grade.grading import STATUSES, Grader
from ontime.grade.labs import (
    Exercise,
    LabError,
    default_bank,
    default_folder,
    lab_of,
    read_labs,
)
from ontime.grade.notebook import Cell, UnreadableError, find_answer, read
from ontime.grade.table import Row, safe, write

__all__ = ["grade_files", "main"]

_WALLS = {
    "memory": "the limit of memory is kept by looking, not by the system",
    "network": "answers have the network",
    "files": "answers can write, change and remove your files",
    "processes": "answers can start processes, which may outlive the grading",
}


def grade_files(
    paths: Sequence[Path],
    exercises: dict[str, Exercise],
    grader: Grader,
    lab: str = "",
) -> Iterator[Row]:
    """The rows of the table, a submission after the other.

    A submission is graded for all exercises of the labs that its cells name.

    Args:
        paths: the submissions.
        exercises: of the labs, by name.
        grader: what runs the answers.
        lab: the lab that was handed in, such as ``"04"``, or ``"04-x"`` for extra
            exercises, if the submissions have lost the names of the exercises.

    Raises:
        LabError: an exercise cannot be graded on this machine.
    """
    for path in paths:
        try:
            cells = read(path)
            wanted = _wanted(cells, exercises, lab)
        except UnreadableError as error:
            yield Row(str(path), "", "unreadable", str(error), "")
            continue
        for exercise in wanted:
            answer = find_answer(cells, exercise.name, exercise.stub_id, exercise.stub)
            if answer.status:
                yield Row(str(path), exercise.name, answer.status, answer.reason, "")
                continue
            grade = grader.grade(exercise, answer.source)
            yield Row(
                str(path), exercise.name, grade.status, grade.reason, grade.graded
            )


def _wanted(
    cells: list[Cell], exercises: dict[str, Exercise], lab: str
) -> list[Exercise]:
    named = {lab_of(cell.exercise) for cell in cells if cell.exercise in exercises}
    labs = {lab} if lab else named
    found = [exercise for name, exercise in exercises.items() if lab_of(name) in labs]
    if not found:
        raise UnreadableError(
            "no cell has the name of an exercise; say which lab it is with --lab, "
            f"one of {', '.join(sorted(set(map(lab_of, exercises))))}"
        )
    return found


def _number(text: str, least: float) -> float:
    number = float(text)
    if not least <= number < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not between {least:g} and 1e6")
    return number


def _seconds(text: str) -> float:
    return _number(text, 1)


def _megabytes(text: str) -> float:
    return _number(text, 128)


def _parser() -> argparse.ArgumentParser:
    statuses = "\n".join(f"  {word:<11} {means}" for word, means in STATUSES.items())
    parser = argparse.ArgumentParser(
        prog="python -m ontime.grade",
        description="Grade the exercises of handed-in labs. Outputs in a notebook are "
        "not looked at: each answer runs again, in a process of its own.",
        epilog=f"statuses in the table:\n{statuses}\n\n"
        "exit status:\n"
        "  0    every file was graded, however its answers did\n"
        "  1    a file could not be read; the table says which\n"
        "  2    nothing was graded and no table written\n"
        "  130  interrupted; no table written",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("submissions", nargs="+", type=Path, metavar="SUBMISSION.ipynb")
    parser.add_argument(
        "--csv", required=True, type=Path, metavar="OUT", help="the table to write"
    )
    parser.add_argument(
        "--labs",
        type=Path,
        metavar="FOLDER",
        help="the labs or the extra exercises that were handed out; unless told, both "
        "of this copy of the project",
    )
    parser.add_argument(
        "--lab",
        default="",
        metavar="04",
        help="the lab, if its names are lost; 04-x for the extra exercises",
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=Limits().seconds,
        metavar="S",
        help="for each answer, %(default)g unless told",
    )
    parser.add_argument(
        "--memory",
        type=_megabytes,
        default=Limits().memory / 2**20,
        metavar="MB",
        help="for each answer, %(default)g unless told",
    )
    return parser


def _graded(options: argparse.Namespace) -> list[Row]:
    if options.csv.is_dir():
        raise LabError(f"{options.csv} is a folder: name a file with --csv")
    if not options.csv.parent.is_dir():
        raise LabError(f"there is no folder {options.csv.parent} for the table")
    folder = options.labs or default_folder()
    if folder is None:
        raise LabError(
            "the labs were not found: name their folder with --labs, for example "
            "--labs on-time/notebooks"
        )
    exercises = read_labs(folder)
    bank = None if options.labs else default_bank()
    if bank is not None:
        exercises |= read_labs(bank)
    if options.lab and options.lab not in map(lab_of, exercises):
        raise LabError(f"{folder} has no exercises of a lab {options.lab!r}")
    grader = Grader(Limits(options.seconds, int(options.memory * 2**20)))
    for word in grader.missing_walls:
        _say(f"warning: this system does not take it away: {_WALLS[word]}")
    rows = []
    files = grade_files(options.submissions, exercises, grader, options.lab)
    for row in files:
        _say(safe(f"{row.submission}: {row.exercise} {row.status}"))
        rows.append(row)
    return rows


def _say(text: str) -> None:
    print(text.encode("ascii", "backslashreplace").decode(), file=sys.stderr)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(words)
    try:
        rows = _graded(options)
        write(options.csv, rows)
    except LabError as error:
        _say(f"error: {error}")
        return 2
    except OSError as error:
        _say(f"error: {options.csv} could not be written: {error.strerror or error}")
        return 2
    except KeyboardInterrupt:
        _say("interrupted: no table was written")
        return 130
    bad = sum(row.status == "unreadable" for row in rows)
    passed = sum(row.status == "passed" for row in rows)
    look = sum(row.status == "look" for row in rows)
    say = f"{options.csv}: {passed} of {len(rows) - bad} answers passed"
    say += f"; {look} to look at" if look else ""
    say += f"; {bad} files could not be read" if bad else ""
    _say(say)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
