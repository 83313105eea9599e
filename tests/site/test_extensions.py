"""Our Sphinx extensions, in small sites of their own."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import accessible_theme
import benchmark_table
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.site.checks import ROOT, read_page

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
extensions = ["myst_parser", "sphinxcontrib.bibtex", "scoreboard", "benchmark_table"]
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
        (path / "benchmarks").mkdir()
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


# -------------------------------------------------------------- benchmarks


def results(**changes: Any) -> dict[str, Any]:
    group: dict[str, Any] = {
        "title": "Sleeps",
        "unit": "s",
        "method": "Best of 5.",
        "baseline": "peer",
        "aim": {"name": "looplab", "at_most": 0.9, "text": "at most 0.9"},
        "rows": [
            {"name": "looplab", "value": 0.8, "ratio": 0.8, "spread": [0.8, 1.2]},
            {"name": "peer", "value": 1.0, "ratio": 1.0},
            {"name": "other", "value": None, "note": "does not start"},
        ],
    }
    group.update(changes)
    return {
        "machine": {"processor": "example, 2 cores"},
        "python": "CPython 3.11",
        "command": "make bench",
        "packages": {"peer": "1.0"},
        "groups": [group],
    }


def test_the_benchmark_page(book: Book) -> None:
    book.write("index.md", "# Top\n\n```{benchmarks}\n```")
    _, warnings = book.build()
    assert "run the benchmark command first" in warnings
    book.write("benchmarks/results.json", json.dumps(results()))
    page, warnings = book.build()
    assert warnings == ""
    text = " ".join(page.get_text().split())
    for part in (
        "processor: example, 2 cores",
        "CPython 3.11",
        "peer 1.0",
        "Best of 5",
    ):
        assert part in text
    assert "Met: 0.80" in text
    assert words(page, "table caption") == "Sleeps"
    assert len(page.select("thead th[scope=col]")) == 5
    assert [th.get_text() for th in page.select("tbody th[scope=row]")] == [
        "looplab",
        "peer",
        "other",
    ]
    assert "not run" in text


def test_a_missed_aim_is_said() -> None:
    aim = {"name": "looplab", "at_most": 0.7, "text": "at most 0.7"}
    (group,) = benchmark_table.check(results(aim=aim))["groups"]
    assert benchmark_table.verdict(group) == "Aim: at most 0.7. Missed: 0.80."


def test_an_aim_may_be_about_the_value() -> None:
    aim = {"name": "looplab", "value_at_most": 0.5, "text": "at most 0.5 s"}
    (group,) = benchmark_table.check(results(aim=aim))["groups"]
    assert benchmark_table.verdict(group) == "Aim: at most 0.5 s. Missed: 0.80 s."


def test_another_file_of_results(book: Book) -> None:
    book.write("index.md", "# Top\n\n```{benchmarks} benchmarks/more.json\n```")
    _, warnings = book.build()
    assert "no benchmark results at benchmarks/more.json" in warnings
    book.write("benchmarks/more.json", json.dumps(results(title="More")))
    page, warnings = book.build()
    assert warnings == ""
    assert words(page, "table caption") == "More"


def row(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "looplab", "value": 1.0} | changes, {"name": "peer", "value": 2.0}]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"titel": "x"}, "unknown titel"),
        ({"rows": []}, "has no rows"),
        ({"baseline": "nobody"}, "'nobody' is not a row"),
        ({"rows": row(value="1")}, "must be a number"),
        ({"rows": row(value=-1)}, "must be finite"),
        ({"rows": row(value=float("nan"))}, "must be finite"),
        ({"rows": row(value=None)}, "no note to say why"),
        ({"rows": row(spread=[2, 1])}, "ends swapped"),
        ({"rows": row(spread=[1])}, "must be [lowest, highest]"),
        ({"rows": row(ratio_spread=[2, 1])}, "ratio_spread of 'looplab'"),
        ({"rows": row(ratio=0.7)}, "its value over the baseline's is 0.5"),
        ({"rows": row() + row()}, "is there twice"),
        ({"aim": {"name": "looplab", "at_most": 1}}, "lacks text"),
        ({"aim": {"name": "looplab", "text": "x"}}, "needs one of at_most, value"),
    ],
)
def test_wrong_results_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(benchmark_table.BenchmarkError) as caught:
        benchmark_table.check(results(**changes))
    assert says in str(caught.value)


def test_a_paired_ratio_need_not_be_the_quotient() -> None:
    benchmark_table.check(results(rows=row(ratio=0.7, paired=True)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1.0234, "1.02"),
        (12345.6, "12,300"),
        (999.9, "1,000"),
        (0.000456, "0.000456"),
        (38, "38.0"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert benchmark_table.number(value) == text


def test_the_published_results_follow_the_schema() -> None:
    path = ROOT / "benchmarks" / "results.json"
    if not path.is_file():
        pytest.skip("no benchmark results yet: run `make bench`")
    benchmark_table.check(json.loads(path.read_text(encoding="utf-8")))


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
