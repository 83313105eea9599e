"""What the tests of the bank share: an answer is the text of a cell, as a learner's is.

A test module of a chapter says which answers are wrong, and why, and which others than
the solutions are right::

    class TestAnswers(Answers):
        wrong = {"01-xorder": {"what is wrong": ("order = 1", "words of the verdict")}}
        right = {"how it is done": ("01-xorder", "order = 2")}
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from ontime.check import Verdict, check
from ontime.grade import Exercise, read_labs
from ontime.grade.labs import default_bank

__all__ = ["Answers", "Right", "Wrong", "bank", "verdict_on"]

#: By exercise and by what is wrong: the text of a cell, and words of its verdict.
Wrong = dict[str, dict[str, tuple[str, str]]]
#: By how it is done: the name of an exercise, and the text of a cell.
Right = dict[str, tuple[str, str]]


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


@pytest.mark.usefixtures("quiet_check")
class Answers:
    """The tests of a chapter's exercises, each of which is a key of *wrong*."""

    wrong: Wrong
    right: Right = {}  # noqa: RUF012 - nobody changes it

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "wrong_answer" in metafunc.fixturenames:
            answers = [(name, what) for name in self.wrong for what in self.wrong[name]]
            metafunc.parametrize(("name", "wrong_answer"), answers)
        elif "right_answer" in metafunc.fixturenames:
            solved = [(name, None) for name in self.wrong]
            others = [(name, how) for how, (name, _) in self.right.items()]
            metafunc.parametrize(("name", "right_answer"), solved + others)
        else:
            metafunc.parametrize("name", self.wrong)

    def test_right(self, name: str, right_answer: str | None) -> None:
        """It passes, each time."""
        source = bank()[name].solution
        if right_answer is not None:
            source = self.right[right_answer][1]
        verdict = verdict_on(name, source)
        assert verdict.passed, verdict
        assert verdict_on(name, source) == verdict

    def test_stub(self, name: str) -> None:
        """The stub is refused, and the verdict says more than that."""
        verdict = verdict_on(name, bank()[name].stub)
        assert not verdict.passed, verdict
        assert verdict.hint, verdict

    @pytest.mark.full
    def test_wrong(self, name: str, wrong_answer: str) -> None:
        """It is refused with these words, and with a hint."""
        source, words = self.wrong[name][wrong_answer]
        verdict = verdict_on(name, source)
        assert not verdict.passed, verdict
        assert words in repr(verdict)
        assert verdict.hint, verdict
