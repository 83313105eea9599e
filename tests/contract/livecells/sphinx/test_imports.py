"""What cells import: what a page has to fetch for it, and what it cannot have."""

from __future__ import annotations

import pytest

from tests.contract.livecells.books import Shelf, code, notebook, text


@pytest.mark.slow
def test_a_cell_with_such_an_import_is_named_and_does_not_run(shelf: Shelf) -> None:
    lab = notebook(
        text("# Lab"),
        code("import json", "fine"),
        code("x = 1\nimport numpy as np", "lacking"),
        code("import tkinter", "none-either"),
    )
    book = shelf.build({"index.ipynb": lab})
    assert "live cell 'lacking' imports numpy in line 2" in book.warnings
    assert "live cell 'none-either' imports tkinter in line 1" in book.warnings
    page = book.page()
    assert 'id="cell-fine"' in page
    assert "cell-lacking" not in page and "cell-none-either" not in page


def test_a_page_without_a_cell_that_can_run_gets_nothing(shelf: Shelf) -> None:
    book = shelf.build(
        {"index.ipynb": notebook(text("# Lab"), code("import numpy", "a"))}
    )
    assert "imports numpy in line 1" in book.warnings
    assert "livecells" not in book.page()


def test_a_reason_stands_at_the_foot_of_a_cell_that_does_not_run(shelf: Shelf) -> None:
    lab = notebook(
        text("# Lab"), code("1", "live-one"), code("2", "slow", tags=["measured", "x"])
    )
    reasons = {"measured": "It measures <real> time."}
    page = shelf.build({"index.ipynb": lab}, livecells_reasons=reasons).page()
    line = '<p class="livecell-reason">It measures &lt;real&gt; time.</p>'
    assert page.count(line) == 1
    assert page.index("cell-live-one") < page.index(line)


def test_a_reason_is_folded_away_with_the_code(shelf: Shelf) -> None:
    """On a page without live cells too, which then has the style of the line."""
    cell = code("2", "slow", tags=["measured", "hide-input"])
    reasons = {"measured": "Slow."}
    book = shelf.build(
        {"index.ipynb": notebook(text("# Lab"), cell)}, livecells_reasons=reasons
    )
    fold = book.page().partition("<details")[2].partition("</details>")[0]
    assert '<p class="livecell-reason">Slow.</p>' in fold
    assert "livecells.css" in book.page()
    assert "livecells.js" not in book.page()
