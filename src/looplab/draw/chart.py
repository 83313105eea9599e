"""What every chart is: SVG that shows itself, with what it shows in words.

Charts are as wide as there is room.  A place across is a share of the width, and one
down is in pixels, so words and signs keep their size.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

__all__ = ["Chart", "as_wide_as_room", "sign", "words"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as inline SVG; it shows itself in a notebook.

    Attributes:
        svg: the SVG element.
        alt: what the chart shows, in words; it is inside the SVG too.
    """

    svg: str
    alt: str

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Chart: {self.alt}"


def as_wide_as_room(
    name: str,
    css: str,
    body: str,
    alt: str,
    *,
    height: float,
    left: float,
    right: float = 12,
    below: str = "1rem",
    role: str = "img",
) -> Chart:
    """Return a chart of parts that lie at shares of its width.

    Args:
        name: the class that *css* is for.
        css: the style of its parts.
        body: its parts as SVG.
        alt: what it shows, in words.
        height: in pixels.
        left: pixels beside it, and *right* those on the other side.
        below: the room below it.
        role: ``"group"`` if links are in it.
    """
    return Chart(
        f'<svg class="{name}" role="{role}" aria-label="{escape(alt, quote=True)}" '
        # In the element itself: pages have rules of their own for pictures in outputs.
        f'style="height:{height:.0f}px;margin:0.5rem 0 {below} {left:.0f}px;'
        f'width:calc(100% - {left + right:.0f}px)" '
        f'xmlns="http://www.w3.org/2000/svg"><style>{css}</style>{body}</svg>',
        alt,
    )


def words(across: float, down: float, text: str, style: str, more: str) -> str:
    """Return *text* at a share of the width, in per cent, with *more* attributes."""
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{across:.2f}%" y="{down:.1f}" {more}>{escape(text)}</text>'


def sign(across: float, down: float, path: str, style: str) -> str:
    """Return the sign that *path* draws around such a place."""
    return (
        f'<svg x="{across:.2f}%" y="{down:.1f}" overflow="visible">'
        f'<path class="{style}" d="{path}"/></svg>'
    )
