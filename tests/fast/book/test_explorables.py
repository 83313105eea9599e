"""Each figure with a slider has its place."""

from __future__ import annotations

import re

from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
EXPLORE = ("workers", "arrivals", "lost_leases", "clients")  # on explore.md, too
BARS = ("cpu_work", "hops")
BOOK = (*EXPLORE, *BARS)
HELPERS = {"charts", "bars", "places"}


def test_these_are_all() -> None:
    modules = {file.stem for file in FOLDER.glob("*.py")} - HELPERS
    assert modules == set(BOOK)
    pages = {
        page.stem: set(re.findall(r"{explorable} (\w+):", page.read_text("utf-8")))
        for page in (ROOT / "book").glob("*.md")
    }
    assert pages["explore"] == set(EXPLORE)
    chapters = [names for page, names in pages.items() if re.match(r"\d", page)]
    assert set().union(*chapters) == set(BOOK), "each stands in its chapter"
