"""The home of an exercise, ``teaching/answers/07/fix.py`` for 07-fix: its answers.

A home is data, and none of it is shipped: a reader's copy of the checks holds no
answer. Each answer is the text of a cell, as a reader would write it, below its name::

    RIGHT = '''
    ## how it is done
    limit = 4
    '''
    WRONG = '''
    ## what is wrong with it => lets nothing in
    limit = 0
    '''
    STUB = "replace the three dots"

Behind the arrow are words of the verdict, and ``STUB`` has those for the stub. The
extra exercises have a ``SOLUTION`` too; that of a lab stands in its notebook. An answer
that differs from the solution in a line or two is written as that change::

    ## one too many => was let in
    -    if self.inside >= self.places:
    +    if self.inside > self.places:

Lines between that stay begin with a space, a line ``@`` parts two changes, and a first
line ``@@ how it is done`` takes that right answer for the solution.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from looplab.clock import run
from ontime.check import Verdict, check
from ontime.grade import Exercise, read_labs
from ontime.grade.cells import needed
from ontime.grade.labs import default_folder

__all__ = [
    "ANSWERS", "Home", "after", "all_homes", "changed", "code_cells", "exercise",
    "misjudged", "run_cell", "verdict_on",
]  # fmt: skip

ANSWERS = Path(__file__).resolve().parents[3] / "teaching" / "answers"


@dataclass(frozen=True)
class Home:
    """What the home of an exercise holds; the solution is the first right answer."""

    name: str
    stub: str
    right: dict[str, str]
    wrong: dict[str, tuple[str, str]]


def _answers(text: str, right: Mapping[str, str]) -> dict[str, str]:
    """The answers of a text by name, in full."""
    answers: dict[str, str] = {}
    for answer in f"\n{text.strip()}".split("\n## ")[1:]:
        name, _, body = answer.partition("\n")
        assert name not in answers, f"two answers are called {name!r}"
        is_change = body[:1] in {"-", "+", " "} or body.startswith("@@ ")
        answers[name] = changed(body, right) if is_change else body
    return answers


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
    for part in change.split("\n@\n"):
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


@cache
def all_homes() -> dict[str, Home]:
    """The home of each exercise, by the name of the exercise."""
    homes = {}
    for path in sorted(ANSWERS.glob("[0-9]*/*.py")):
        held: dict[str, Any] = {}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), held)
        name = f"{path.parent.name}-{path.stem}"
        solution = exercise(name).solution.strip("\n").split("\n")
        if solution[-1].startswith("check("):
            del solution[-1]
        right = {"solution": "\n".join(solution).rstrip()}
        right |= _answers(held.get("RIGHT", ""), right)
        wrong = {}
        for title, source in _answers(held.get("WRONG", ""), right).items():
            what, _, words = title.partition(" => ")
            wrong[what] = (source, words)
        homes[name] = Home(name, held.get("STUB", ""), right, wrong)
    return homes


def _labs() -> Path:
    labs = default_folder()
    assert labs is not None
    return labs


@cache
def exercises() -> dict[str, Exercise]:
    """The exercises of labs and bank with their solutions, by name."""
    return read_labs(_labs())


def exercise(name: str) -> Exercise:
    """The cells of an exercise as the notebook has them."""
    assert name in exercises(), f"{name} has answers, and no cells in notebooks/"
    return exercises()[name]


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run a cell on the virtual clock, as none of them needs another."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(source, "<cell>", "exec", flags)
    result = eval(code, names)
    if result is not None:
        run(result)


@cache
def after(setup: tuple[str, ...]) -> dict[str, Any]:
    """The names that cells make, one below the other."""
    if not setup:
        return {"__name__": "__main__"}
    names = dict(after(setup[:-1]))
    run_cell(setup[-1], names)
    return names


def verdict_on(name: str, source: str) -> Verdict:
    """What the check says of the text of a cell, below the cells of its notebook."""
    asked = exercise(name)
    cells = needed(asked.setup, (source, asked.expression))
    names = dict(after(tuple(cells)))
    run_cell(source, names)
    return check(name, eval(asked.expression, names))


@cache
def code_cells(notebook: str) -> list[dict[str, Any]]:
    """The code cells of a notebook, with their outputs, as they are committed."""
    text = (_labs() / f"{notebook}.ipynb").read_text("utf-8")
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


@cache
def _committed() -> dict[tuple[str, str], str]:
    """The verdicts that the notebooks show, on stubs and solutions."""
    verdicts = {}
    for path in _labs().glob("*.ipynb"):
        for cell in code_cells(path.stem):
            tags = cell["metadata"].get("tags", [])
            answer = "stub" if "check" in tags else "solution"
            if answer in {"stub", *tags} and cell["outputs"]:
                text = cell["outputs"][-1].get("data", {}).get("text/plain", "")
                verdicts[cell["metadata"]["exercise"], answer] = "".join(text)
    return verdicts


def misjudged(name: str, answer: str, *, right: bool) -> str:
    """What is wrong with the verdict on an answer to an exercise; nothing if empty.

    A right answer passes.  A wrong one, or the stub, is refused in a sentence and a
    hint, which hold the words of its home.  A notebook that shows the verdict shows
    this one.
    """
    home = all_homes()[name]
    if right:
        verdict = verdict_on(name, home.right[answer])
        is_so = verdict.passed
    else:
        stub = (exercise(name).stub, home.stub)
        source, words = stub if answer == "stub" else home.wrong[answer]
        verdict = verdict_on(name, source)
        is_sentence = verdict.message.endswith(".") and not verdict.hint.endswith(".")
        is_so = not verdict.passed and is_sentence and words in repr(verdict)
    if not is_so:
        return f"{name}, {answer}: {verdict}"
    shown = _committed().get((name, answer), repr(verdict))
    return "" if shown == repr(verdict) else f"{name}: the notebook shows {shown}"
