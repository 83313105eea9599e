"""The file of an exercise's answers: ``teaching/answers/01/xorder.md`` for 01-xorder.

It is Markdown, for teachers; ``teaching/README.md`` tells how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AnswerFile", "AnswerFileError", "changed", "read_answer_file"]

_HEADING = re.compile(r"^## (.+)$", re.M)
_ANSWER = re.compile(
    r"(?P<title>[^\n]+)\n\n(?:> (?P<words>[^\n]+)\n\n)?"
    r"```(?P<kind>python|diff)\n(?P<text>.*?)\n```",
    re.S,
)


class AnswerFileError(ValueError):
    """A file of answers is not as it should be; the message says where."""


@dataclass(frozen=True)
class AnswerFile:
    """The answers to an exercise, each the text of a cell.

    Attributes:
        stub: words of the verdict on the stub.
        right: by what is different in it; the first is the solution.
        wrong: by what is wrong with it; the cell, and words of the verdict.
    """

    stub: str
    right: dict[str, str]
    wrong: dict[str, tuple[str, str]]


def read_answer_file(path: Path, solution: str) -> AnswerFile:
    """Read a file of answers to the exercise with this *solution*.

    Raises:
        AnswerFileError: a part is missing, or none of a file of answers.
    """
    _, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    if parts[::2] != ["The stub", "Right answers", "Wrong answers"]:
        raise AnswerFileError(
            f"{path} has the headings {parts[::2]}; it needs '## The stub', "
            "'## Right answers' and '## Wrong answers', in this order"
        )
    stub, right_answers, wrong_answers = map(str.strip, parts[1::2])
    right = {"solution": solution}
    right |= {title: cell for title, cell, _ in _each(right_answers, right, path)}
    wrong = {
        title: (cell, words) for title, cell, words in _each(wrong_answers, right, path)
    }
    return AnswerFile(stub.removeprefix("> "), right, wrong)


def _each(text: str, right: Mapping[str, str], path: Path) -> Iterator[tuple[str, ...]]:
    """Title, cell and words of each answer below a heading."""
    titles = set()
    for answer in f"\n\n{text}".split("\n\n### ")[1:]:
        parts = _ANSWER.fullmatch(answer.strip())
        if parts is None:
            raise AnswerFileError(
                f"{path} has {answer[:60]!r}; below a title stand words of the "
                "verdict, as a quotation, if the answer is wrong, and one cell, "
                "as ```python or ```diff"
            )
        cell = parts["text"]
        if parts["kind"] == "diff":
            try:
                cell = changed(cell, right)
            except ValueError as error:
                raise AnswerFileError(f"{path}, {parts['title']}: {error}") from None
        if parts["title"] in titles:
            raise AnswerFileError(f"{path} has two answers {parts['title']!r}")
        titles.add(parts["title"])
        yield parts["title"], cell, parts["words"] or ""


def changed(change: str, right: Mapping[str, str]) -> str:
    """A right answer with a change to it.

    Raises:
        ValueError: the lines to change do not stand there, or stand there twice.
    """
    base = "solution"
    if change.startswith("@@ "):
        base, _, change = change.removeprefix("@@ ").partition("\n")
    lines = right[base].split("\n")
    made: list[str] = []
    for part in change.split("\n@@\n"):
        old = [line[1:] for line in part.split("\n") if line[:1] != "+"]
        new = [line[1:] for line in part.split("\n") if line[:1] != "-"]
        size = len(old)
        places = [n for n in range(len(lines)) if lines[n : n + size] == old]
        if len(places) != 1:
            where = f"{len(places)} times in {base!r}"
            raise ValueError(f"{old} stands {where}, behind the change before it")
        made += [*lines[: places[0]], *new]
        lines = lines[places[0] + size :]
    return "\n".join(made + lines)
