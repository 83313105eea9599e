"""No word of a figure with a slider covers a curve or another word, at any position.

The boxes are computed from the drawing itself, at the widths of a phone and of a page,
with the metrics of a broad font.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from PIL import ImageFont

from tools.common import ROOT

FOLDER = ROOT / "book" / "explorables"
#: Pixels that the box of a figure has around its picture: padding and border.
AROUND = 2 * (1.1 * 16 + 1)
WIDTHS = [whole - AROUND for whole in (340, 640)]
Point = tuple[float, float]


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    words: str

    def meets(self, other: Box) -> bool:
        return min(self.right, other.right) > max(self.left, other.left) and min(
            self.bottom, other.bottom
        ) > max(self.top, other.top)


@cache
def font(bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(mpl.get_data_path(), "fonts/ttf", name), 12.5)


def length(text: str, width: float) -> float:
    """A length of SVG in pixels."""
    if text.endswith("%"):
        return float(text[:-1]) / 100 * width
    return float(text)


def boxes(svg: ElementTree.Element, width: float) -> Iterator[Box]:
    """The ink of all words."""
    for node in svg.iter("{http://www.w3.org/2000/svg}text"):
        words, kind = node.text or "", node.get("class", "")
        if not words:
            continue
        left, top, right, bottom = font(kind != "soft").getbbox(words, anchor="ls")
        x = length(node.get("x", "0"), width) + float(node.get("dx", "0"))
        wide = right - left
        x -= {"middle": wide / 2, "end": wide}.get(node.get("text-anchor", ""), 0)
        y = float(node.get("y", "0"))
        yield Box(x, y + top, x + wide, y + bottom, words)


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
