"""Write a lab for learners, without its solutions: ``python -m ontime.handout 04``.

A hand-out has the text, the cells, the stubs, the hints and the checks of its lab.  It
has no solution, no "Why this works", no output and none of the cells that pass figures
to the pages of the book.  The folded answers to predictions stay: they are what is
read.  From Python::

    hand_out(labs_of("04"), Path("handout"))

No file is ever overwritten.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ontime.grade.labs import default_bank, default_folder, points_of
from ontime.grade.notebook import UnreadableError, load

__all__ = ["HandoutError", "hand_out", "labs_of", "main", "student_version"]

_WHY = re.compile(r"<details><summary>Why this works</summary>.*?</details>\s*", re.S)
_FOLDED = re.compile(r"Hints and solutions are folded|, and a folded solution")
_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)")
_RULES = """\
**Your answers.** Write each into the cell with the dots or the code to change, run it,
then run its check. An answer may use cells above it. Save the notebook before you hand
it in. What it shows is not looked at: every answer runs again.
"""


class HandoutError(ValueError):
    """A hand-out cannot be written; the message says why and what to do."""


def labs_of(
    chapter: str, *, extra: bool = False, folder: Path | None = None
) -> list[Path]:
    """The labs of a chapter that have exercises.

    Args:
        chapter: its number, such as ``"04"``.
        extra: the notebook with its extra exercises as well.
        folder: where the labs are; by default those of this copy of the project.

    Raises:
        HandoutError: there is no such lab.
    """
    folders = [folder or default_folder()]
    folders += [default_bank()] if extra else []
    if None in folders:
        raise HandoutError(
            "the labs were not found: run this where the project is, or name their "
            "folder with --labs, for example --labs on-time/notebooks"
        )
    found: list[Path] = []
    for place in folders:
        assert place is not None
        labs = sorted(place.glob("[0-9][0-9]_*.ipynb"))
        those = [path for path in labs if path.name.startswith(f"{chapter}_")]
        if not those:
            there = ", ".join(sorted({path.name[:2] for path in labs})) or "none"
            raise HandoutError(
                f"{place} has no lab of a chapter {chapter!r}; there is {there}"
            )
        found += [path for path in those if _has_exercises(_read(path))]
    return found


def hand_out(
    labs: Iterable[Path],
    folder: Path,
    *,
    nbgrader: bool = False,
    site: str = "",
) -> list[Path]:
    """Write the student versions of some labs; all of them, or none.

    Args:
        labs: notebooks with tags as the labs of the course have them.
        folder: where to; it is made if it is not there.
        nbgrader: give exercises and checks what nbgrader asks for.
        site: the address of the published book, for links into it.

    Returns:
        The files that were written.

    Raises:
        HandoutError: a lab cannot be read, a file is there already, or the folder
            cannot be written to.
    """
    names = {path: _name(path) for path in labs}
    written: list[Path] = []
    texts = {
        folder / name: json.dumps(
            student_version(
                path,
                nbgrader=nbgrader,
                site=site,
                beside=frozenset(names.values()),
            ),
            indent=1,
            ensure_ascii=False,
        )
        for path, name in names.items()
    }
    there = [path for path in texts if path.exists() or path.is_symlink()]
    if there:
        raise HandoutError(
            f"{there[0]} is there already and may hold somebody's work: move it away, "
            "or name another folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            with path.open("xb") as stream:
                written.append(path)
                stream.write(text.encode() + b"\n")
    except BaseException as error:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink()
        if isinstance(error, OSError):
            words = error.strerror or str(error)
            raise HandoutError(f"{folder} cannot be written to: {words}") from None
        raise
    return written


def _name(path: Path) -> str:
    """The name of a hand-out; a lab and its bank have the same."""
    extra = path.parent.name == "exercises"
    return f"{path.name[:2]}_more_exercises.ipynb" if extra else path.name


def student_version(
    path: Path,
    *,
    nbgrader: bool = False,
    site: str = "",
    beside: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """A lab without its solutions, as JSON holds it.

    Args:
        path: the lab.
        nbgrader, site: see :func:`hand_out`.
        beside: the notebooks that links may lead to, by name.

    Raises:
        HandoutError: it cannot be read.
    """
    book = _read(path)
    cells = []
    for cell in book["cells"]:
        tags, name = _tags(cell), cell["metadata"].get("exercise")
        if tags & {"solution", "remove-cell"}:
            continue
        kept = ("tags", "exercise")
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k in kept}
        if cell.get("cell_type") == "markdown":
            cell["source"] = _text(cell["source"], site, beside)
        else:
            cell.update({"outputs": [], "execution_count": None})
        if nbgrader and name and tags & {"exercise", "check"}:
            _for_nbgrader(cell, name)
        if cell["source"].strip():
            cells.append(cell)
    if _has_exercises(book):
        rules = {"cell_type": "markdown", "id": "your-answers", "metadata": {}}
        cells.insert(1, rules | {"source": _RULES})
    for cell in cells:
        cell["source"] = cell["source"].splitlines(keepends=True)
    return {**book, "cells": cells}


def _read(path: Path) -> dict[str, Any]:
    try:
        book = load(path)
        if book.get("nbformat") != 4:
            raise UnreadableError(f"its format is {book.get('nbformat')} and not 4")
        return book
    except UnreadableError as error:
        raise HandoutError(f"the lab {path} cannot be read: {error}") from None


def _tags(cell: dict[str, Any]) -> set[str]:
    tags = cell["metadata"].get("tags")
    return {tag for tag in tags if isinstance(tag, str)} if tags else set()


def _has_exercises(book: dict[str, Any]) -> bool:
    return any("exercise" in _tags(cell) for cell in book["cells"])


def _text(source: str, site: str, beside: frozenset[str]) -> str:
    def link(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        if target in beside:
            return found[0]
        if not site:
            return f"*{words}*"
        page, hash_, anchor = target.partition("#")
        page = re.sub(r"^(\.\./)+", "", page)
        page = page if "/" in page else f"notebooks/{page}"
        address = re.sub(r"\.(md|ipynb)$", ".html", page)
        return f"[{words}]({site.rstrip('/')}/{address}{hash_}{anchor})"

    def folded(found: re.Match[str]) -> str:
        return "Hints are folded" if found[0].startswith("H") else ""

    source = _FOLDED.sub(folded, _WHY.sub("", source))
    return _LINK.sub(link, source)


def _for_nbgrader(cell: dict[str, Any], name: str) -> None:
    check = "check" in _tags(cell)
    about = {"schema_version": 3, "task": False, "grade_id": name}
    about |= {"grade": check, "solution": not check, "locked": check}
    if check:
        about |= {"grade_id": f"{name}-check", "points": points_of(name)}
        # nbgrader gives points to a cell that does not raise, and a check never does.
        call = cell["source"].strip()
        cell["source"] = f"verdict = {call}\nassert verdict, verdict\nverdict"
    cell["metadata"]["nbgrader"] = about


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, or 2 if nothing was written."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.handout",
        description="Write the lab of a chapter for learners: without solutions and "
        "outputs. A file that is there already is never overwritten.",
    )
    add = parser.add_argument
    add("chapters", nargs="+", metavar="04", help="the number of a chapter")
    add("--extra", action="store_true", help="its extra exercises as well")
    add("--nbgrader", action="store_true", help="with nbgrader's ids, points and locks")
    add(
        "--to", type=Path, default=Path("handout"), metavar="FOLDER", help="%(default)s"
    )
    add(
        "--site", default="", metavar="URL", help="of the published book, for its links"
    )
    add("--labs", type=Path, metavar="FOLDER", help="the labs, if not of this project")
    options = parser.parse_args(words)
    try:
        labs = [
            path
            for chapter in dict.fromkeys(options.chapters)
            for path in labs_of(chapter, extra=options.extra, folder=options.labs)
        ]
        if not labs:
            raise HandoutError("these labs have no exercises: there is nothing to do")
        written = hand_out(
            labs, options.to, nbgrader=options.nbgrader, site=options.site
        )
    except HandoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
