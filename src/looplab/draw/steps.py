"""Step charts, such as the length of a queue over time.

A value that changes at moments and holds in between is drawn as steps.  The picture is
SVG written by this module: the same data give the same text, byte for byte, also in a
browser, where there is no matplotlib.  Colours follow the light or dark theme of the
page, labels stand beside their line, and the text alternative is part of the picture.

>>> from looplab.draw import Line, steps
>>> steps(Line("queue", [(0, 0), (1, 2), (3, 0)]), x="time (s)", y="items", alt="Two.")
Chart: Two.

The module uses the standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from looplab.draw.chart import Chart, as_wide_as_room, words
from looplab.draw.palette import (
    COLOURS,
    LETTERS,
    PLAIN,
    check_colour,
    halo,
    themed,
)

__all__ = ["Line", "steps"]

_UNITS = 1000  # across the plot, which is as wide as there is room
_LEFT, _RIGHT, _TOP, _BOTTOM = 8, 14, 30, 44  # pixels around it
_TICKS = 4  # at most so many steps along an axis, and one more tick


_CSS = (
    themed(
        "looplab-steps",
        "overflow:visible;display:block;color:inherit;max-width:44rem",
        letters=True,
    )
    # A picture without a ground of its own cannot know that of an unknown page.
    + halo("looplab-steps", "transparent")
    + ".looplab-steps text{fill:currentColor;font-size:var(--small);"
    "font-variant-numeric:tabular-nums}"
    ".looplab-steps .l{font-size:var(--text);font-weight:600}"
    ".looplab-steps path{fill:none;stroke:currentColor;"
    "vector-effect:non-scaling-stroke}"
    ".looplab-steps .g{stroke-opacity:.18}"
    ".looplab-steps .b{stroke-dasharray:4 3;stroke-opacity:.7}"
    ".looplab-steps .s{stroke-width:2;stroke-linejoin:round}"
    + "".join(
        f".looplab-steps .s.{name}{{stroke:var(--{name})}}"
        f".looplab-steps .l.{name}{{fill:var(--{name})}}"
        for name in COLOURS
    )
)


@dataclass(frozen=True, slots=True)
class Line:
    """One series of :func:`steps`.

    Attributes:
        label: stands beside the line, in its colour.
        points: pairs of numbers, in order of the first.  A value holds until the next.
        colour: a key of :data:`looplab.draw.COLOURS`.
        label_at: where the label ends, in the units of the axes; above the highest
            step if not given.
    """

    label: str
    points: Sequence[tuple[float, float]]
    colour: str = PLAIN
    label_at: tuple[float, float] | None = None


def steps(
    *lines: Line,
    x: str,
    y: str,
    alt: str,
    height: int = 240,
    bound: float | None = None,
    end: float | None = None,
    top: float | None = None,
) -> Chart:
    """Draw lines of steps over one pair of axes that begin at 0.

    Lines with more points than a page can show are thinned: of the points that share
    a thousandth of the width the first, the lowest, the highest and the last are kept.

    Args:
        lines: the lines, the lowest first.
        x: what the horizontal axis shows, with its unit.
        y: what the vertical axis shows; it stands above the axis.
        alt: what the chart shows, for those who do not see it.
        height: in pixels.
        bound: draws a dashed line at this value, named *bound*.
        end: where the horizontal axis ends; at the last point if not given.
        top: where the vertical axis ends; a little above the highest value if not
            given.

    Raises:
        ValueError: if *alt* is empty, a colour is not one of the book's, there is
            nothing to draw, the points are not in order, a number is negative or not
            finite, or an axis would have no length.

    Introduced in the chapter *Bound every channel*.
    """
    if not alt.strip():
        raise ValueError("alt is empty: say in words what the chart shows")
    for line in lines:
        _check(line)
    if not lines:
        raise ValueError("there is nothing to draw: give at least one Line")
    if height < _TOP + _BOTTOM + 40:
        raise ValueError(f"height is {height}: give {_TOP + _BOTTOM + 40} or more")
    last = max(line.points[-1][0] for line in lines)
    highest = max(value for line in lines for _, value in line.points)
    right = _end_of_axis("end", end, last or 1.0)
    tallest = _end_of_axis("top", top, max(highest, bound or 0.0) * 1.08 or 1.0)

    y_ticks = _ticks(tallest)
    left = _LEFT + max(len(text) for _, text in y_ticks) * LETTERS["small"] * 0.6 + 6
    floor = height - _BOTTOM

    def across(value: float) -> float:
        return min(value / right, 1.0) * _UNITS

    def up(value: float) -> float:
        return floor - min(value / tallest, 1.0) * (floor - _TOP)

    texts = [_text(0, 14, y, dx=_LEFT - left, anchor="start")]
    paths = [f'<path d="M0 {floor}h{_UNITS}"/>']
    for value, text in y_ticks:
        paths.append(f'<path class="g" d="M0 {up(value):.1f}h{_UNITS}"/>')
        texts.append(_text(0, up(value) + 4, text, dx=-6, anchor="end"))
    for value, text in _ticks(right):
        place = across(value)
        paths.append(f'<path d="M{place:.1f} {floor}v4"/>')
        texts.append(_text(place, floor + 17, text))
    texts.append(_text(_UNITS / 2, floor + 35, x))
    if bound is not None:
        level = up(bound)
        paths.append(f'<path class="b" d="M0 {level:.1f}h{_UNITS}"/>')
        texts.append(_text(_UNITS, level - 4, f"bound {_number(bound)}", anchor="end"))
    for line in lines:
        dots = [(across(when), up(value)) for when, value in line.points]
        paths.append(f'<path class="s {line.colour}" d="{_path(dots)}"/>')
    for line in lines:
        if line.label_at is None:
            when, value = max(line.points, key=lambda point: point[1])
            place, level = across(when), up(value) - 6
        else:
            place, level = across(line.label_at[0]), up(line.label_at[1])
        # Near an edge it stands beside its place, or a phone would cut it off.
        share = place / _UNITS
        anchor = "start" if share < 0.3 else "end" if share > 0.7 else "middle"
        aside = {"start": 4, "end": -4, "middle": 0}[anchor]
        style = f"l {line.colour}"
        texts.append(_text(place, max(level, 26), line.label, style, anchor, aside))
    plot = (
        f'<svg viewBox="0 0 {_UNITS} {height}" width="100%" height="{height}" '
        f'preserveAspectRatio="none" overflow="visible">{"".join(paths)}</svg>'
    )
    return as_wide_as_room(
        "looplab-steps", _CSS, plot + "".join(texts), alt,
        height=height, left=left, right=_RIGHT, below="1.25rem",
    )  # fmt: skip


def _text(
    place: float,
    y: float,
    text: str,
    style: str = "",
    anchor: str = "middle",
    dx: float = 0,
) -> str:
    """Words at a place in units across the plot, and so many pixels beside it."""
    moved = f' dx="{dx:.0f}"' if dx else ""
    more = f'text-anchor="{anchor}"{moved}'
    return words(100 * place / _UNITS, y, text, style, more)


def _check(line: Line) -> None:
    check_colour(line.colour, line.label)
    if not line.points:
        raise ValueError(f"the line {line.label!r} has no points")
    before = 0.0
    for point in line.points:
        for number in point:
            if not 0 <= number < math.inf:
                raise ValueError(
                    f"the line {line.label!r} has the point {point!r}: both numbers "
                    "must be finite and 0 or more"
                )
        if point[0] < before:
            raise ValueError(
                f"the line {line.label!r} goes back from {before!r} to {point[0]!r}: "
                "sort its points"
            )
        before = point[0]


def _end_of_axis(what: str, given: float | None, otherwise: float) -> float:
    if given is None:
        return otherwise
    if not 0 < given < math.inf:
        raise ValueError(f"{what} is {given!r}: give a finite number above 0")
    return given


def _ticks(end: float) -> list[tuple[float, str]]:
    """At most five round numbers from 0 to *end*, with their texts."""
    step = 10.0 ** math.floor(math.log10(end / _TICKS))
    for factor in (1, 2, 2.5, 5, 10):
        if step * factor * _TICKS >= end * 0.999:
            step *= factor
            break
    values = [count * step for count in range(int(end / step + 1e-9) + 1)]
    return [(value, _number(value)) for value in values]


def _number(value: float) -> str:
    """*value* without zeros at its end, and with commas between thousands."""
    rounded = float(f"{value:.6g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:g}"


def _path(dots: Iterable[tuple[float, float]]) -> str:
    """A path of steps; points that share a unit are thinned."""
    columns: dict[int, list[float]] = {}
    for place, level in dots:
        columns.setdefault(round(place), []).append(level)
    path, now = "", ""
    for column, levels in columns.items():
        kept = [levels[0], min(levels), max(levels), levels[-1]]
        # A column that only falls, or only rises, is one line.
        texts = list(dict.fromkeys(f"{level:.1f}" for level in kept))
        if texts[-1] != f"{levels[-1]:.1f}":
            texts.append(f"{levels[-1]:.1f}")
        if path:
            path += f"H{column}"
        else:
            path, now = f"M{column} {texts[0]}", texts[0]
        for text in texts:
            if text != now:
                path += f"V{text}"
                now = text
    return path
