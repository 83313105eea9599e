"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import accessible_theme
import pytest
import reference
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

    def app(self, warnings: io.StringIO) -> Sphinx:
        return Sphinx(
            srcdir=self.path,
            confdir=self.path,
            outdir=self.path / "_out",
            doctreedir=self.path / "_trees",
            buildername="html",
            confoverrides={"exclude_patterns": ["_out"]},
            status=None,
            warning=warnings,
        )

    def build(self) -> tuple[BeautifulSoup, str]:
        """Build what has changed; return the page and the warnings."""
        warnings = io.StringIO()
        # Each build registers its nodes and roles in a docutils of its own.
        with docutils_namespace():
            self.app(warnings).build()
        text = re.sub(r"\x1b\[[\d;]*m", "", warnings.getvalue())
        return read_page(self.path / "_out" / "index.html"), text


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


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


# --------------------------------------------------------------- the reference

SIGNATURES = [
    ("(a: list[~m.B] = <factory>)", "(a: list[~m.B] = ...)"),
    ("(make: ~t.Any = <class 'some.place.Loop'>)", "(make: ~t.Any = Loop)"),
    ("(kind: Any = Ellipsis, **o: Any)", "(kind: Any = ..., **o: Any)"),
    ("(a: int, _trace: Trace | None = None)", "(a: int)"),
    (
        "(job: ~c.Callable[[~P], ~m.T], *args: ~typing.~P, **kwargs: ~typing.~P)",
        "(job: ~c.Callable[P, ~m.T], *args: P.args, **kwargs: P.kwargs)",
    ),
    ("(a: int = 1) -> _Hidden", "(a: int = 1) -> _Hidden"),
]


@pytest.mark.parametrize(("printed", "written"), SIGNATURES)
def test_a_signature_is_as_a_reader_would_write_it(printed: str, written: str) -> None:
    assert reference.readable(printed) == written
