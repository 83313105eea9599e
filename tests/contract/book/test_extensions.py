"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from sphinx.util.docutils import docutils_namespace

from tests.contract.book.small import Book, words
from tests.fast.book.labs import cell

PUBLISHED = """
[[source]]
key = "someone2020"
letter = "A"
title = "An article"

[[row]]
id = "A1"
source = "someone2020"
run = "A run"
published = [{ value = 1.5, unit = "s" }]
stem = "01_deeper"
agrees = "the same program"
because = "it is another clock"

[[row.claim]]
key = "A1_x"
what = "lateness"
unit = "s"
kind = "within"
published = 1.5
absolute = 0.1
why = "a reason"

[[row.claim]]
key = "A1_real"
unit = "s"
kind = "shown"
"""


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

    glue(book, "1.75")
    page, warnings = book.build()
    assert warnings == ""
    assert words(page, "td[data-label=Verdict]") == "≠ differs"
    assert words(page, "td[data-label=Why]").startswith("it is another clock")
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
    told = [line for line in warnings.splitlines() if "WARNING: published" in line]
    for line, message in zip(told, wrong.values(), strict=True):
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


def test_pages_may_be_read_in_parallel(tmp_path: Path) -> None:
    book = Book(tmp_path, "sphinx_multitoc_numbering", "parallel")
    with docutils_namespace():
        assert book.app(io.StringIO()).is_parallel_allowed("read")


MODULE = '''
from __future__ import annotations
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, overload

P, T = ParamSpec("P"), TypeVar("T")

@dataclass
class Beat:
    """One beat.

    Attributes:
        due: when it was due.
        notes: what was said.
    """
    due: float
    notes: list[Beat] = field(default_factory=list)

    @overload
    def tell(self, who: Callable[P, T], *args: P.args, **words: P.kwargs) -> T: ...
    @overload
    def tell(self, who: None) -> None: ...
    def tell(self, who: Any, *args: Any, **words: Any) -> Any:
        """Tell somebody."""
'''


def test_the_reference_is_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = ("sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.bibtex")
    more = (
        "autodoc_typehints_format = 'short'\n"
        "bibtex_bibfiles = ['all.bib']\nbibtex_default_style = 'short'\n"
    )
    book = Book(tmp_path, *used, "reference", more=more)
    monkeypatch.syspath_prepend(book.path)
    book.write("some_beats.py", MODULE)
    book.write(
        "all.bib",
        "@misc{a, author={{A B of C}}, shorthand={ABC}, title={T}, year={2025}}\n"
        "@misc{b, author={{A B of C}}, shorthand={ABC}, title={U}, year={2025}}\n"
        "@misc{c, author={Chris Wellons}, title={V}, year={2020}}\n",
    )
    page, warnings = book.build(
        "```{eval-rst}\n.. autoclass:: some_beats.Beat\n"
        "   :members: due, notes, tell\n```\n\n"
        "```{bibliography}\n:all:\n```\n"
    )
    assert warnings == ""
    assert "notes: list[Beat] = ...)" in words(page, "dt[id='some_beats.Beat']")
    assert words(page, "dt[id='some_beats.Beat.due']").startswith("due: float")
    assert words(page, ".attribute dd") == "when it was due."
    signature = words(page, "dt[id='some_beats.Beat.tell']")
    assert (
        "tell(who: Callable[P, T], *args: P.args, **words: P.kwargs) → T" in signature
    )
    labels = [label.get_text() for label in page.select(".citation .label")]
    assert sorted(labels) == ["[ABC25a]", "[ABC25b]", "[Wel20]"]
