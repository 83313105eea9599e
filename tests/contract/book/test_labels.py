"""No word of a figure with a slider covers another one, at any position.

The boxes are computed from the drawing itself, at the widths of a phone and of a page,
with the metrics of a broad font.
"""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from PIL import ImageFont

from livecells import Explorable
from tests.fast.book.test_explorables import BOOK, FOLDER

#: Pixels that the box of a figure has around its picture: padding and border.
AROUND = 2 * (1.1 * 16 + 1)
WIDTHS = [whole - AROUND for whole in (340, 640)]


@cache
def font(bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(mpl.get_data_path(), "fonts/ttf", name), 12.5)


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


@pytest.fixture(scope="module")
def made() -> dict[str, Explorable]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return {name: importlib.import_module(name).explorable() for name in BOOK}


def covered(picture: str, whole: float) -> list[str]:
    """What of a picture lies on something else, and what lies outside."""
    svg = ElementTree.fromstring(picture)
    numbers = re.findall(r"([\d.]+)px", svg.get("style", ""))
    before, both = map(float, numbers or ("0", "0"))
    width = whole - both
    words = list(boxes(svg, width))
    wrong = [
        f"{word.words!r} on {other.words!r}"
        for word, other in itertools.combinations(words, 2)
        if word.meets(other)
    ]
    wrong += [
        f"{word.words!r} is outside, {word.left:.0f} to {word.right:.0f} of {width:.0f}"
        for word in words
        if word.left < -before - 1 or word.right > width + both - before + 1
    ]
    return sorted(set(wrong))


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BOOK)
def test_no_words_cover_anything(
    made: dict[str, Explorable], name: str, width: float
) -> None:
    figure = made[name]
    wrong = {
        text: faults
        for text, frame in zip(figure.texts, figure.frames, strict=True)
        if (faults := covered(frame.picture, width))
    }
    assert not wrong
