"""Where a name stands beside a curve: on nothing else."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

import matplotlib as mpl
import pytest
from PIL import ImageFont

from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
Point = tuple[float, float]


@cache
def font(bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(mpl.get_data_path(), "fonts/ttf", name), 12.5)


def test_a_place_is_free_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    places = importlib.import_module("places")
    flat = places.Line(((0.0, 50.0), (1.0, 50.0)), 1.0)
    place = places.find_place("a name", [(0.5, 50.0)], 100.0, [flat])
    wide = places.text_width("a name")
    for width in places.WIDTHS:
        box = place.box(width, wide)
        assert box.bottom < 49 or box.top > 51
        assert not box.is_crossed([(0, 50), (width, 50)])
    second = places.find_place("another", [(0.5, 50.0)], 100.0, [flat], [(place, wide)])
    other = second.box(250, places.text_width("another"))
    assert not other.meets(place.box(250, wide))
    everywhere = [
        places.Line(((0.0, float(y)), (1.0, float(y))), 1.0) for y in range(0, 100, 5)
    ]
    with pytest.raises(ValueError, match="no place beside the curve for 'a name'"):
        places.find_place("a name", [(0.5, 50.0)], 100.0, everywhere)


@pytest.mark.parametrize(
    ("points", "crosses"),
    [
        ([(0, 0), (10, 10)], True),
        ([(0, 5), (10, 5)], True),
        ([(5, 0), (5, 10)], True),
        ([(5, 5), (5, 5)], True),
        ([(0, 3), (3, 0)], False),
        ([(0, 0), (0, 10)], False),
        ([(4, 0), (4, 10)], False),
        ([(1, 1), (1, 1)], False),
        ([(7, 9), (9, 7)], False),
    ],
)
def test_whether_a_line_comes_into_a_box(
    monkeypatch: pytest.MonkeyPatch, points: list[Point], crosses: bool
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    places = importlib.import_module("places")
    assert places.Box(4, 4, 6, 6).is_crossed(points) is crosses


def test_the_broadest_font_is_no_broader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    places = importlib.import_module("places")
    for words in (
        "no bound: 1,024",
        "bound of 10",
        "92 to 98 lost",
        "median",
        "10,000",
    ):
        assert font(True).getlength(words) <= places.text_width(words)
