"""A small book, which our Sphinx extensions draw."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.fast.book.labs import cell
from tests.site.visits import read_page

VALUES = {
    "A1_x": "1.50049",
    "big": "20895",
    "share": "np.float64(0.5)",
    "word": "'uvloop'",
    "fast_wall": "1.0",
    "fast_cpu": "0.25",
    "slow_wall": "2.0",
    "slow_cpu": "0.75",
}


class Book:
    """A front page, one chapter and labs, which can be built again after a change.

    Args:
        path: an empty folder.
        used: the extensions beside MyST.
        more: other lines of its configuration.
    """

    def __init__(self, path: Path, *used: str, more: str = "") -> None:
        self.path = path
        (path / "book").mkdir()
        (path / "notebooks").mkdir()
        self.write(
            "conf.py",
            f"extensions = {['myst_parser', *used]!r}\nhtml_theme = 'basic'\n{more}",
        )
        self.write("index.md", "# Top\n\n```{toctree}\nbook/01_lab\n```\n")
        self.write("book/01_lab.md", "# Chapter\n")

    def write(self, name: str, text: str) -> None:
        """Write a file, unless it is as it should be: Sphinx goes by times."""
        file = self.path / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")

    def lab(self, stem: str, **values: str) -> None:
        """A lab that has glued these values, and a picture."""
        cells = [cell(key, text_plain=text) for key, text in values.items()]
        drawn = ["<figure>\n", "<b>a picture</b></figure>"]
        cells.append(cell("picture", text_plain="<Chart>", text_html=drawn))
        self.write(f"notebooks/{stem}.ipynb", json.dumps({"cells": cells}))

    def app(self, warnings: io.StringIO) -> Sphinx:
        return Sphinx(
            srcdir=self.path,
            confdir=self.path,
            outdir=self.path / "_out",
            doctreedir=self.path / "_trees",
            buildername="html",
            confoverrides={"exclude_patterns": ["_out", "notebooks"]},
            status=None,
            warning=warnings,
        )

    def build(self, chapter: str = "") -> tuple[BeautifulSoup, str]:
        """Build what has changed; return the chapter, or the front page, and warnings.

        Args:
            chapter: a new text of the chapter; without one the front page is returned.
        """
        if chapter:
            self.write("book/01_lab.md", f"# Chapter\n\n{chapter}\n")
        warnings = io.StringIO()
        # Each build registers its nodes and roles in a docutils of its own.
        with docutils_namespace():
            self.app(warnings).build()
        page = "book/01_lab.html" if chapter else "index.html"
        text = re.sub(r"\x1b\[[\d;]*m", "", warnings.getvalue())
        return read_page(self.path / "_out" / page), text


def words(page: BeautifulSoup, selector: str) -> str:
    """The text of the first part that a selector finds."""
    part = page.select_one(selector)
    assert part is not None, f"no {selector} on the page"
    return " ".join(part.get_text().split())
