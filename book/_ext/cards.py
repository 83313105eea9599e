"""A card for each chapter: its title and its own picture, as PNG of 1200 × 630 pixels.

It is what a messenger shows of a link. The first picture of the finished page is drawn
again by resvg, with the fonts of the site and no others, so that a card is the same on
every machine.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap

from bs4 import BeautifulSoup
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.svgLib.path import parse_path
from fontTools.ttLib import TTFont
from ours import filled_in
from resvg_py import svg_to_bytes

__all__ = ["HEIGHT", "WIDTH", "draw", "fonts"]

WIDTH, HEIGHT = 1200, 630
EDGE, LINE = 56, 58  # pixels around what is shown, and of a line of the title
LARGEST = 1.7  # times its size on a page; more would look coarse
BESIDE = 64  # pixels that the numbers of steps need beside their picture
PICTURE = "svg.looplab-tl, svg.looplab-chart, svg.looplab-steps"
VARIABLE = re.compile(r"var\((--[\w-]+)(?:,([^()]*))?\)")
# What the page has for the dark, which a card is not in.
DARK = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|html[^{]*\{[^}]*\}")
STRETCHED = re.compile(
    r'<svg(?P<more>[^>]*preserveAspectRatio="none"[^>]*)>(?P<body>.*?)</svg>', re.DOTALL
)


@contextmanager
def fonts(folder: Path) -> Iterator[list[str]]:
    """The fonts of the site in a form that resvg reads; they go at the end."""
    with tempfile.TemporaryDirectory() as place:
        paths = []
        for name in ("sans", "sans-bold", "signs"):
            font = TTFont(folder / f"{name}.woff2", recalcTimestamp=False)
            font.flavor = None
            for key in (1, 16):  # cut fonts have lost the name of their family
                font["name"].setName(name.removesuffix("-bold"), key, 3, 1, 0x409)
            paths.append(str(Path(place, f"{name}.ttf")))
            font.save(paths[-1])
        yield paths


def draw(page: str, above: str, font_files: list[str]) -> bytes | None:
    """The card of a finished page as PNG; None if it has no title or no picture.

    Args:
        page: the page, as HTML.
        above: what stands above the title.
        font_files: see `fonts`.
    """
    article = BeautifulSoup(page, "html.parser").select_one("article")
    title = article and article.h1
    picture = article and article.select_one(PICTURE)
    if title is None or picture is None:
        return None
    for part in title.select(".section-number, .headerlink"):
        part.decompose()
    lines = wrap(title.get_text().strip(), 42)
    svg = filled_in(
        "card.svg",
        width=WIDTH,
        height=HEIGHT,
        edge=EDGE,
        line=LINE,
        above=above,
        title=lines,
        picture=_placed(str(picture), top=95 + LINE * len(lines)),
    )
    return bytes(svg_to_bytes(svg, skip_system_fonts=True, font_files=font_files))


def _placed(picture: str, top: float) -> str:
    """A picture of a page below the title, as large as there is room."""
    # The parser has made all names small.
    picture = picture.replace("viewbox=", "viewBox=")
    picture = _plain(picture.replace("preserveaspectratio=", "preserveAspectRatio="))
    tag = picture[: picture.index(">")]
    room, down = WIDTH - 2 * EDGE, HEIGHT - EDGE / 2 - top
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', tag)
    if box:
        width, height = float(box[1]), float(box[2])
        scale = min(room / width, down / height)
        left = EDGE + (room - width * scale) / 2
    else:
        height = float(re.findall(r'height[=:]"?([\d.]+)', tag)[0])
        scale = min(LARGEST, down / height)
        beside = BESIDE if "looplab-steps" in tag else 0
        width = room / scale - 1.3 * beside
        left = EDGE + beside * scale
        picture = STRETCHED.sub(lambda match: _stretched(match, width), picture)
    kind = " ".join(re.findall(r'class="[^"]*"', tag)[:1])
    return (
        f'<g transform="translate({left:.1f} {top}) scale({scale:.4f})">'
        f'<svg {kind} width="{width:.1f}" height="{height}" overflow="visible" '
        f"{box[0] if box else ''}>{picture[len(tag) + 1 :]}</g>"
    )


def _plain(picture: str) -> str:
    """A picture with the values of its variables, which resvg does not know."""
    values: dict[str, str] = {}
    for name, value in re.findall(r"(--[\w-]+):([^;}]+)", picture):
        values.setdefault(name, value)
    picture = DARK.sub("", picture)
    while VARIABLE.search(picture):
        picture = VARIABLE.sub(
            lambda match: values.get(match[1]) or match[2] or "none", picture
        )
    return picture


def _stretched(match: re.Match[str], width: float) -> str:
    """A part that a page stretches sideways, drawn so wide.

    resvg would stretch the strokes too: it has no non-scaling-stroke.
    """
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', match["more"])
    share = re.search(r'\bwidth="([\d.]+)%"', match["more"])
    assert box and share, match["more"]
    wide = width * float(share[1]) / 100
    times = wide / float(box[1])

    def path(steps: re.Match[str]) -> str:
        wider = SVGPathPen(None, ntos="{:.2f}".format)
        parse_path(steps[1], TransformPen(wider, (times, 0, 0, 1, 0, 0)))
        return f' d="{wider.getCommands()}"'

    more = match["more"].replace(box[0], f'viewBox="0 0 {wide:.2f} {box[2]}"')
    body = re.sub(r' d="([^"]*)"', path, match["body"])
    return f"<svg{more}>{body}</svg>"
