"""Cells of a notebook, run as a notebook runs them."""

from __future__ import annotations

from typing import Any

import pytest

from ontime.grade.cells import checked, defines, names_in, run_cell


def test_names_are_kept_from_cell_to_cell() -> None:
    space: dict[str, Any] = {}
    run_cell("def double(x): return 2 * x", space)
    assert run_cell("double(21)", space) == 42


def test_names_that_a_cell_binds_and_mentions() -> None:
    binds, uses = names_in("import os.path as p, sys\nasync def f(): return y\nz = f")
    assert binds == {"p", "sys", "f", "z"}
    assert {"y", "f", "z"} <= uses


def test_what_is_no_python_raises() -> None:
    with pytest.raises(SyntaxError):
        run_cell("x =", {})
    with pytest.raises(SyntaxError):
        names_in("x =")


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("x = 1", None),
        ("%%time\nx = 2\nx", 2),
        ("%%capture out\n2", 2),
        ("%%bash\nls -l\nrm -r /", None),
        ("%time 1 + 1", 2),
        ("x = %time 1 + 1\nx", 2),
        ("files = !ls\nfiles", None),
        ("!ls\n%matplotlib inline\n?len\nlen?\n2", 2),
        ("if True:\n    !ls\n    x = 2\nx", 2),
        ("x = (5\n%3)\nx", 2),
        ('"""\n%time\n!x"""\n2', 2),
    ],
)
def test_what_is_of_ipython_is_left_out(source: str, value: object) -> None:
    assert run_cell(source, {}) == value


def test_names_that_a_cell_leaves() -> None:
    source = "import a.b\nx, (y, *z) = 1\nfor i in q: w = 1\n"
    source += "def f(g): h = 1\nclass C: d = 1"
    assert defines(source) == {"a", "x", "y", "z", "i", "w", "f", "C"}
    assert defines("x =") == set()


def test_what_a_cell_hands_to_a_check() -> None:
    source = 'v = check("04-fix", (a, b))\ncheck("04-make", c)\ncheck("04-fix", a, b)'
    assert checked(source, "04-fix") == ["(a, b)"]
