"""Figures of a lab on a page: the role and the directives, in a small book."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import lab_values
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

CONF = 'extensions = ["myst_parser", "ours"]\nhtml_theme = "basic"\n'
VALUES = {
    "A1_x": "1.50049",
    "big": "20895",
    "share": "np.float64(0.5)",
    "sizes": "[3, 2, 1]",
    "word": "'uvloop'",
    "yes": "True",
    "fast_wall": "1.0",
    "fast_cpu": "0.25",
    "slow_wall": "2.0",
    "slow_cpu": "0.75",
}


def cell(key: str, **data: str | list[str]) -> dict[str, Any]:
    """A code cell that glued an output; ``_`` stands for ``/`` in a MIME type."""
    prefix = lab_values.GLUE_PREFIX
    output = {
        "output_type": "display_data",
        "data": {prefix + mime.replace("_", "/"): text for mime, text in data.items()},
        "metadata": {"scrapbook": {"mime_prefix": prefix, "name": key}},
    }
    return {
        "cell_type": "code",
        "metadata": {"tags": ["exact"]},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}, output],
        "source": "",
    }


class Book:
    """A page and two labs that can be built again after a change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "book").mkdir()
        (path / "notebooks").mkdir()
        self.write("conf.py", CONF)
        self.write("index.md", "# Top\n\n```{toctree}\nbook/01_lab\n```\n")
        self.lab("01_lab", **VALUES)
        self.lab("02_other", ratio="1.43299")

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def lab(self, stem: str, **values: str) -> None:
        cells = [cell(key, text_plain=text) for key, text in values.items()]
        drawn = ["<figure>\n", "<b>a picture</b></figure>"]
        cells.append(cell("picture", text_plain="<Chart>", text_html=drawn))
        self.write(f"notebooks/{stem}.ipynb", json.dumps({"cells": cells}))

    def build(self, text: str) -> tuple[BeautifulSoup, str]:
        """Build the page with this text; return it and the warnings."""
        self.write("book/01_lab.md", f"# Chapter\n\n{text}\n")
        return self.build_again()

    def build_again(self) -> tuple[BeautifulSoup, str]:
        warnings = io.StringIO()
        with docutils_namespace():
            Sphinx(
                srcdir=self.path,
                confdir=self.path,
                outdir=self.path / "_out",
                doctreedir=self.path / "_trees",
                buildername="html",
                confoverrides={"exclude_patterns": ["_out", "notebooks"]},
                status=None,
                warning=warnings,
            ).build()
        html = (self.path / "_out/book/01_lab.html").read_text(encoding="utf-8")
        said = re.sub(r"\x1b\[[\d;]*m", "", warnings.getvalue())
        return BeautifulSoup(html, "html.parser"), said


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


# --------------------------------------------------------------------- lab


def test_a_lab_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_text(json.dumps({"cells": [cell("x", text_plain="1.5")]}))
    assert lab_values.read_lab(path) is lab_values.read_lab(path)
    path.write_text(json.dumps({"cells": [cell("x", text_plain="17.5")]}))
    assert lab_values.read_lab(path).text("x", ".1f") == "17.5"


def test_a_lab_knows_what_was_glued_twice_and_the_tags(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    cells = [cell("x", text_plain="1"), cell("x", text_plain="2")]
    path.write_text(json.dumps({"cells": cells}))
    lab = lab_values.read_lab(path)
    assert lab.twice == ("x",)
    assert lab.tags == {"x": frozenset({"exact"})}


def test_a_figure_is_as_good_as_the_worst_of_what_was_measured_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lab.ipynb"
    cells = [
        cell(key, text_plain="1") for key in ("before", "silent", "after", "exact")
    ]
    for one, free in zip(cells[:3], (1.0, 0.3, 0.95), strict=True):
        one["metadata"] = {"tags": ["measured"], "free_cores": free}
    cells[1]["outputs"] = []
    path.write_text(json.dumps({"cells": cells}))
    shares = {
        key: float(share) for key, share in lab_values.read_lab(path).shares.items()
    }
    assert shares == {"before": 1.0, "after": 0.3}
