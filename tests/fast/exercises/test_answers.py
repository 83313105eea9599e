"""Each exercise takes its right answers and tells each wrong one why.

The answers stand in the exercises' homes (:mod:`.homes`). A wrong one must be refused
with words of its own, so a refusal that a check loses is seen here.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator

import pytest

from ontime.check import exercises, extra_exercises
from tests.fast.exercises.homes import all_homes, misjudged

HOMES = all_homes()
#: Its answers are called from a thread: see tests/contract/test_exercises.py.
THREADED = {"01-xthread"}
FAST = [name for name in HOMES if name not in THREADED]

RIGHT = [(name, how) for name in FAST for how in HOMES[name].right]
WRONG = [(name, what) for name in FAST for what in ("stub", *HOMES[name].wrong)]


@pytest.fixture(autouse=True, scope="module")
def nothing_old_is_looked_at() -> Iterator[None]:
    """A refusal collects garbage; what the other tests made is none of it."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """A check warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        gc.collect(1)


def test_every_exercise_has_a_home() -> None:
    assert sorted(HOMES) == sorted(exercises() + extra_exercises())


@pytest.mark.parametrize("name", HOMES)
def test_a_home_is_whole(name: str) -> None:
    home = HOMES[name]
    assert home.stub, f"{name}: say what the stub is told"
    assert len(home.wrong) >= 3, f"{name} has {len(home.wrong)} wrong answers, not 3"
    assert all(words for _, words in home.wrong.values()), f"{name}: words are missing"
    right = {ast.dump(ast.parse(source)) for source in home.right.values()}
    assert len(right) == len(home.right) >= 2, f"{name}: two right answers that differ"
    wrong = {what: ast.dump(ast.parse(text)) for what, (text, _) in home.wrong.items()}
    assert len(set(wrong.values())) == len(wrong), f"{name}: a wrong answer comes twice"
    assert not right & set(wrong.values()), f"{name}: a wrong answer is a right one"


@pytest.mark.parametrize(("name", "how"), RIGHT)
def test_a_right_answer_passes(name: str, how: str) -> None:
    assert not misjudged(name, how, right=True)


@pytest.mark.parametrize(("name", "what"), WRONG)
def test_a_wrong_answer_is_told_why(name: str, what: str) -> None:
    assert not misjudged(name, what, right=False)
