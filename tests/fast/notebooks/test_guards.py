"""The rules of the notebooks and the prose, held against the book."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fast.notebooks import guards

RULES: list[Callable[[guards.Cell], Iterator[str]]] = [
    guards.bad_tags,
    guards.bad_share,
    guards.unnamed_solution,
    guards.nothing_shown,
    guards.error,
    guards.trace_of_a_machine,
    guards.too_big,
]
PAGES = guards.pages()


@pytest.mark.parametrize("path", guards.notebooks(), ids=lambda path: path.stem)
def test_notebook(path: Path) -> None:
    """Each cell keeps to the rules, and all were run from top to bottom."""
    faults = []
    for number, cell in enumerate(guards.code_cells(guards.load(path)), start=1):
        where = f"cell {number} ({guards.source(cell)[:40]!r})"
        faults += [f"{where}: {fault}" for rule in RULES for fault in rule(cell)]
        if cell["execution_count"] != number:
            faults.append(f"{where}: was not run in its turn; run `make execute`")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_prose_types_no_measured_number(path: Path) -> None:
    faults = guards.typed_numbers(path.read_text(encoding="utf-8"))
    assert not faults, "\n".join(f"{path.name} {line}" for line in faults)


def test_there_are_notebooks_and_pages() -> None:
    """The guards above pass when there is nothing to guard; the book has both."""
    assert guards.notebooks()
    assert any(path.name[:2].isdigit() for path in PAGES)
