"""The bank is found as the labs are, and apart from them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from ontime.check import check, exercises, extra_exercises
from ontime.check.registry import CHAPTERS, _checks
from tests.ontime.check.bank.bank import bank
from tests.ontime.check.exercise_checks import assert_not_yet

BANK = ["ontime", "check", "bank"]


def test_labs_and_bank_are_apart() -> None:
    assert all("-x" in name for name in extra_exercises())
    assert not any("-x" in name for name in exercises())
    assert "01-xorder" in extra_exercises()


def test_every_check_has_a_task_and_a_solution() -> None:
    assert sorted(bank()) == extra_exercises()


def test_an_unknown_extra_exercise_names_those_there_are() -> None:
    with pytest.raises(LookupError, match=r"no exercise '01-xnone'.*01-xorder"):
        check("01-xnone", 1)


def test_an_exercise_has_a_module_of_its_own_name() -> None:
    names = extra_exercises()
    assert {name: _checks[name].__module__ for name in names} == {
        name: f"ontime.check.bank.{CHAPTERS[name[:2]]}.{name[4:]}" for name in names
    }


def chapters_of_the_bank_after(code: str) -> set[str]:
    """The chapters of the bank that a fresh interpreter has imported."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    parts = [name.split(".") for name in done.stdout.split()]
    return {name[3] for name in parts if name[:3] == BANK and len(name) > 3}


@pytest.mark.parametrize(
    ("code", "chapters"),
    [
        ("from ontime.check import check; check('01-predict', 'A')", set()),
        ("import ontime.check.bank", set()),
        ("from ontime.check import check; check('05-xend', 1)", {"backpressure"}),
        ("from ontime.check import check; check('07-xlease', 1)", {"priority"}),
    ],
)
def test_only_what_is_asked_for_is_imported(code: str, chapters: set[str]) -> None:
    assert chapters_of_the_bank_after(code) == chapters


@pytest.mark.full
@pytest.mark.parametrize("name", extra_exercises())
@pytest.mark.parametrize("answer", [..., None])
def test_untouched(name: str, answer: Any) -> None:
    assert_not_yet(name, answer, "there is no answer yet")


@pytest.mark.full
@pytest.mark.parametrize("name", extra_exercises())
@pytest.mark.parametrize("answer", [3.5, "text", object(), {}, [1], print])
def test_nonsense_never_raises(name: str, answer: Any) -> None:
    verdict = check(name, "" if answer is print else answer)
    assert not verdict.passed
    assert verdict.message
