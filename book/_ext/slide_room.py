"""How much room the parts of a slide take: what the build can say without a browser.

A slide is 1280 by 720 CSS pixels. The figures are estimates, a little large; the script
of the slides measures what is left over, and makes text smaller or code larger.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from bs4 import Tag

__all__ = [
    "HEIGHT",
    "LARGEST",
    "SMALL",
    "WIDTH",
    "CellRoom",
    "cell_room",
    "code_size",
    "height_of",
    "heights_of",
    "source",
    "tags",
    "words",
]

WIDTH, HEIGHT = 1180, 575  # below a heading of one line, in CSS pixels
SMALL, LARGEST = 12.5, 24.0  # letters of code; a cell too long for SMALL scrolls
LETTER, LINE = 0.61, 1.42  # width and height of a letter of code, in its size
TOOLBAR = 50  # of a cell
LEAD = 24 / 29  # a paragraph above a cell, beside one on a slide of text
ACROSS = 76  # letters of text in a line


def tags(parent: Tag) -> list[Tag]:
    """The elements directly below another."""
    return [child for child in parent.children if isinstance(child, Tag)]


def words(tag: Tag) -> str:
    """The text of an element in one line."""
    return " ".join(tag.get_text().split())


def source(cell: Tag) -> str:
    """The code of a cell; empty where the page does not show it."""
    pre = cell.select_one("div.cell_input pre")
    return pre.get_text().rstrip("\n") if pre else ""


def lines_of(text: str, across: float = ACROSS) -> int:
    return max(1, ceil(len(text) / across))


def height_of(part: Tag) -> float:
    """The height of text, a table, code or a question with its answer opened."""
    if part.name in ("ul", "ol"):
        return sum(lines_of(words(one), ACROSS - 4) * 42 + 10 for one in tags(part))
    if part.name == "details":
        summary = part.find("summary")
        asked = words(summary) if isinstance(summary, Tag) else ""
        answer = words(part)[len(asked) :]
        return 54 + 39 * lines_of(asked, 70) + 42 * lines_of(answer, 72)
    if table := part if part.name == "table" else part.select_one("table"):
        rows = table.select("tr")
        return sum(24 + 35 * lines_of(words(row), 95) for row in rows) + 10
    if pre := part if part.name == "pre" else part.select_one("pre"):
        return len(pre.get_text().rstrip("\n").splitlines()) * 24 * LINE + 50
    return lines_of(words(part)) * 42 + 20


def heights_of(parts: list[Tag]) -> float:
    """The height of several parts, one below the other."""
    return sum(map(height_of, parts))


def columns(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def code_size(text: str, width: float, height: float) -> float:
    """The size of letters, in CSS pixels, with which some text fits a box."""
    lines = max(len(text.splitlines()), 1)
    fits = min(width / max(columns(text), 1) / LETTER, height / lines / LINE)
    return min(LARGEST, fits)


@dataclass(frozen=True)
class CellRoom:
    """How a cell is laid out.

    Attributes:
        names: classes of its slide.
        size: of the letters of its code, in CSS pixels.
        room: the height that is left for a picture.
        share: of the width that the code has, where the output stands beside it.
    """

    names: tuple[str, ...]
    size: float
    room: float
    share: float = 0.62


def cell_room(cell: Tag, texts: list[Tag]) -> CellRoom:
    """Lay out a cell with some paragraphs above or below it."""
    code = source(cell)
    lines = len(code.splitlines())
    room = HEIGHT - TOOLBAR - heights_of(texts) * LEAD
    output = cell.select_one("div.cell_output")
    if output is None:
        return CellRoom((), code_size(code, WIDTH - 40, room), room)
    if output.select("svg, img"):
        above = min(lines * 20 * LINE, room / 2)
        size = max(SMALL, code_size(code, WIDTH - 40, above)) if lines else LARGEST
        room -= min(lines * size * LINE, above) + 40
        for text in output.select("pre"):
            room -= len(text.get_text().splitlines()) * 20 * LINE + 30
        return CellRoom(("with-picture",), size, room)
    said = output.get_text().strip("\n")
    table = output.select("tr")
    # Code and output have each the share of the width that their longest lines need; a
    # table has what is left.
    ours, theirs = max(columns(code), 20), max(columns(said), 10)
    share = min(0.8, max(0.3, ours / (ours + theirs)))
    if table:
        share = min(0.64, max(0.3, (ours * 17 * LETTER + 50) / WIDTH))
    aside = min(
        code_size(code, (WIDTH - 24) * share - 50, room),
        code_size("" if table else said, (WIDTH - 24) * (1 - share) - 50, room),
    )
    if table:
        return CellRoom(("side-by-side",), aside, room, share)
    both = re.sub(r"\n*$", "", f"{code}\n{said}")
    stacked = code_size(both, WIDTH - 50, room - 80)  # what lies around both
    if max(aside, stacked) < SMALL:
        # Long code goes on in a second column, with the output below both.
        tall = (room - 80) / (lines / 2 + len(said.splitlines()) + 1) / LINE
        wide_size = (WIDTH - 100) / (2 * columns(code)) / LETTER
        return CellRoom(("two-columns",), min(LARGEST, tall, wide_size), room)
    if aside > stacked:
        return CellRoom(("side-by-side",), aside, room, share)
    return CellRoom((), stacked, room)
