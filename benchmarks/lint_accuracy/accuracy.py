"""Findings beside judgements: precision and recall by rule."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from looplab.lint import check_source
from looplab.lint.plugin import is_test
from tools.common import ToolError

__all__ = ["Found", "Judgement", "Row", "judged", "lint", "missed", "rows", "unjudged"]

JUDGEMENTS = Path(__file__).parent / "judgements.toml"

#: The project, the file and the line.
Where: TypeAlias = tuple[str, str, int]

# What kind of place a rule is about; what else it finds is nobody's to judge.
KINDS = {
    "LAG101": "channel",
    "LAG100": "channel",
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
    """
    found, checked = [], 0
    for name, folder in projects.items():
        for path in sorted(folder.rglob("*.py")):
            file = path.relative_to(folder)
            if is_test(str(file)):
                continue
            checked += 1
            try:
                source = path.read_text(encoding="utf-8")
                findings = check_source(source, select=KINDS)
            except (SyntaxError, ValueError):
                continue
            found += [
                Found((name, file.as_posix(), finding.line), finding.code,
                      finding.section)
                for finding in findings
            ]  # fmt: skip
    return found, {"checked": checked}


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
        row("LAG101", "channel", code("LAG101")),
        row("by the letter: LAG100", "channel", code("LAG100")),
        row("LAG201 and LAG203, polls", "poll", code("LAG201", "LAG203")),
        row("LAG204", "after", code("LAG204")),
        row("LAG301", "storm", code("LAG301")),
        row("LAG302", "lock", code("LAG302")),
    ]
