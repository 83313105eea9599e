"""What an answer should be read for."""

from __future__ import annotations

import pytest

from ontime.grade import Exercise
from ontime.grade.screen import look


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import ontime.check", "line 1 imports ontime.check"),
        ("x = 1\nfrom os import system", "line 2 imports system from os"),
        ("from asyncio import sys", "imports sys from asyncio"),
        ("from asyncio import *", "imports * from asyncio"),
        ("from . import x", "imports x from ."),
        ("import asyncio.events as e\ne.sys", "line 2 uses .sys"),
        ("import collections\ncollections._sys", "uses ._sys"),
        ("f.__globals__", "uses .__globals__"),
        ("self.__class__", "uses .__class__"),
        ("getattr(f, 'x')", "uses getattr"),
        ("__builtins__", "uses __builtins__"),
        ("[c for c in ().__class__.__base__.__subclasses__()]", "uses .__"),
        ("loop.time = lambda: 0", "changes .time"),
        ("del asyncio.sleep", "changes .sleep"),
        ("asyncio.all_tasks()", "uses .all_tasks"),
        ("task.get_coro().cr_frame", "uses .cr_frame"),
        ("match x:\n    case object(__class__=y): pass", "matches a hidden"),
        ("global check", "declares check global"),
        ("'{0.sys}'.format_map(x)", "uses .format_map"),
    ],
)
def test_what_a_teacher_should_read(source: str, words: str) -> None:
    assert words in look(source)


def test_no_solution_is_suspicious(exercises: dict[str, Exercise]) -> None:
    assert len(exercises) > 30
    for exercise in exercises.values():
        assert look(exercise.solution) == "", exercise.name
        assert look(exercise.stub) == "", exercise.name


def test_ordinary_code_is_not() -> None:
    assert look("class A:\n    def __init__(self):\n        self._x = 0") == ""
    assert look("await asyncio.sleep(0)") == ""
    assert look("super().__init__()") == ""
    with pytest.raises(SyntaxError):
        look("%timeit x")
