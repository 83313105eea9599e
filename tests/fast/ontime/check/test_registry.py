"""The machinery of the checks: whatever an answer does, there is a verdict."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from looplab.clock import run
from looplab.jobs import JobQueue
from ontime.check import NotYet, Verdict, check, exercise, exercises, extra_exercises
from ontime.check.registry import CHAPTERS, _checks

ALL = exercises() + extra_exercises()


def assert_not_yet(name: str, answer: Any, words: str) -> None:
    verdict = check(name, answer)
    assert not verdict.passed, verdict
    assert words in repr(verdict)


async def in_turn(jobs: list[Any]) -> None:
    async with JobQueue(workers=4, maxsize=1) as queue:
        for job in jobs:
            await queue.put(job)


async def one_by_one(jobs: list[Any]) -> None:
    for job in jobs:
        await job()


def test_verdict() -> None:
    assert Verdict(True, "well done.")
    assert not Verdict(False, "no.")
    assert repr(Verdict(True, "well done.")) == "passed: well done."
    assert repr(Verdict(False, "no.", "try")) == "not yet: no. Hint: try"


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
        (RecursionError("maximum"), "calls itself for ever"),
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


def test_a_forgotten_await_is_told_in_our_words_alone(scratch: str) -> None:
    async def forgotten() -> None: ...

    def function(answer: Any) -> str:
        forgotten()
        raise NotYet("await it.")

    exercise(scratch)(function)
    with warnings.catch_warnings(record=True) as others:
        warnings.simplefilter("always")
        assert_not_yet(scratch, 1, "await it.")
    assert not others


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
        passed = bool(check("04-fix", in_turn))
        refused = bool(check("04-fix", one_by_one))
        await asyncio.sleep(0)
        assert asyncio.current_task() is task
        return passed, refused

    assert run(cell()) == (True, False)


def test_an_answer_that_runs_or_is_called_already_is_told_so() -> None:
    async def process(jobs: list[Any]) -> None:
        asyncio.run(in_turn(jobs))

    assert_not_yet("04-fix", process, "cannot be called from a running event loop")
    assert_not_yet("04-fix", process([]), "without parentheses")


@pytest.mark.parametrize("name", ALL)
def test_untouched_and_nonsense(name: str) -> None:
    """None of it raises."""
    for answer in (..., None):
        assert_not_yet(name, answer, "there is no answer yet")
    for nonsense in (3.5, "text", object(), {}, [1], print):
        with warnings.catch_warnings():
            verdict = check(name, "" if nonsense is print else nonsense)
        assert not verdict.passed
        assert verdict.message


def test_labs_and_bank_are_apart() -> None:
    assert not any("-x" in name for name in exercises())
    assert all("-x" in name for name in extra_exercises())
    for name, known in ("04-nothing", "04-fix"), ("01-xnone", "01-xorder"):
        with pytest.raises(LookupError, match=rf"no exercise '{name}'.*{known}"):
            check(name, 1)


def test_a_check_is_in_a_module_of_its_own_name() -> None:
    for name in ALL:
        chapter, room = CHAPTERS[name[:2]], name[3:]
        place = f"bank.{chapter}.{room[1:]}" if room[0] == "x" else f"{chapter}.{room}"
        assert _checks[name].__module__ == f"ontime.check.{place}"
