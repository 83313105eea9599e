"""Findings beside judgements: precision and recall by rule."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tools.common import ROOT, ToolError

__all__ = ["Found", "Judgement", "Row", "judged", "lint", "missed", "rows", "unjudged"]

JUDGEMENTS = Path(__file__).parent / "judgements.toml"

#: The project, the file and the line.
Where: TypeAlias = tuple[str, str, int]

# What kind of place a rule is about; what else it finds is nobody's to judge.
KINDS = {
    "LAG101": "channel",
    "LAG102": "channel",
    "LAG201": "poll",
    "LAG203": "poll",
    "LAG204": "after",
    "LAG301": "storm",
    "LAG302": "lock",
    "LAG303": "event",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One finding."""

    where: Where
    code: str
    severity: str
    section: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reader of the code says of a place."""

    kind: str
    right: bool
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    Args:
        name: what is counted.
        found: how many findings there are.
        right: how many of them are right.
        there: how many places there are that should be found; None where there is
            nothing to miss.
    """

    name: str
    found: int
    right: int
    there: int | None

    @property
    def precision(self) -> float | None:
        """The share of the findings that is right."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of the places that is found."""
        return self.right / self.there if self.there else None


def judged(path: Path = JUDGEMENTS) -> dict[Where, Judgement]:
    """The judgements of the data file.

    Raises:
        ToolError: a place is judged twice.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    out: dict[Where, Judgement] = {}
    for one in data["place"]:
        where = (one["project"], one["file"], one["line"])
        if where in out:
            raise ToolError(f"{path.name} judges {where} twice")
        out[where] = Judgement(one["kind"], one["right"], one["why"])
    return out


def lint(projects: Mapping[str, Path]) -> tuple[list[Found], dict[str, int]]:
    """Lint the projects as a user would, with the notes.

    Returns:
        The findings, and the counts of files.

    Raises:
        ToolError: the linter failed.
    """
    top = Path(os.path.commonpath(list(projects.values())))
    words = [sys.executable, "-m", "looplab.lint", "--isolated", "--format=json"]
    words += ["--extend-select=LAG102", "."]
    environ = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        words, cwd=top, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1, 2) or not done.stdout:
        raise ToolError(f"the linter failed: {done.stderr[-300:]}")
    data = json.loads(done.stdout)
    found = []
    for one in data["findings"]:
        name, _, file = one["path"].partition("/")
        where = (name, file, one["line"])
        found.append(Found(where, one["code"], one["severity"], one["section"]))
    return found, data["summary"]


def unjudged(found: Sequence[Found], truth: Mapping[Where, Judgement]) -> list[Found]:
    """The findings that no reader has judged."""
    return [
        one
        for one in found
        if one.where not in truth or truth[one.where].kind != KINDS[one.code]
    ]


def missed(
    found: Sequence[Found], truth: Mapping[Where, Judgement]
) -> list[tuple[Where, Judgement]]:
    """The places that are right and that no finding of their kind names."""
    named = {(one.where, KINDS[one.code]) for one in found}
    return sorted(
        (
            (where, one)
            for where, one in truth.items()
            if one.right and (where, one.kind) not in named
        ),
        key=lambda pair: pair[0],
    )


def rows(found: Sequence[Found], truth: Mapping[Where, Judgement]) -> list[Row]:
    """The table."""

    def row(
        name: str, kind: str, chosen: Callable[[Found], bool], *, good: bool = True
    ) -> Row:
        mine = {one.where for one in found if chosen(one)}
        there = {x for x, one in truth.items() if one.kind == kind and one.right}
        right = {x for x in mine if truth[x].right == good}
        return Row(name, len(mine), len(right), len(there) if good else None)

    def code(*codes: str) -> Callable[[Found], bool]:
        return lambda one: one.code in codes

    return [
        row(
            "LAG101, errors",
            "channel",
            lambda one: one.code == "LAG101" and one.severity == "error",
        ),
        row("LAG101, errors and warnings", "channel", code("LAG101")),
        row("by the letter: LAG101 and LAG102", "channel", code("LAG101", "LAG102")),
        row("LAG102: rightly a note", "channel", code("LAG102"), good=False),
        row("LAG201 and LAG203, polls", "poll", code("LAG201", "LAG203")),
        row("LAG204", "after", code("LAG204")),
        row("LAG301", "storm", code("LAG301")),
        row("LAG302", "lock", code("LAG302")),
    ]
