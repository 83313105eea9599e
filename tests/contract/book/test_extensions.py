"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.book.small import Book, words
from tests.fast.book.labs import cell
from tests.fast.notebooks.test_scoreboard import TOML

PUBLISHED = TOML.replace(
    'stem = "lab"',
    'stem = "01_deeper"\nagrees = "the same program"\nbecause = "another clock"',
).replace('key = "A1_x"', 'key = "A1_x"\nwhat = "lateness"\nunit = "s"')
PUBLISHED += '[[row.claim]]\nkey = "A1_real"\nunit = "s"\nkind = "shown"\n'


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A front page with a scoreboard."""
    bib = "bibtex_bibfiles = ['book/references.bib']"
    made = Book(tmp_path, "sphinxcontrib.bibtex", "scoreboard", more=bib)
    made.write("book/published.toml", PUBLISHED)
    made.write("book/references.bib", "@misc{someone2020,\n title = {T},\n}")
    front = "# Top\n\n```{toctree}\nbook/01_lab\n```\n\n```{scoreboard}\n```\n\n"
    made.write("index.md", f"{front}```{{bibliography}}\n```")
    return made


def glue(book: Book, lateness: str) -> None:
    """Let the lab of the row have run."""
    cells = [
        cell("A1_x", text_plain=lateness),
        cell("A1_real", "measured", text_plain="1.61"),
        cell("machine", "measured", text_plain="'2 cores'"),
    ]
    book.write("notebooks/01_deeper.ipynb", json.dumps({"cells": cells}))


def test_the_page_follows_the_notebook(book: Book) -> None:
    """Not yet, then differs, then reproduced, each by a new build."""
    page, _ = book.build()
    assert words(page, ".scoreboard-summary").startswith("0 of 1 reproduced")
    assert words(page, "td[data-label=Verdict]") == "… not yet"
    assert words(page, "td[data-label=Why]") == "its lab is not written"

    glue(book, "1.75")
    page, warnings = book.build()
    assert warnings == ""
    assert words(page, "td[data-label=Verdict]") == "≠ differs"
    assert words(page, "td[data-label=Why]").startswith("another clock")
    folded = words(page, "td[data-label=Why] details:not([open])")
    assert "(lateness): within 0.1 s: a reason" in folded
    assert words(page, "td[data-label=Model]") == "1.750 s (lateness)"
    # It counts as taken on a busy machine.
    assert words(page, "td[data-label=Real]") == (
        "1.610 s with no share of free cores kept"
    )
    assert words(page, ".scoreboard-machine") == "Measured on: 2 cores."
    # A table that is read aloud, and leads to what it is about.
    assert words(page, "table caption") == "A. An article"
    assert len(page.select("thead th[scope=col]")) == 6
    (head,) = page.select("tbody th#scoreboard-a1[scope=row]")
    assert [link["href"] for link in head.select("a")] == ["book/01_lab.html"]
    (cited,) = page.select("td[data-label=Published] a")
    assert page.select_one(str(cited["href"])) is not None

    glue(book, "1.55")
    page, _ = book.build()
    assert words(page, "td[data-label=Verdict]").startswith("✓ reproduced")
    assert words(page, "td[data-label=Why]").startswith("the same program")


def test_published_figures_in_a_sentence(book: Book) -> None:
    right = {"{published}`A1:1.5 s`": "1.5 s", "{param}`10 ms`": "10 ms"}
    wrong = {
        "{published}`A1:1.6 s`": "'1.6 s' is not a published figure of A1",
        "{published}`A7:1.5 s`": "'A7:1.5 s' names no row",
        "{published}`1.5 s`": "'1.5 s' names no row",
    }
    page, warnings = book.build("\n\n".join([*right, *wrong]))
    warned = [line for line in warnings.splitlines() if "WARNING: published" in line]
    for line, message in zip(warned, wrong.values(), strict=True):
        assert message in line
    paragraphs = [paragraph.get_text() for paragraph in page.select("section p")]
    assert paragraphs[:2] == list(right.values())
    book.write("book/published.toml", PUBLISHED.replace("kind", "kinds"))
    page, warnings = book.build()
    assert "scoreboard: row A1: " in warnings and "'kinds'" in warnings
    assert "cannot be drawn" in page.get_text()


UNITS = """For 0.2 s, *5* ms, 7
ms, 8 % and `1 s`. Or 2 sheep, 3 s-curves.

```text
4 s
```

| late, s | in s | what |
|---|---|---|
| 187 ns to 287 ns | ≈ 2 of 3 | two words |
| 1 of the many words that a cell may have | | |
"""
JOINTS = """`loop.call_soon_threadsafe(queue.put_nowait)`, `set_task_factory(...)`,
`--patience 3`, `LONG`
""".replace("LONG", "a" * 40)


def test_what_is_read_as_one_stays_on_one_line(tmp_path: Path) -> None:
    page, _ = Book(tmp_path, "whole_units").build(f"{UNITS}\n{JOINTS}")
    part = page.select_one("section")
    assert part is not None
    text = part.get_text().replace("\N{NO-BREAK SPACE}", "~")
    for whole in ("0.2~s", "5~ms", "7~ms", "8~%", "late,~s", "in~s", "≈~2~of~3"):
        assert whole in text
    assert "187~ns~to~287~ns" in text
    for plain in ("1 s", "2 sheep", "3 s-curves", "4 s\n", "two words", "1 of the"):
        assert plain in text
    table = part.select_one("table")
    assert table is not None
    assert "words-first" in table["class"]
    codes = part.select("p > code")[1:]
    pieces = [piece.get_text() for piece in codes[0].select(".pre")]
    assert pieces == ["loop.", "call_soon_threadsafe(", "queue.", "put_nowait)"]
    assert len(codes[0].select("wbr")) == 3
    assert [len(code.select(".pre")) for code in codes[1:]] == [1, 2, 1]
    assert ["long" in code["class"] for code in codes] == [False, False, False, True]
