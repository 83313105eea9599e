"""The file of an exercise's answers: ``teaching/answers/01/xorder.md`` for 01-xorder.

It is Markdown, to be read by a teacher and by :func:`read_answer_file`::

    # Answers to 01-xorder

    Why this works: The first step of …

    ```python
    order_of_letters = "ABC"
    ```

    ## The stub

    > replace the three dots

    ## Right answers

    ### in small letters

    ```python
    order_of_letters = 'abc'
    ```

    ## Wrong answers

    ### the last one first

    > the first to come

    ```diff
    -order_of_letters = "ABC"
    +order_of_letters = "CAB"
    ```

The solution and why it works stand here only if the lab does not have them. Each answer
is the text of a cell, and a quotation is what the check says of it, or some words of
that. A ``diff`` is a change to the solution: lines between that stay begin with a
space, a line ``@@`` parts two changes, and a first line ``@@ in small letters`` takes
that right answer for the solution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AnswerFile", "AnswerFileError", "changed", "read_answer_file"]

_HEADING = re.compile(r"^## (.+)$", re.M)
_FENCE = r"```(?P<kind>python|diff)\n(?P<text>.*?)\n```"
_SOLUTION = re.compile(rf"(?P<why>.*?)\n\n{_FENCE}", re.S)
_ANSWER = re.compile(
    rf"(?P<title>[^\n]+)\n\n(?:> (?P<words>[^\n]+)\n\n)?{_FENCE}", re.S
)


class AnswerFileError(ValueError):
    """A file of answers is not as it should be; the message says where."""


@dataclass(frozen=True)
class AnswerFile:
    """The answers to an exercise, each the text of a cell.

    Attributes:
        why: why the solution works, Markdown of one paragraph; ``""`` if a lab has it.
        solution: ``""`` if a lab has it.
        stub: words of the verdict on the stub.
        right: by what is different in it, without the solution.
        wrong: by what is wrong with it; the cell, and words of the verdict.
    """

    why: str
    solution: str
    stub: str
    right: dict[str, str]
    wrong: dict[str, tuple[str, str]]


def read_answer_file(path: Path, solution: str = "") -> AnswerFile:
    """Read a file of answers.

    Args:
        path: of the file.
        solution: that of the lab; the file's own if empty.

    Raises:
        AnswerFileError: a part is missing, or none of a file of answers.
        OSError: there is no such file.
    """
    head, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    if parts[::2] != ["The stub", "Right answers", "Wrong answers"]:
        raise AnswerFileError(
            f"{path} has the headings {parts[::2]}; it needs '## The stub', "
            "'## Right answers' and '## Wrong answers', in this order"
        )
    stub, right_answers, wrong_answers = map(str.strip, parts[1::2])
    why = code = ""
    if above := head.partition("\n")[2].strip():
        own = _matched(_SOLUTION, above, path)
        why, code = " ".join(own["why"].split()), own["text"]
    if not solution and not code:
        raise AnswerFileError(f"{path} has no solution; it stands above '## The stub'")
    right = {"solution": solution or code}
    right |= {title: cell for title, cell, _ in _each(right_answers, right, path)}
    wrong = {
        title: (cell, words) for title, cell, words in _each(wrong_answers, right, path)
    }
    del right["solution"]
    return AnswerFile(why, code, stub.removeprefix("> "), right, wrong)


def _each(text: str, right: Mapping[str, str], path: Path) -> Iterator[tuple[str, ...]]:
    """Title, cell and words of each answer below a heading."""
    titles = set()
    for answer in f"\n\n{text}".split("\n\n### ")[1:]:
        parts = _matched(_ANSWER, answer, path)
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


def _matched(pattern: re.Pattern[str], text: str, path: Path) -> re.Match[str]:
    if match := pattern.fullmatch(text):
        return match
    raise AnswerFileError(
        f"{path} has {text[:60]!r}; below a title stand words of the verdict, "
        "as a quotation, if it is wrong, and one cell, as ```python or ```diff"
    )


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
