"""A value of a cell is laid out as IPython lays it out."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter, defaultdict, deque, namedtuple
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.lib.pretty import pretty as notebook

from livecells.runtime.pretty import pretty


class Thing:
    pass


def function(a: int, b: int = 2) -> None: ...


@dataclasses.dataclass
class Row:
    number: int
    values: list[int]


Point = namedtuple("Point", "x y")

LONG = list(range(30))
LOOP: list[Any] = [1]
LOOP.append(LOOP)

VALUES: list[Any] = [
    LONG,
    tuple(LONG),
    set(LONG),
    {i: i**2 for i in LONG},
    {"name": "x" * 50, "other": LONG, "nested": {"a": {"b": LONG}}},
    (1,),
    (("x" * 90),),
    {3, 1, 2},
    frozenset({3, 1}),
    {"b", 1},
    [Thing, function, int, math.sin, len],
    Thing,
    function,
    int,
    math.sin,
    "x".join,
    [[1, 2, 3]] * 10,
    [[LONG]],
    "x" * 200,
    ["x" * 100, "y" * 10],
    {(i, i + 1): "v" * 20 for i in range(6)},
    [{"id": i, "name": "abc", "v": [1, 2, 3]} for i in range(5)],
    defaultdict(int, {"a": 1}),
    defaultdict(list, {i: [i] * 9 for i in range(12)}),
    deque(range(5)),
    deque(range(40)),
    deque([1], maxlen=3),
    Point(1, 2),
    [Point(i, i) for i in range(12)],
    Row(1, LONG),
    [Row(i, [i]) for i in range(6)],
    Counter("ab"),
    LOOP,
    {},
    [],
    set(),
    1.5,
    range(100),
    b"x" * 100,
    [1.123456789] * 20,
    ({"a": 1},) * 15,
    list(range(1_100)),
    *([[0] * n] for n in range(24, 28)),
    *({"k" * n: [1, 2]} for n in range(66, 74)),
]


@pytest.mark.parametrize("value", VALUES, ids=itertools.count())
def test_a_value_is_laid_out_as_in_a_notebook(value: Any) -> None:
    assert pretty(value) == notebook(value)


LEAVES = st.one_of(
    st.integers(0, 10**6),
    st.text("ab", max_size=60),
    st.sampled_from([None, int, len, 1.5, math.sin]),
)
KEYS = st.one_of(st.integers(0, 999), st.text("xy", max_size=9))


def holders(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    items = st.lists(inner, max_size=8)
    mappings = st.dictionaries(KEYS, inner, max_size=6)
    names = st.sampled_from(["a", "bb", "c" * 9])
    return st.one_of(
        items,
        items.map(tuple),
        items.map(deque),
        mappings,
        mappings.map(lambda inside: defaultdict(list, inside)),
        st.dictionaries(names, inner).map(lambda inside: SimpleNamespace(**inside)),
        st.sets(KEYS, max_size=12),
        st.frozensets(st.integers(), max_size=9),
        st.builds(list.__mul__, st.lists(LEAVES, max_size=2), st.integers(10, 40)),
    )


@given(st.recursive(LEAVES, holders, max_leaves=20))
@settings(max_examples=60)
def test_random_values_are_laid_out_as_in_a_notebook(value: Any) -> None:
    assert pretty(value) == notebook(value)


def test_lists_in_lists_take_no_time() -> None:
    value: Any = [1]
    for _ in range(200):
        value = [value, value]
    assert pretty([1, [2, [3]]]) == "[1, [2, [3]]]"
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    assert pretty(deep) == "[" * 52 + "..." + "]" * 52
