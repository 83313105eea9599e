"""Cells of a notebook, run as a notebook runs them."""

from __future__ import annotations

import pytest

from ontime.grade.cells import checked, defines, names_in, run_cell


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("x = 1", None),
        ("def double(x): return 2 * x\ndouble(21)", 42),
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
def test_what_a_cell_shows_without_what_is_of_ipython(
    source: str, value: object
) -> None:
    assert run_cell(source, {}) == value


def test_names_that_a_cell_binds_and_mentions_and_leaves() -> None:
    binds, uses = names_in("import os.path as p, sys\nasync def f(): return y\nz = f")
    assert binds == {"p", "sys", "f", "z"}
    assert {"y", "f", "z"} <= uses
    source = "import a.b\nx, (y, *z) = 1\nfor i in q: w = 1\n"
    source += "def f(g): h = 1\nclass C: d = 1"
    assert defines(source) == {"a", "x", "y", "z", "i", "w", "f", "C"}


def test_what_is_no_python() -> None:
    for function in (lambda source: run_cell(source, {}), names_in):
        with pytest.raises(SyntaxError):
            function("x =")
    assert defines("x =") == set()
    assert checked("check('x', =)", "x") == []


def test_what_a_cell_hands_to_a_check() -> None:
    source = 'v = check("04-fix", (a, b))\ncheck("04-make", c)\ncheck("04-fix", a, b)'
    assert checked(source, "04-fix") == ["(a, b)"]
