"""Copies of the labs: for a class without solutions, for a reader with them folded.

``python -m ontime.handout 04`` writes the lab of chapter 4 for a class: the text, the
cells, the stubs, the hints and the checks, but no solution, no "Why this works", no
output and none of the cells that pass figures to the pages of the book.  The folded
answers to predictions stay: they are what is read.  ``make lab`` makes copies of all
labs in the same way, with their solutions, folded.  From Python::

    hand_out(labs_of("04"), Path("handout"))

No file is ever overwritten: what is new comes beside it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from ontime.grade.labs import default_folder, points_of
from ontime.grade.notebook import UnreadableError, load

__all__ = ["HandoutError", "copy_of", "hand_out", "labs_of", "main"]

EXTRA = "more_exercises"
_KEPT = ("tags", "exercise")
_WHY = re.compile(r"<details><summary>Why this works</summary>.*?</details>\s*", re.S)
_FOLDED = re.compile(r"Hints and solutions are folded|, and a folded solution")
_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)")
_RULES = """\
**Your answers.** Write each into the cell with the dots or the code to change, run it,
then run its check. An answer may use cells above it. Save the notebook before you hand
it in. What it shows is not looked at: every answer runs again.
"""


class HandoutError(ValueError):
    """A copy cannot be written; the message says why and what to do."""


def labs_of(
    chapter: str,
    *,
    extra: bool = False,
    solutions: bool = False,
    folder: Path | None = None,
) -> list[Path]:
    """The labs of a chapter that have exercises.

    Args:
        chapter: its number, such as ``"04"``, or ``"all"``.
        extra: the notebook *More exercises* as well.
        solutions: every notebook of the chapter, for a reader alone.
        folder: where the labs are; by default those of this copy of the project.

    Raises:
        HandoutError: there is no such lab.
    """
    folder = folder or default_folder()
    if folder is None:
        raise HandoutError(
            "the labs were not found: run this where the project is, or name their "
            "folder with --labs, for example --labs on-time/notebooks"
        )
    labs = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    chosen = [path for path in labs if chapter in (path.name[:2], "all")]
    if not chosen:
        there = ", ".join(sorted({path.name[:2] for path in labs})) or "none"
        raise HandoutError(
            f"{folder} has no lab of a chapter {chapter!r}; there is {there}"
        )
    if solutions:
        return chosen
    chosen = [path for path in chosen if extra or EXTRA not in path.name]
    return [path for path in chosen if _has_exercises(_read(path))]


def hand_out(
    labs: Iterable[Path],
    folder: Path,
    *,
    solutions: bool = False,
    nbgrader: bool = False,
    site: str = "",
) -> list[Path]:
    """Write copies of labs.

    A copy that is there is never written to. When its lab has changed since, the new
    one comes beside it: ``04_late_heartbeat-2.ipynb``.

    Args:
        labs: notebooks with tags as the labs of the course have them.
        folder: where to; it is made if it is not there.
        solutions, nbgrader, site: see :func:`copy_of`.

    Returns:
        The files that were written.

    Raises:
        HandoutError: a lab cannot be read, or the folder cannot be written to.
    """
    labs = list(labs)
    beside = frozenset(path.name for path in labs)
    kind: dict[str, Any] = {"solutions": solutions, "nbgrader": nbgrader}
    copies = [(path, copy_of(path, site=site, beside=beside, **kind)) for path in labs]
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, book in copies:
            target = _free(folder, path, book["metadata"]["made_from"])
            if target is None:
                continue
            text = json.dumps(book, indent=1, ensure_ascii=False)
            part = target.with_suffix(".part")
            part.write_text(f"{text}\n", encoding="utf-8")
            part.rename(target)
            written.append(target)
    except OSError as error:
        words = error.strerror or str(error)
        raise HandoutError(f"{folder} cannot be written to: {words}") from None
    return written


def _free(folder: Path, lab: Path, made_from: str) -> Path | None:
    """Where a copy can be written; nowhere, if such a copy is there."""
    for number in count(1):
        name = f"{lab.stem}-{number}.ipynb" if number > 1 else lab.name
        path = folder / name
        if not path.exists() and not path.is_symlink():
            return path
        try:
            if load(path)["metadata"]["made_from"] == made_from:
                return None
        except (UnreadableError, KeyError, TypeError):
            pass  # nobody can tell any more: it may be somebody's work
    return None


def copy_of(
    path: Path,
    *,
    solutions: bool = False,
    nbgrader: bool = False,
    site: str = "",
    beside: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """A lab as somebody begins it, as JSON holds it.

    Args:
        path: the lab.
        solutions: keep them, folded, for a reader alone.
        nbgrader: give exercises and checks what nbgrader asks for.
        site: the address of the published book, for links into it.
        beside: the notebooks that links may lead to, by name.

    Raises:
        HandoutError: it cannot be read.
    """
    book = _read(path)
    cells = []
    for cell in book["cells"]:
        tags, name = _tags(cell), cell["metadata"].get("exercise")
        if "remove-cell" in tags or ("solution" in tags and not solutions):
            continue
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k in _KEPT}
        if cell.get("cell_type") == "markdown":
            if not solutions:
                cell["source"] = _text(cell["source"], site, beside)
        else:
            cell.update({"outputs": [], "execution_count": None})
            if {"solution", "hide-cell", "hide-input"} & tags:
                cell["metadata"]["jupyter"] = {"source_hidden": True}
        if nbgrader and name and tags & {"exercise", "check"}:
            _for_nbgrader(cell, name)
        if cell["source"].strip():
            cells.append(cell)
    if not solutions and _has_exercises(book):
        rules = {"cell_type": "markdown", "id": "your-answers", "metadata": {}}
        cells.insert(1, rules | {"source": _RULES})
    for cell in cells:
        cell["source"] = cell["source"].splitlines(keepends=True)
    # By this a copy is known, whatever somebody has made of it.
    text = json.dumps([[cell["cell_type"], cell["source"]] for cell in cells])
    made_from = hashlib.sha256(text.encode()).hexdigest()
    about = book.get("metadata")
    about = about if isinstance(about, dict) else {}
    return {**book, "cells": cells, "metadata": {**about, "made_from": made_from}}


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
    def link(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if target in beside:
            return match[0]
        if not site:
            return f"*{words}*"
        page, hash_, anchor = target.partition("#")
        page = re.sub(r"^(\.\./)+", "", page)
        page = page if "/" in page else f"notebooks/{page}"
        address = re.sub(r"\.(md|ipynb)$", ".html", page)
        return f"[{words}]({site.rstrip('/')}/{address}{hash_}{anchor})"

    def folded(match: re.Match[str]) -> str:
        return "Hints are folded" if match[0].startswith("H") else ""

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
        "outputs. No file is overwritten: what is new comes beside it.",
    )
    add = parser.add_argument
    add("chapters", nargs="+", metavar="04", help="the number of a chapter, or all")
    add("--extra", action="store_true", help="more exercises as well")
    add("--solutions", action="store_true", help="all notebooks, solutions folded")
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
            for path in labs_of(
                chapter,
                extra=options.extra,
                solutions=options.solutions,
                folder=options.labs,
            )
        ]
        written = hand_out(
            labs,
            options.to,
            solutions=options.solutions,
            nbgrader=options.nbgrader,
            site=options.site,
        )
    except HandoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    if len(written) < len(labs):
        print(f"{len(labs) - len(written)} of {len(labs)} are in {options.to} already")
    return 0


if __name__ == "__main__":
    sys.exit(main())
