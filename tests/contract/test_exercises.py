"""Exercises that need a thread or a fresh interpreter."""

from __future__ import annotations

import pytest

from tests.contract.looplab.fresh import python
from tests.fast.exercises.homes import all_homes, misjudged
from tests.fast.exercises.test_answers import THREADED

HOMES = {name: home for name, home in all_homes().items() if name in THREADED}
RIGHT = [(name, how) for name in HOMES for how in HOMES[name].right]
WRONG = [(name, what) for name in HOMES for what in ("stub", *HOMES[name].wrong)]
BANK = ["ontime", "check", "bank"]


@pytest.mark.parametrize(("name", "how"), RIGHT)
def test_a_right_answer_passes(name: str, how: str) -> None:
    assert not misjudged(name, how, right=True)


@pytest.mark.parametrize(("name", "what"), WRONG)
def test_a_wrong_answer_is_told_why(name: str, what: str) -> None:
    assert not misjudged(name, what, right=False)


@pytest.mark.parametrize(
    ("code", "chapters"),
    [
        ("from ontime.check import check; check('01-predict', 'A')", set()),
        ("from ontime.check import check; check('07-xlease', 1)", {"priority"}),
    ],
)
def test_a_page_imports_only_what_it_asks_for(code: str, chapters: set[str]) -> None:
    code += "\nimport sys; print(*sys.modules)"
    done = python("-c", code)
    parts = [name.split(".") for name in done.stdout.split()]
    loaded = {name[3] for name in parts if name[:3] == BANK and len(name) > 3}
    assert loaded == chapters
