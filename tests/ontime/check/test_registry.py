"""The machinery of the checks: whatever an answer does, there is a verdict."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from ontime.check import NotYet, Verdict, check, exercise, exercises
from ontime.check.registry import _checks
from tests.ontime.check.exercise_checks import assert_not_yet
from tests.ontime.check.test_late_heartbeat import fixed_by_hand, the_bug


def test_verdict() -> None:
    assert Verdict(True, "well done.")
    assert not Verdict(False, "no.")
    assert repr(Verdict(True, "well done.")) == "passed: well done."
    assert repr(Verdict(False, "no.", "try")) == "not yet: no. Hint: try"


def test_unknown_exercise_names_those_there_are() -> None:
    with pytest.raises(LookupError, match=r"no exercise '04-nothing'.*04-fix"):
        check("04-nothing", 1)


@pytest.fixture
def scratch() -> Iterator[str]:
    yield "99-scratch"
    _checks.pop("99-scratch", None)


def test_register_twice(scratch: str) -> None:
    exercise(scratch)(lambda answer: "fine")
    assert check(scratch, 1) == Verdict(True, "fine")
    with pytest.raises(ValueError, match="already"):
        exercise(scratch)(lambda answer: "fine")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NotYet("nearly.", "look"), "not yet: nearly. Hint: look"),
        (
            ZeroDivisionError("division by zero"),
            "it raised ZeroDivisionError: division",
        ),
        (SystemExit(2), "it raised SystemExit: 2."),
        (asyncio.CancelledError(), "it ended with CancelledError"),
        (ExceptionGroup("g", [KeyError("k")]), "it raised KeyError: 'k'."),
        (ExceptionGroup("g", [NotYet("inner.")]), "not yet: inner."),
        (RecursionError("maximum"), "calls itself without an end"),
        (NameError("name 'x' is not defined"), "misspelt"),
        (TypeError("f() missing 1 required positional argument: 'y'"), "parameters"),
    ],
)
def test_whatever_is_raised_becomes_a_verdict(
    scratch: str, error: BaseException, words: str
) -> None:
    def function(answer: Any) -> str:
        raise error

    exercise(scratch)(function)
    assert_not_yet(scratch, 1, words)


def test_the_reader_may_interrupt(scratch: str) -> None:
    def function(answer: Any) -> str:
        raise KeyboardInterrupt

    exercise(scratch)(function)
    with pytest.raises(KeyboardInterrupt):
        check(scratch, 1)


def test_inside_a_running_loop() -> None:
    """As in a notebook cell or in the page, where a loop runs already."""

    async def cell() -> tuple[bool, bool]:
        task = asyncio.current_task()
        passed = bool(check("04-fix", fixed_by_hand))
        refused = bool(check("04-fix", the_bug))
        await asyncio.sleep(0)
        assert asyncio.current_task() is task
        return passed, refused

    assert asyncio.run(cell()) == (True, False)


def test_an_answer_that_calls_asyncio_run_is_told_so() -> None:
    async def process(jobs: list[Any]) -> None:
        asyncio.run(fixed_by_hand(jobs))

    assert_not_yet("04-fix", process, "cannot be called from a running event loop")


@pytest.mark.parametrize("name", exercises())
@pytest.mark.parametrize("answer", [..., pytest.param(None, marks=pytest.mark.full)])
def test_untouched(name: str, answer: Any) -> None:
    assert_not_yet(name, answer, "there is no answer yet")


@pytest.mark.full
@pytest.mark.parametrize("name", exercises())
@pytest.mark.parametrize("answer", [3.5, "text", object(), {}, [1], print])
def test_nonsense_never_raises(name: str, answer: Any) -> None:
    with warnings.catch_warnings():
        verdict = check(name, "" if answer is print else answer)
    assert not verdict.passed
    assert verdict.message


@pytest.mark.parametrize("name", ["04-fix", "04-make", "04-predict"])
def test_called_instead_of_handed_over(name: str) -> None:
    async def process(*arguments: Any) -> None: ...

    assert_not_yet(name, process(), "without parentheses")
