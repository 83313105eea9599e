"""Guards of the notebooks and the prose, and tests that each guard can fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fast.notebooks import guards

Rule = Callable[[guards.Notebook], list[str]]
RULES: dict[str, Rule] = {
    "tags": guards.bad_tags,
    "shares": guards.bad_shares,
    "runs": guards.not_run,
    "solutions": guards.unnamed_solutions,
    "errors": guards.errors,
    "traces": guards.traces_of_a_machine,
    "size": guards.too_big,
}
PAGES = guards.pages()


@pytest.mark.parametrize("path", guards.notebooks(), ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES)
def test_notebook(path: Path, rule: str) -> None:
    faults = RULES[rule](guards.load(path))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_prose_types_no_measured_number(path: Path) -> None:
    faults = guards.typed_numbers(path.read_text(encoding="utf-8"))
    assert not faults, "\n".join(f"{path.name} {line}" for line in faults)


def test_there_are_notebooks_and_pages() -> None:
    """The guards above pass when there is nothing to guard; the book has both."""
    assert guards.notebooks()
    assert any(path.name[:2].isdigit() for path in PAGES)
