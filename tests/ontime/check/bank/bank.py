"""What the tests of the bank share: an answer is the text of a cell, as a learner's is.

A test module of a chapter has its wrong answers in a dict, and three tests::

    WRONG = {"01-xorder": {"what is wrong": ("order = 1", "words of the verdict")}}

    @pytest.mark.parametrize("name", WRONG)
    def test_solution(name: str) -> None:
        assert_solved(name)

    @pytest.mark.parametrize("name", WRONG)
    def test_stub(name: str) -> None:
        assert_stub_refused(name)

    @pytest.mark.parametrize(("name", "what"), each_wrong(WRONG))
    def test_wrong_answer(name: str, what: str) -> None:
        assert_refused(name, *WRONG[name][what])
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ontime.check import Verdict, check
from ontime.grade import Exercise, read_labs
from ontime.grade.labs import default_bank

__all__ = [
    "Wrong",
    "assert_refused",
    "assert_solved",
    "assert_stub_refused",
    "bank",
    "each_wrong",
]

#: By exercise and by what is wrong: the text of a cell, and words of its verdict.
Wrong = dict[str, dict[str, tuple[str, str]]]


@cache
def bank() -> dict[str, Exercise]:
    """The exercises of the bank with their solutions, by name."""
    folder = default_bank()
    assert folder is not None
    return read_labs(folder)


def verdict_on(name: str, source: str) -> Verdict:
    """What the check says of the text of a cell, below the setup of its notebook."""
    exercise = bank()[name]
    space: dict[str, Any] = {"__name__": "__main__"}
    for text in (*exercise.setup, source):
        exec(compile(text, "<cell>", "exec"), space)
    return check(name, eval(exercise.expression, space))


def assert_solved(name: str) -> None:
    """The solution passes, each time."""
    verdict = verdict_on(name, bank()[name].solution)
    assert verdict.passed, verdict
    assert verdict_on(name, bank()[name].solution) == verdict


def assert_stub_refused(name: str) -> None:
    """The stub is refused, and the verdict says more than that."""
    verdict = verdict_on(name, bank()[name].stub)
    assert not verdict.passed, verdict
    assert verdict.hint, verdict


def assert_refused(name: str, source: str, words: str) -> None:
    """The answer is refused with these words, and with a hint."""
    verdict = verdict_on(name, source)
    assert not verdict.passed, verdict
    assert words in repr(verdict)
    assert verdict.hint, verdict


def each_wrong(wrong: Wrong) -> list[tuple[str, str]]:
    """The names and labels of all wrong answers, for parametrize."""
    return [(name, what) for name, answers in wrong.items() for what in answers]
