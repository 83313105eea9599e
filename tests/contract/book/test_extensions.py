"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.util.docutils import docutils_namespace

from tests.fast.book.test_extensions import PUBLISHED, Book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


def words(page: BeautifulSoup, selector: str) -> str:
    found = page.select_one(selector)
    assert found is not None, f"no {selector} on the page"
    return " ".join(found.get_text().split())


def missing_rows(warnings: str) -> list[str]:
    """Warnings but those of the 30 experiments that this small book lacks."""
    return [
        line
        for line in warnings.splitlines()
        if "WARNING" in line and ": no row; add one" not in line
    ]


def test_the_page_follows_the_notebook(book: Book) -> None:
    """Not yet, then differs, then reproduced (and stale), each by a new build."""
    page, _ = book.build()
    assert words(page, ".scoreboard-summary").startswith("0 of 1 reproduced")
    assert words(page, "td[data-label=Verdict]") == "… not yet"

    book.notebook("1.75")
    page, warnings = book.build()
    assert missing_rows(warnings) == []
    assert words(page, "td[data-label=Verdict]") == "≠ differs"
    why = words(page, "td[data-label=Why]")
    assert why.startswith("it is another clock")
    folded = words(page, "td[data-label=Why] details:not([open])")
    assert "(lateness): within 0.1 s: a reason" in folded
    assert words(page, "td[data-label=Model]") == "1.750 s (lateness)"
    # It counts as taken on a busy machine.
    assert words(page, "td[data-label=Real]") == (
        "1.610 s with no share of free cores kept"
    )
    assert words(page, ".scoreboard-machine") == "Measured on: 2 cores."

    book.notebook("1.55")
    page, warnings = book.build()
    assert words(page, "td[data-label=Verdict]").startswith("✓ reproduced")
    assert "stale because" in warnings
    why = words(page, "td[data-label=Why]")
    assert why.startswith("the same program")


def test_the_table_is_accessible(book: Book) -> None:
    book.notebook("1.75")
    page, _ = book.build()
    assert words(page, "table caption") == "A. An article"
    assert len(page.select("thead th[scope=col]")) == 6
    assert words(page, "tbody th[scope=row]").startswith("A1 ")
    assert page.select_one("tbody th#scoreboard-a1") is not None
    link = page.select_one("td[data-label=Published] a")
    assert link is not None
    assert page.select_one(str(link["href"])) is not None


def test_the_id_leads_to_the_chapter_once_there_is_one(book: Book) -> None:
    book.write("book/lab.md", "---\norphan: true\n---\n# Chapter\n")
    page, _ = book.build()
    link = page.select_one("tbody th a")
    assert link is not None
    assert link["href"] == "book/lab.html"


def test_a_further_notebook_of_a_chapter_leads_to_its_page(book: Book) -> None:
    toml = PUBLISHED.replace('stem = "lab"', 'stem = "01_going_deeper"')
    book.write("book/published.toml", toml)
    book.write("book/01_chapter.md", "---\norphan: true\n---\n# Chapter\n")
    page, _ = book.build()
    link = page.select_one("tbody th a")
    assert link is not None
    assert link["href"] == "book/01_chapter.html"


def test_a_wrong_data_file_is_a_warning(book: Book) -> None:
    book.write("book/published.toml", PUBLISHED.replace('"within"', '"near"'))
    page, warnings = book.build()
    assert "row A1: kind 'near' is none of" in warnings
    assert "cannot be drawn" in page.get_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{published}`A1:1.5 s`", ""),
        ("{published}`A1:1.6 s`", "'1.6 s' is not a published figure of A1"),
        ("{published}`A1:1.5 ms`", "'1.5 ms' is not a published figure of A1"),
        ("{published}`A7:1.5 s`", "names no row"),
        ("{published}`1.5 s`", "names no row"),
        ("{param}`10 ms`", ""),
    ],
)
def test_roles(book: Book, text: str, says: str) -> None:
    book.write("index.md", f"# Top\n\nIt is {text}.")
    page, warnings = book.build()
    if says:
        assert says in warnings
    else:
        assert warnings == ""
        figure = text.strip("`").split("`")[1].removeprefix("A1:")
        assert f"It is {figure}." in words(page, "p")


# ------------------------------------------------------------------- theme


def test_a_number_keeps_its_unit(book: Book) -> None:
    book.write("conf.py", 'extensions = ["myst_parser", "whole_units"]')
    book.write(
        "index.md",
        "# Late by 3 s\n\nFor 0.2 s, *5* ms, 7\nms, 8 % and `1 s`.\n"
        "Or 2 sheep, 3 s-curves.\n\n"
        "```text\n4 s\n```\n",
    )
    page, _ = book.build()
    found = page.select_one("section")
    assert found is not None
    text = found.get_text()
    gap = "\N{NO-BREAK SPACE}"
    for whole in (f"3{gap}s", f"0.2{gap}s", f"5{gap}ms", f"7{gap}ms", f"8{gap}%"):
        assert whole in text
    for plain in ("1 s", "2 sheep", "3 s-curves", "4 s\n"):
        assert plain in text


def test_a_figure_of_a_table_stays_on_one_line(book: Book) -> None:
    book.write("conf.py", 'extensions = ["myst_parser", "whole_units"]')
    book.write(
        "index.md",
        "# Late\n\n| late, s | in s | what |\n|---|---|---|\n"
        "| 187 ns to 287 ns | ≈ 2 of 3 | two words |\n"
        "| 1 of the many words that a cell may have | | |\n",
    )
    page, _ = book.build()
    found = page.select_one("table")
    assert found is not None
    text = found.get_text().replace("\N{NO-BREAK SPACE}", "~")
    for whole in ("late,~s", "in~s", "187~ns~to~287~ns", "≈~2~of~3"):
        assert whole in text
    for plain in ("two words", "1 of the many words"):
        assert plain in text
    assert "words-first" in found["class"]


def test_a_long_word_of_code_breaks_at_a_joint(book: Book) -> None:
    book.write("conf.py", 'extensions = ["myst_parser", "whole_units"]')
    words = "loop.call_soon_threadsafe(queue.put_nowait)"
    book.write(
        "index.md",
        f"# Code\n\n`{words}`, `set_task_factory(...)`, `--patience 3`, `{'a' * 40}`\n",
    )
    page, _ = book.build()
    codes = page.select("code")
    assert codes[0].get_text() == words
    pieces = [one.get_text() for one in codes[0].select(".pre")]
    assert pieces == ["loop.", "call_soon_threadsafe(", "queue.", "put_nowait)"]
    assert len(codes[0].select("wbr")) == 3
    assert [len(one.select(".pre")) for one in codes[1:]] == [1, 2, 1]
    assert ["long" in one["class"] for one in codes] == [False, False, False, True]


@pytest.mark.parametrize("allowed", [True, False])
def test_pages_may_be_read_in_parallel(book: Book, allowed: bool) -> None:
    used = ["myst_parser", "sphinx_multitoc_numbering", *["parallel"] * allowed]
    book.write("conf.py", f"extensions = {used!r}")
    with docutils_namespace():
        assert book.app(io.StringIO()).is_parallel_allowed("read") == allowed


# --------------------------------------------------------------- the reference


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


def test_the_reference_is_readable(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(book.path)
    used = ("sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.bibtex")
    book.write(
        "conf.py",
        f"extensions = {['myst_parser', *used, 'reference']!r}\n"
        "autodoc_typehints_format = 'short'\n"
        "bibtex_bibfiles = ['all.bib']\nbibtex_default_style = 'short'\n",
    )
    book.write("some_beats.py", MODULE)
    book.write(
        "all.bib",
        "@misc{a, author={{A B of C}}, shorthand={ABC}, title={T}, year={2025}}\n"
        "@misc{b, author={{A B of C}}, shorthand={ABC}, title={U}, year={2025}}\n"
        "@misc{c, author={Chris Wellons}, title={V}, year={2020}}\n",
    )
    book.write(
        "index.md",
        "# Top\n\n```{eval-rst}\n.. autoclass:: some_beats.Beat\n"
        "   :members: due, notes, tell\n```\n\n"
        "```{bibliography}\n:all:\n```\n",
    )
    page, warnings = book.build()
    assert warnings == ""
    assert "notes: list[Beat] = ...)" in words(page, "dt[id='some_beats.Beat']")
    assert words(page, "dt[id='some_beats.Beat.due']").startswith("due: float")
    assert words(page, ".attribute dd") == "when it was due."
    told = words(page, "dt[id='some_beats.Beat.tell']")
    assert "tell(who: Callable[P, T], *args: P.args, **words: P.kwargs) → T" in told
    labels = [label.get_text() for label in page.select(".citation .label")]
    assert sorted(labels) == ["[ABC25a]", "[ABC25b]", "[Wel20]"]
