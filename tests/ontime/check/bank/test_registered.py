"""The bank is found as the labs are, and apart from them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from ontime.check import check, exercises, extra_exercises
from tests.ontime.check.bank.bank import bank
from tests.ontime.check.exercise_checks import assert_not_yet


def test_labs_and_bank_are_apart() -> None:
    assert all("-x" in name for name in extra_exercises())
    assert not any("-x" in name for name in exercises())
    assert "01-xorder" in extra_exercises()


def test_every_check_has_a_task_and_a_solution() -> None:
    assert sorted(bank()) == extra_exercises()


def test_an_unknown_extra_exercise_names_those_there_are() -> None:
    with pytest.raises(LookupError, match=r"no exercise '01-xnone'.*01-xorder"):
        check("01-xnone", 1)


def test_a_page_does_not_import_the_bank() -> None:
    code = "import sys; from ontime.check import check; check('01-predict', 'A'); "
    code += "print(any(n.startswith('ontime.check.bank') for n in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("name", extra_exercises())
@pytest.mark.parametrize("answer", [..., None])
def test_untouched(name: str, answer: Any) -> None:
    assert_not_yet(name, answer, "there is no answer yet")


@pytest.mark.parametrize("name", extra_exercises())
@pytest.mark.parametrize("answer", [3.5, "text", object(), {}, [1], print])
def test_nonsense_never_raises(name: str, answer: Any) -> None:
    verdict = check(name, "" if answer is print else answer)
    assert not verdict.passed
    assert verdict.message
