"""One grader for the tests of grading: it learns each exercise once."""

from __future__ import annotations

import pytest

from ontime.grade import Exercise, Grader, Limits, read_labs
from tests.fast.ontime.grade.handed_in import LABS


@pytest.fixture(scope="module")
def exercises() -> dict[str, Exercise]:
    return read_labs(LABS)


@pytest.fixture(scope="module")
def prepared() -> Grader:
    return Grader(Limits(seconds=600))


@pytest.fixture
def grader(prepared: Grader, monkeypatch: pytest.MonkeyPatch) -> Grader:
    """One whose limits a test may change for itself."""
    monkeypatch.setattr(prepared, "limits", prepared.limits)
    return prepared
