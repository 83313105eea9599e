"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import accessible_theme
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.site.checks import read_page

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
stem = "lab"
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
CONF = """
extensions = ["myst_parser", "sphinxcontrib.bibtex", "scoreboard"]
bibtex_bibfiles = ["book/references.bib"]
html_theme = "basic"
"""
PREFIX = "application/papermill.record/"


def glued(key: str, text: str, *tags: str) -> dict[str, Any]:
    output = {
        "output_type": "display_data",
        "data": {PREFIX + "text/plain": text},
        "metadata": {"scrapbook": {"mime_prefix": PREFIX, "name": key}},
    }
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)},
        "outputs": [output],
        "source": "",
    }


class Book:
    """A small book that can be built again after a change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "book").mkdir()
        (path / "notebooks").mkdir()
        self.write("conf.py", CONF)
        self.write("book/published.toml", PUBLISHED)
        self.write("book/references.bib", "@misc{someone2020,\n title = {T},\n}")
        self.write(
            "index.md", "# Top\n\n```{scoreboard}\n```\n\n```{bibliography}\n```"
        )

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def notebook(self, lateness: str) -> None:
        cells = [
            glued("A1_x", lateness, "exact"),
            glued("A1_real", "1.61", "measured"),
            glued("machine", "'2 cores'", "measured"),
        ]
        self.write("notebooks/lab.ipynb", json.dumps({"cells": cells}))

    def build(self) -> tuple[BeautifulSoup, str]:
        """Build what has changed; return the page and the warnings."""
        warnings = io.StringIO()
        # Each build registers its nodes and roles in a docutils of its own.
        with docutils_namespace():
            Sphinx(
                srcdir=self.path,
                confdir=self.path,
                outdir=self.path / "_out",
                doctreedir=self.path / "_trees",
                buildername="html",
                confoverrides={"exclude_patterns": ["_out"]},
                status=None,
                warning=warnings,
            ).build()
        text = re.sub(r"\x1b\[[\d;]*m", "", warnings.getvalue())
        return read_page(self.path / "_out" / "index.html"), text


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
    assert "lateness: within 0.1 s: a reason" in folded
    assert words(page, "td[data-label=Model]") == "1.750 s (lateness)"
    assert words(page, "td[data-label=Real]") == "1.610 s"
    assert words(page, ".scoreboard-machine") == "Measured on: 2 cores."

    book.notebook("1.55")
    page, warnings = book.build()
    assert words(page, "td[data-label=Verdict]").startswith("✓ reproduced")
    assert "stale because" in warnings
    why = words(page, "td[data-label=Why]")
    assert why.startswith("its comparison holds, on the virtual clock")


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


@pytest.mark.parametrize(
    ("html", "mended"),
    [
        (
            '<button class="btn search-button-field x" title="S" aria-label="Search" '
            'data-x="1">',
            '<button class="btn search-button-field x" title="S" data-x="1">',
        ),
        (
            '<a class="x" href="a.html">A &amp; "B"</a><details><summary>'
            '<span class="toctree-toggle">',
            '<a class="x" href="a.html">A &amp; "B"</a><details>'
            '<summary aria-label="Pages below A &amp; B"><span class="toctree-toggle">',
        ),
        (
            '<div role="list" class="citation-list">\n'
            '<div class="citation" id="id6" role="doc-biblioentry">',
            '<div class="citation-list">\n<div class="citation" id="id6">',
        ),
        ('<summary aria-label="Toggle hidden content">', "<summary>"),
        ('<button aria-label="Menu">', '<button aria-label="Menu">'),
    ],
)
def test_the_theme_is_mended(html: str, mended: str) -> None:
    assert accessible_theme.mend(html) == mended
    assert accessible_theme.mend(mended) == mended
