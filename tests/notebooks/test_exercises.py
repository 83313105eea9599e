"""Every stub fails its check, every solution passes, and wrong answers fail.

A notebook marks the cells of an exercise with the tags ``exercise`` (the stub),
``solution`` and ``check`` and with the metadata ``{"exercise": "04-fix"}``. Plausible
wrong answers are in ``wrong_answers/<stem>.py``::

    ANSWERS = {"04-fix": {"what is wrong with it": "source of the cell"}}

Where the check is to say something of its own, the answer is a pair: the source of the
cell, and words of the verdict.

Cells tagged ``live`` that stand before the check and belong to no exercise are the
setup. A solution and a wrong answer stand in place of the stub, as the reader's own
answer does. Each runs in a process of its own, so that one cannot help another.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.contract.left import SLOW
from tests.fast.notebooks import guards

HERE = Path(__file__).parent
RUNNER = HERE / "exercise_runner.py"
PARTS = ("exercise", "solution", "check")

#: The source of a wrong answer, or a pair: the source, and words of the verdict.
Wrong = str | tuple[str, str]


@dataclass
class Exercise:
    """The cells of one exercise, and the cells that run before them."""

    stem: str
    name: str
    setup: list[str] = field(default_factory=list)
    parts: dict[str, list[str]] = field(
        default_factory=lambda: {part: [] for part in PARTS}
    )
    wrong: dict[str, Wrong] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.stem}:{self.name}"


@dataclass(frozen=True)
class Result:
    """What came of an answer."""

    answer_error: str | None
    check_error: str | None
    verdict: str | None

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.startswith("passed")


def find_exercises(stem: str, notebook: guards.Notebook) -> list[Exercise]:
    """The exercises of a notebook, in the order of their first cells."""
    found: dict[str, Exercise] = {}
    setup: list[str] = []
    for where, cell in guards.code_cells(notebook):
        parts = guards.tags(cell) & set(PARTS)
        name = cell["metadata"].get("exercise")
        assert bool(parts) == bool(name), (
            f"{stem}, {where}: the tags {PARTS} and the metadata "
            '{"exercise": "<name>"} go together'
        )
        if name:
            assert len(parts) == 1, f"{stem}, {where}: has the tags {sorted(parts)}"
            exercise = found.setdefault(name, Exercise(stem, name))
            part = parts.pop()
            exercise.parts[part].append(guards.source(cell))
            if part == "check":
                exercise.setup = list(setup)
        elif "live" in guards.tags(cell) and "raises-exception" not in guards.tags(
            cell
        ):
            setup.append(guards.source(cell))
    return list(found.values())


def wrong_answers(stem: str) -> dict[str, dict[str, Wrong]]:
    path = HERE / "wrong_answers" / f"{stem}.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(f"wrong_answers_{stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answers: dict[str, dict[str, Wrong]] = module.ANSWERS
    return answers


def attempt(exercises: list[Exercise]) -> dict[str, dict[str, Result]]:
    """Run stub, solution and wrong answers of the exercises of one notebook."""
    cells = []
    ran = 0
    for exercise in exercises:
        wrong = {
            f"wrong: {what}": [one if isinstance(one, str) else one[0]]
            for what, one in exercise.wrong.items()
        }
        parts = exercise.parts
        cells.append(
            {
                "name": exercise.name,
                "setup": exercise.setup[ran:],
                "answers": {
                    "stub": parts["exercise"],
                    "solution": parts["solution"],
                    **wrong,
                },
                "check": parts["check"],
            }
        )
        ran = len(exercise.setup)
    done = subprocess.run(
        [sys.executable, str(RUNNER)],
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        timeout=SLOW,  # for all answers of a notebook, which need about ten
        check=False,
        cwd=guards.NOTEBOOKS if guards.NOTEBOOKS.is_dir() else HERE,
    )
    assert done.returncode == 0, f"the setup failed:\n{done.stderr}"
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        name: {label: Result(**result) for label, result in results.items()}
        for name, results in found.items()
    }


@cache
def results(stem: str) -> dict[str, dict[str, Result]]:
    return attempt([exercise for exercise in EXERCISES if exercise.stem == stem])


def all_exercises() -> list[Exercise]:
    found = []
    for path in guards.notebooks():
        answers = wrong_answers(path.stem)
        for exercise in find_exercises(path.stem, guards.load(path)):
            exercise.wrong = answers.get(exercise.name, {})
            found.append(exercise)
    return found


EXERCISES = all_exercises()
WRONG = [(exercise, what) for exercise in EXERCISES for what in exercise.wrong]
each = pytest.mark.parametrize("exercise", EXERCISES, ids=str)


def assert_fails(name: str, result: Result, words: str = "") -> None:
    """A wrong answer does not pass, and the check says so, and why, without raising."""
    assert not result.passed, f"{name}: it passed"
    if result.answer_error is None:
        assert result.check_error is None, (
            f"{name}: the check raised {result.check_error}; a check says what is "
            "wrong and never raises"
        )
        assert result.verdict is not None, f"{name}: the check said nothing"
    assert words in (result.verdict or ""), f"{name}: {result.verdict}"


@each
def test_it_is_whole(exercise: Exercise) -> None:
    for part in PARTS:
        assert exercise.parts[part], f"{exercise} has no cell tagged {part}"
    assert exercise.wrong, (
        f"{exercise} has no wrong answer in wrong_answers/{exercise.stem}.py"
    )


@pytest.mark.full
@each
def test_the_stub_fails(exercise: Exercise) -> None:
    assert_fails(str(exercise), results(exercise.stem)[exercise.name]["stub"])


@each
def test_the_solution_passes(exercise: Exercise) -> None:
    result = results(exercise.stem)[exercise.name]["solution"]
    assert result.passed, f"{exercise}: {result}"


@pytest.mark.parametrize(("exercise", "what"), WRONG, ids=str)
def test_a_wrong_answer_fails(exercise: Exercise, what: str) -> None:
    result = results(exercise.stem)[exercise.name][f"wrong: {what}"]
    wrong = exercise.wrong[what]
    assert_fails(str(exercise), result, "" if isinstance(wrong, str) else wrong[1])


def test_every_wrong_answer_belongs_to_an_exercise() -> None:
    known = {(exercise.stem, exercise.name) for exercise in EXERCISES}
    for path in sorted((HERE / "wrong_answers").glob("*.py")):
        for name in wrong_answers(path.stem):
            assert (path.stem, name) in known, f"{path.name}: no exercise {name!r}"


# --------------------------------------------- the tests above can fail

CHECK = """
class Verdict:
    def __init__(self, good):
        self.good = good
    def __repr__(self):
        return 'passed: yes' if self.good else 'not yet: no'
Verdict(double(base) == 4)
"""


def cell(source: str, *tags: str, exercise: str = "") -> guards.Cell:
    metadata: dict[str, Any] = {"tags": list(tags)}
    if exercise:
        metadata["exercise"] = exercise
    return {"cell_type": "code", "metadata": metadata, "source": source}


def lab(
    stub: str = "def double(x):\n    return 0",
    solution: str = "def double(x):\n    return 2 * x",
    check: str = CHECK,
) -> Exercise:
    notebook = {
        "cells": [
            cell("import asyncio\nbase = 2\nawait asyncio.sleep(0)", "live"),
            cell("raise RuntimeError('no setup')", "measured"),
            cell(stub, "live", "exercise", exercise="x"),
            cell(check, "live", "check", exercise="x"),
            cell(solution, "live", "solution", exercise="x"),
        ]
    }
    (exercise,) = find_exercises("lab", notebook)
    return exercise


def results_of(**parts: str) -> dict[str, Result]:
    exercise = lab(**parts)
    exercise.wrong = {"half of it": "def double(x):\n    return x"}
    return attempt([exercise])["x"]


def test_a_good_exercise() -> None:
    found = results_of()
    assert_fails("x", found["stub"])
    assert_fails("x", found["wrong: half of it"])
    assert found["solution"].passed


def test_a_stub_that_passes_is_caught() -> None:
    found = results_of(stub="def double(x):\n    return 2 * x")
    with pytest.raises(AssertionError, match="it passed"):
        assert_fails("x", found["stub"])
    # and it does not help the wrong answer that runs after it
    assert_fails("x", found["wrong: half of it"])


def test_a_solution_that_fails_is_caught() -> None:
    found = results_of(solution="def double(x):\n    return x")
    assert not found["solution"].passed
    assert found["solution"].verdict == "not yet: no"


def test_a_check_that_raises_is_caught() -> None:
    with pytest.raises(AssertionError, match="never raises"):
        assert_fails("x", results_of(check="assert double(2) == 4")["stub"])


def test_a_check_that_says_nothing_is_caught() -> None:
    with pytest.raises(AssertionError, match="said nothing"):
        assert_fails("x", results_of(check="x = double(2) == 4")["stub"])


def test_a_stub_that_raises_is_no_pass() -> None:
    found = results_of(stub="raise NotImplementedError")["stub"]
    assert found.answer_error == "NotImplementedError: "
    assert_fails("x", found)


def test_a_setup_that_fails_is_caught() -> None:
    exercise = lab()
    exercise.setup.append("raise RuntimeError('broken')")
    with pytest.raises(AssertionError, match="broken"):
        attempt([exercise])


def test_other_words_are_caught() -> None:
    exercise = lab()
    exercise.wrong = {"half of it": ("def double(x):\n    return x", "twice")}
    found = attempt([exercise])["x"]["wrong: half of it"]
    assert_fails("x", found, "not yet")
    with pytest.raises(AssertionError, match="not yet: no"):
        assert_fails("x", found, "twice")


def test_an_exercise_without_wrong_answers_is_caught() -> None:
    with pytest.raises(AssertionError, match="no wrong answer"):
        test_it_is_whole(lab())


def test_a_cell_without_its_name_is_caught() -> None:
    notebook = {"cells": [cell("x", "live", "check")]}
    with pytest.raises(AssertionError, match="go together"):
        find_exercises("lab", notebook)
