"""Each figure with a slider has its place, and so has the name of each curve."""

from __future__ import annotations

import importlib
import re

import pytest

from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
EXPLORE = ("workers", "arrivals", "lost_leases", "clients")  # on explore.md, too
BARS = ("cpu_work", "hops")
BOOK = (*EXPLORE, *BARS)
HELPERS = {"charts", "bars", "model", "places"}


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


def test_a_name_stands_on_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    places = importlib.import_module("places")
    box = places.Box(4, 4, 6, 6)
    for points in ([(0, 0), (10, 10)], [(0, 5), (10, 5)], [(5, 0), (5, 10)]):
        assert box.is_crossed(points)
    for points in ([(0, 3), (3, 0)], [(4, 0), (4, 10)], [(7, 9), (9, 7)]):
        assert not box.is_crossed(points)
    flat = places.Line(((0.0, 50.0), (1.0, 50.0)), 1.0)
    wide = places.text_width("a name")
    place = places.find_place("a name", [(0.5, 50.0)], 100.0, [flat])
    taken = [(place, wide)]
    second = places.find_place("a name", [(0.5, 50.0)], 100.0, [flat], taken)
    for width in places.WIDTHS:
        boxes = [each.box(width, wide) for each in (place, second)]
        assert not boxes[0].meets(boxes[1])
        assert all(box.bottom < 49 or box.top > 51 for box in boxes)
    levels = [[(0.0, float(y)), (1.0, float(y))] for y in range(0, 100, 5)]
    full = [places.Line(tuple(points), 1.0) for points in levels]
    with pytest.raises(ValueError, match="no place beside the curve for 'a name'"):
        places.find_place("a name", [(0.5, 50.0)], 100.0, full)
