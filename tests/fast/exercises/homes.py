"""The home of an exercise, ``teaching/answers/07/fix.py`` for 07-fix: its answers.

A home is data, and none of it is shipped: a reader's copy of the checks holds no
answer. Each answer is the text of a cell, as a reader would write it::

    RIGHT = {"how it is done": "limit = 4"}
    WRONG = {"what is wrong with it": ("limit = 0", "lets nothing in")}
    STUB = "replace the three dots"

The second of a wrong answer are words of its verdict, and ``STUB`` has those for the
stub. The extra exercises have a ``SOLUTION`` too; that of a lab stands in its notebook.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from looplab.clock import run
from ontime.check import Verdict, check
from ontime.grade import Exercise, read_labs
from ontime.grade.cells import names_in
from ontime.grade.labs import default_bank, default_folder

__all__ = ["ANSWERS", "Home", "all_homes", "exercise", "verdict_on"]

ANSWERS = Path(__file__).resolve().parents[3] / "teaching" / "answers"


@dataclass(frozen=True)
class Home:
    """What the home of an exercise holds."""

    name: str
    stub: str
    right: dict[str, str]
    wrong: dict[str, tuple[str, str]]


@cache
def all_homes() -> dict[str, Home]:
    """The home of each exercise, by the name of the exercise."""
    homes = {}
    for path in sorted(ANSWERS.glob("[0-9]*/*.py")):
        held: dict[str, Any] = {}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), held)
        name = f"{path.parent.name}-{path.stem}"
        homes[name] = Home(
            name, held.get("STUB", ""), held.get("RIGHT", {}), held.get("WRONG", {})
        )
    return homes


@cache
def exercises() -> dict[str, Exercise]:
    """The exercises of labs and bank with their solutions, by name."""
    labs, bank = default_folder(), default_bank()
    assert labs is not None
    assert bank is not None
    return read_labs(labs) | read_labs(bank)


def exercise(name: str) -> Exercise:
    """The cells of an exercise as the notebook has them."""
    return exercises()[name]


def _run_cell(source: str, names: dict[str, Any]) -> None:
    """Run a cell on the virtual clock, as none of them needs another."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(source, "<cell>", "exec", flags)
    result = eval(code, names)
    if result is not None:
        run(result)


def _needed(setup: tuple[str, ...], source: str) -> tuple[str, ...]:
    """The cells above an answer that bind what it uses, and what these use in turn."""
    _, used = names_in(source)
    needed: list[str] = []
    for cell in reversed(setup):
        binds, uses = names_in(cell)
        if binds & used:
            used |= uses
            needed.insert(0, cell)
    return tuple(needed)


@cache
def _after(setup: tuple[str, ...]) -> dict[str, Any]:
    """The names that cells make, one below the other."""
    if not setup:
        return {"__name__": "__main__"}
    names = dict(_after(setup[:-1]))
    _run_cell(setup[-1], names)
    return names


def verdict_on(name: str, source: str) -> Verdict:
    """What the check says of the text of a cell, below the cells of its notebook."""
    asked = exercise(name)
    cells = _needed(asked.setup, f"{source}\n{asked.expression}")
    names = dict(_after(cells))
    _run_cell(source, names)
    return check(name, eval(asked.expression, names))
