"""What the tests of the exercise checks share."""

from __future__ import annotations

from typing import Any

from ontime.check import check

__all__ = ["assert_not_yet", "assert_passes"]


def assert_passes(name: str, answer: Any) -> None:
    """The answer passes, each time."""
    verdict = check(name, answer)
    assert verdict.passed, verdict
    assert repr(verdict).startswith("passed: ")
    assert check(name, answer) == verdict, "the same answer, the same verdict"


def assert_not_yet(name: str, answer: Any, words: str) -> None:
    """The answer does not pass, and is told these words."""
    verdict = check(name, answer)
    assert not verdict.passed, verdict
    assert repr(verdict).startswith("not yet: ")
    assert words in repr(verdict)
