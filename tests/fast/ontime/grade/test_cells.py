"""Cells of a notebook, run as a notebook runs them."""

from __future__ import annotations

from typing import Any

import pytest

from ontime.grade.cells import names_in, run_cell


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
