"""Where the name of a curve can stand: beside it, and on nothing.

A drawing is as wide as there is room. So a place counts only if it is free at every
width of :data:`WIDTHS`, from a phone to a wide page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from looplab.draw.palette import LETTERS

__all__ = ["WIDTHS", "Box", "Line", "Place", "find_place", "text_width"]

#: Widths in pixels of the plot alone for which a place must be free.
WIDTHS = (250, 270, 290, 320, 360, 420, 500, 600, 720, 880)
ASCENT, DESCENT = 12.0, 4.0  # pixels above and below the line on which words stand
GAP = 3.0  # pixels that stay free around words
#: Pixels to the right of a point, and which part of the words stands there.
SIDES = ((0, "middle"), (0, "end"), (0, "start"), (-12, "end"), (12, "start"))
NARROW, BROAD = set(" .,:;il'|!()-/1tfjr"), set("mwMWµ%")


class Box(NamedTuple):
    """A rectangle in pixels; ``y`` grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_crossed(self, points: Sequence[tuple[float, float]]) -> bool:
        """Whether the line through the points comes into the box."""
        return any(map(self._is_cut, points, points[1:]))

    def _is_cut(self, a: tuple[float, float], b: tuple[float, float]) -> bool:
        # Liang and Barsky: the part of the line from a to b that lies inside.
        begin, end = 0.0, 1.0
        for start, step, low, high in (
            (a[0], b[0] - a[0], self.left, self.right),
            (a[1], b[1] - a[1], self.top, self.bottom),
        ):
            if step == 0:
                if not low < start < high:
                    return False
                continue
            left, right = sorted(((low - start) / step, (high - start) / step))
            begin, end = max(begin, left), min(end, right)
        return begin < end


class Line(NamedTuple):
    """A curve: shares of the width and pixels down, and half its stroke in pixels."""

    points: tuple[tuple[float, float], ...]
    half: float


class Place(NamedTuple):
    """Where words stand: a share of the width and pixels, as SVG wants them."""

    share: float
    dx: float
    down: float
    anchor: str

    def box(self, width: float, wide: float) -> Box:
        """The words' box in a plot of ``width``; ``wide`` is the width of the words."""
        x = self.share * width + self.dx
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]
        return Box(left, self.down - ASCENT, left + wide, self.down + DESCENT)


def text_width(words: str) -> float:
    """Pixels that bold words of 13 px take at most, in the broadest usual font."""
    ems = (0.5 if c in NARROW else 1.06 if c in BROAD else 0.74 for c in words)
    return LETTERS["text"] * sum(ems)


def _candidates(points: Iterable[tuple[float, float]], height: float) -> list[Place]:
    """Places from near to far; of two that are as near, that by the earlier point."""
    ranked: list[tuple[float, Place]] = []
    for order, (share, down) in enumerate(points):
        for step in range(-14, 15):
            foot = down + 8 * step + (DESCENT if step > 0 else -DESCENT)
            if not ASCENT + GAP <= foot <= height - DESCENT:
                continue
            off = abs(foot - ASCENT / 2 + DESCENT / 2 - down)
            for dx, anchor in SIDES:
                place = Place(share, dx, foot, anchor)
                ranked.append((off + abs(dx) / 4 + 4 * order, place))
    return [place for _, place in sorted(ranked)]


def find_place(
    words: str,
    points: Iterable[tuple[float, float]],
    height: float,
    lines: Iterable[Line],
    taken: Iterable[tuple[Place, float]] = (),
) -> Place:
    """The nearest free place beside one of the points.

    Args:
        words: what stands there.
        points: as shares of the width and pixels down, the best first.
        height: pixels of the plot.
        lines: what must not be covered.
        taken: the places of other words, each with its width in pixels.

    Raises:
        ValueError: no place is free at every width.
    """
    lines, taken, wide = list(lines), list(taken), text_width(words)
    for place in _candidates(points, height):
        if all(_is_free(place, wide, width, lines, taken) for width in WIDTHS):
            return place
    raise ValueError(
        f"no place beside the curve for {words!r}: give more points, fewer words or "
        "more height"
    )


def _is_free(
    place: Place,
    wide: float,
    width: float,
    lines: Sequence[Line],
    taken: Sequence[tuple[Place, float]],
) -> bool:
    left, top, right, bottom = place.box(width, wide)
    if left < 0 or right > width:
        return False
    for line in lines:
        room = GAP + line.half
        box = Box(left - room, top - room, right + room, bottom + room)
        if box.is_crossed([(share * width, down) for share, down in line.points]):
            return False
    box = Box(left - GAP, top - GAP, right + GAP, bottom + GAP)
    return not any(box.meets(other.box(width, size)) for other, size in taken)
