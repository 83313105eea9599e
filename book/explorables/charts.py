"""Small charts as SVG: text keeps its size, only the axis across stretches.

So they can be read on a phone without being scaled down. Colours are the book's, set
once by :data:`STYLE`; a chart names roles, not colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from places import Line, Place, find_place, text_width

from looplab.draw.palette import (
    COLOURS,
    themed,
)

__all__ = ["STYLE", "Axes", "figure"]

Point = tuple[float, float]

UNITS = 1000  # across an inner drawing
AFTER = 3  # pixels to the right of a plot, for half of a ring
BESIDE, BELOW = 10, 20  # pixels to the values of the axes, which a ring may not meet


def _style() -> str:
    roles = "".join(
        f".xp .{role}{{stroke:var(--{role});fill:var(--{role})}}" for role in COLOURS
    )
    return (
        themed("xp", "overflow:visible", ground=True, letters=True)
        + ".xp path{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}"
        ".xp .rule{stroke:var(--rule);stroke-width:1}"
        f"{roles}.xp path[class]{{fill:none}}.xp path.bar{{stroke-width:26}}"
        ".xp path.area{stroke-width:26;opacity:.15}"
        ".xp .dot{stroke:none;opacity:.55}.xp .thin{stroke-width:1;opacity:.6}"
        ".xp .dash{stroke-dasharray:4 4;stroke-width:1.5}"
        # Words stay readable where they cross a line.
        ".xp text[class]{stroke:var(--pst-color-background,Canvas);stroke-width:4px;"
        "paint-order:stroke;stroke-linejoin:round;fill:var(--ink);"
        "font-variant-numeric:tabular-nums}"
        ".xp text.soft{fill:var(--muted);font-size:var(--small)}"
        ".xp text.head{font-weight:600}"
        ".xp text.bare{stroke:none}.xp text.paper{stroke:none;font-weight:600;"
        "fill:var(--pst-color-background,Canvas)}"
        + "".join(
            f".xp text[class].{role}{{fill:var(--{role});font-weight:600}}"
            for role in COLOURS
        )
    )


STYLE = _style()


def number(value: float) -> str:
    """A coordinate with few digits."""
    return f"{value:.1f}".removesuffix(".0")


class Axes:
    """One plot: a box of fixed height, as wide as there is room.

    Args:
        top: pixels from the top of the figure to the plot.
        height: pixels.
        x: the ends of the axis across.
        y: the ends of the axis upwards.
    """

    def __init__(
        self, top: float, height: float, x: tuple[float, float], y: tuple[float, float]
    ) -> None:
        self.top, self.height = top, height
        self.x, self.y = x, y
        self.parts: list[str] = []
        self.title = ""
        self.margin = 0.0  # pixels that the values of the axis upwards take
        self.lines: list[Line] = []  # what a name may not cover
        self.names: list[tuple[str, str, list[tuple[float, float]]]] = []

    def across(self, x: float) -> float:
        """The share of the plot's width at which ``x`` lies."""
        low, high = self.x
        return (x - low) / (high - low)

    def percent(self, x: float) -> str:
        """``x`` as a place in the figure."""
        return f"{100 * self.across(x):.2f}%"

    def down(self, y: float) -> float:
        """Pixels from the plot's top to ``y``."""
        low, high = self.y
        return self.height * (1 - (y - low) / (high - low))

    def path(self, d: str, classes: str) -> None:
        """A path in units of the plot: 1000 across, pixels down.

        Of the class ``clip``, only what lies inside the plot is shown.
        """
        overflow = "hidden" if "clip" in classes.split() else "visible"
        self.parts.append(
            f'<svg x="0" y="{number(self.top)}" width="100%" '
            f'height="{number(self.height)}" viewBox="0 0 {UNITS} '
            f'{number(self.height)}" preserveAspectRatio="none" overflow="{overflow}">'
            f'<path class="{classes}" d="{d}"/></svg>'
        )

    def points(self, points: Iterable[Point]) -> str:
        """Points as coordinates of a path."""
        return " ".join(
            f"{number(self.across(x) * UNITS)},{number(self.down(y))}"
            for x, y in points
        )

    def line(self, points: Iterable[Point], classes: str) -> None:
        """A line through the points. No name covers it, unless it is a ``rule``."""
        points = list(points)
        self.path("M" + self.points(points), classes)
        if "rule" not in classes.split():
            half = 14 if {"bar", "area"} & set(classes.split()) else 1
            self.keep_free(points, half)

    def keep_free(self, points: Iterable[Point], half: float) -> None:
        """Let no name cover the line through the points, ``2 * half`` pixels broad."""
        places = tuple((self.across(x), self.down(y)) for x, y in points)
        self.lines.append(Line(places if len(places) > 1 else places * 2, half))

    def upright(self, x: float, y: float, classes: str) -> None:
        """A line from the bottom to ``y`` at ``x``."""
        ends = [(x, self.y[0]), (x, y)]
        self.line(ends, classes)
        self.keep_free(ends, 1)

    def dots(self, points: Iterable[Point], role: str, radius: float = 3) -> None:
        """A dot at each point."""
        points = list(points)
        for point in points:
            self.keep_free([point], radius)
        self.parts.extend(
            f'<circle class="{role} dot" cx="{self.percent(x)}" '
            f'cy="{number(self.top + self.down(y))}" r="{number(radius)}"/>'
            for x, y in points
        )

    def ring(self, x: float, y: float, role: str) -> None:
        """A mark around the present value."""
        self.keep_free([(x, y)], 7.5)
        self.parts.append(
            f'<circle class="{role}" style="fill:none" stroke-width="2.5" '
            f'cx="{self.percent(x)}" cy="{number(self.top + self.down(y))}" r="6"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        classes: str = "ink",
        rise: float = 0,
        anchor: str = "",
        dx: float = 0,
    ) -> None:
        """Words at a point, on the side where there is room unless ``anchor`` says."""
        share = self.across(x)
        side = "start" if share < 0.33 else "end" if share > 0.67 else "middle"
        anchor = anchor or side
        move = f' dx="{number(dx)}"' if dx else ""
        self.parts.append(
            f'<text class="{classes}" x="{self.percent(x)}" '
            f'y="{number(self.top + self.down(y) - rise)}" text-anchor="{anchor}"'
            f"{move}>"
            f"{escape(words)}</text>"
        )

    def name(self, points: Iterable[Point], words: str, classes: str) -> None:
        """Words beside one of the points, the first if there is room.

        They cover no curve, dot or ring, and no other name, at any width of the plot.
        """
        places = [(self.across(x), self.down(y)) for x, y in points]
        self.names.append((words, classes, places))

    def write_names(self) -> None:
        """Put the names where all else leaves room."""
        taken: list[tuple[Place, float]] = []
        for words, classes, points in self.names:
            place = find_place(words, points, self.height, self.lines, taken)
            taken.append((place, text_width(words)))
            move = f' dx="{number(place.dx)}"' if place.dx else ""
            self.parts.append(
                f'<text class="{classes}" x="{100 * place.share:.2f}%" '
                f'y="{number(self.top + place.down)}" text-anchor="{place.anchor}"'
                f"{move}>{escape(words)}</text>"
            )

    def head(self, words: str) -> None:
        """What the plot shows, above it, from the left side of the figure on."""
        self.title = words

    def grid(self, ticks: Iterable[tuple[float, str]]) -> None:
        """Lines across, each with its value left of the plot, where no curve is."""
        for y, words in ticks:
            self.line([(self.x[0], y), (self.x[1], y)], "rule")
            self.text(self.x[0], y, words, "soft", rise=-4, anchor="end", dx=-BESIDE)
            self.margin = max(self.margin, text_width(words) + BESIDE)

    def below(self, ticks: Iterable[tuple[float, str]]) -> None:
        """Values of the axis across, below the plot."""
        for x, words in ticks:
            self.text(x, self.y[0], words, "soft", rise=-BELOW)


def figure(height: float, *axes: Axes) -> str:
    """The plots in one drawing; the slider's figure has the alternative text."""
    for plot in axes:
        plot.write_names()
    margin = max(plot.margin for plot in axes)
    heads = "".join(
        f'<text class="head" x="0" y="{number(plot.top - 8)}" dx="{number(-margin)}">'
        f"{escape(plot.title)}</text>"
        for plot in axes
        if plot.title
    )
    inside = heads + "".join(part for plot in axes for part in plot.parts)
    return (
        '<svg class="xp" xmlns="http://www.w3.org/2000/svg" width="100%" '
        f'height="{number(height)}" aria-hidden="true" '
        f'style="margin-left:{number(margin)}px;'
        f'width:calc(100% - {number(margin + AFTER)}px)">{inside}</svg>'
    )
