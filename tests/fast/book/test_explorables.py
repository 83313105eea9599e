"""The figures with a slider: small, fit for every reader, true to the cell beside."""

from __future__ import annotations

import importlib
import re

import pytest

from livecells import Explorable
from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
EXPLORE = ("workers", "arrivals", "lost_leases", "clients")  # on explore.md, too
BARS = ("cpu_work", "hops")
BOOK = (*EXPLORE, *BARS)
HELPERS = {"charts", "bars", "places"}


@pytest.fixture(scope="module")
def figures() -> dict[str, Explorable]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return {name: importlib.import_module(name).explorable() for name in BOOK}


def test_these_are_all(figures: dict[str, Explorable]) -> None:
    modules = {file.stem for file in FOLDER.glob("*.py")} - HELPERS
    assert modules == set(BOOK)
    pages = {
        page.stem: set(re.findall(r"{explorable} (\w+):", page.read_text("utf-8")))
        for page in (ROOT / "book").glob("*.md")
    }
    assert pages["explore"] == set(EXPLORE)
    chapters = [found for page, found in pages.items() if re.match(r"\d", page)]
    assert set().union(*chapters) == set(BOOK), "each stands in its chapter"
