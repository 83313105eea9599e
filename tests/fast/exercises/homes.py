"""The home of an exercise, ``teaching/answers/07/fix.md`` for 07-fix: its answers.

None of it is shipped: a reader's copy of the checks holds no answer.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from looplab.clock import run
from ontime.check import Verdict, check
from ontime.grade import Exercise, read_labs
from ontime.grade.cells import needed
from ontime.grade.labs import default_folder
from tests.fast.exercises.answer_file import AnswerFile, read_answer_file

__all__ = [
    "ANSWERS", "after", "all_homes", "code_cells", "exercise", "misjudged",
     "run_cell", "verdict_on",
]  # fmt: skip

ANSWERS = Path(__file__).resolve().parents[3] / "teaching" / "answers"


@cache
def all_homes() -> dict[str, AnswerFile]:
    """The home of each exercise, by the name of the exercise."""
    homes = {}
    for path in sorted(ANSWERS.glob("[0-9]*/*.md")):
        name = f"{path.parent.name}-{path.stem}"
        solution = exercise(name).solution.strip("\n").split("\n")
        if solution[-1].startswith("check("):
            del solution[-1]
        homes[name] = read_answer_file(path, "\n".join(solution).rstrip())
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
