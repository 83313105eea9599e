"""Charts of results, in the colours of the book.

Each function returns a :class:`Chart`, which shows itself in a notebook as inline SVG.
Its text is text, its colours follow the light or dark theme of the page, and the same
data give the same SVG, byte for byte.

This is the only module of looplab that needs matplotlib.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import LogLocator, MaxNLocator

from looplab.draw import Chart
from looplab.draw.palette import (
    COLOURS,
    COLOURS_DARK,
    PLAIN,
    halo,
    themed,
    variables,
)

__all__ = ["Chart", "Curve", "Strip", "curves", "ranking", "strips"]

# One unit is one pixel where the chart has its full width.  It is narrow, so that its
# text can still be read when a phone makes it smaller.
_WIDTH = 380
_PX = 72  # matplotlib's units are 1/72 inch

# What is drawn in these two colours takes the colour of the page's text.
_INK, _MUTED = "#010203", "#040506"
_STYLE: Any = {
    "axes.edgecolor": _MUTED,
    "axes.labelcolor": _MUTED,
    "axes.labelsize": 12,
    "axes.linewidth": 1,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: equal everywhere
    "font.size": 12,
    "svg.fonttype": "none",
    "svg.image_inline": True,
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _MUTED,
    "xtick.labelsize": 11,
    "ytick.color": _MUTED,
    "ytick.labelsize": 11,
}


_CSS = themed(
    "looplab-chart",
    variables(COLOURS),
    variables(COLOURS_DARK),
    "width:100%;height:auto;display:block;margin:0.5rem 0 1.25rem",
) + halo("looplab-chart", "transparent")


@dataclass(frozen=True, slots=True)
class Curve:
    """One series of :func:`curves`.

    Attributes:
        label: stands beside the curve, in its colour.
        points: pairs of numbers, in order of the first.
        colour: a key of :data:`looplab.draw.COLOURS`.
        style: a line, a line with dots, or dots alone.
        label_at: where the label stands, in the units of the axes; at the last point if
            not given.
    """

    label: str
    points: Sequence[tuple[float, float]]
    colour: str = PLAIN
    style: Literal["line", "dashes", "both", "dots"] = "line"
    label_at: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Strip:
    """One row of :func:`strips`: what came out of many runs.

    Attributes:
        label: stands before the row.
        values: the figure of each run.
        colour: a key of :data:`looplab.draw.COLOURS`.
        exact: the figure of the exact run, drawn as a ring.
        published: the published figure, drawn as a diamond.
    """

    label: str
    values: Sequence[float]
    colour: str = PLAIN
    exact: float | None = None
    published: float | None = None


_RADIUS = 3.0  # of the largest dots, in matplotlib's units
_FEW = 30  # dots of a curve that are drawn so large that each is seen

_LOOKS: Mapping[str, Mapping[str, object]] = {
    "line": {"linewidth": 2},
    "dashes": {"linewidth": 1.5, "dashes": (4, 3)},
    "both": {"linewidth": 2, "marker": "o", "markersize": 5},
    "dots": {"linewidth": 0, "marker": "o", "markersize": 3},
}


def curves(
    *drawn: Curve, x: str, y: str, alt: str, height: int = 270, log: bool = False
) -> Chart:
    """Draw curves over one pair of axes that begin at 0, with whole numbers below.

    A label that would lie on a dot stands above it.

    Args:
        drawn: the curves, the lowest first.
        x: what the horizontal axis shows, with its unit.
        y: what the vertical axis shows, with its unit; it stands above the axis.
        alt: what the chart shows, for those who do not see it.
        height: in pixels.
        log: whether the horizontal axis is logarithmic; it says so.

    Raises:
        ValueError: if *alt* is empty or a colour is not one of the book's.
    """
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(height)
        labels = []
        for curve in drawn:
            colour = _colour(curve.colour)
            xs, ys = zip(*curve.points, strict=True)
            look = dict(_LOOKS[curve.style])
            if curve.style == "dots" and len(xs) <= _FEW:
                look["markersize"] = 2 * _RADIUS
            # Above the axis, which would hide half of a dot at 0.
            axes.plot(xs, ys, color=colour, clip_on=False, zorder=3, **look)  # type: ignore[arg-type]
            where = curve.label_at or curve.points[-1]
            labels.append(
                axes.annotate(
                    curve.label,
                    where,
                    xytext=(0, 0) if curve.label_at else (6, 0),
                    textcoords="offset points",
                    color=colour,
                    va="center",
                )
            )
        if log:
            _make_logarithmic(axes, [px for one in drawn for px, _ in one.points], x)
        else:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
            axes.set_xlabel(x)
        axes.set_ylim(bottom=0)
        axes.set_title(y, loc="left", fontsize=12, color=_MUTED, x=0, pad=12)
        _lift_off_dots(
            figure,
            axes,
            labels,
            [
                dot
                for one in drawn
                if "marker" in _LOOKS[one.style]
                for dot in one.points
            ],
        )
        return _chart(figure, alt)


def _make_logarithmic(axes: Axes, values: Sequence[float], label: str) -> None:
    """Give the horizontal axis a logarithmic scale that can be read, and say so."""
    axes.set_xscale("log")
    low, high = min(values), max(values)
    decades = math.log10(high / low)
    # There is room for about six numbers.
    few, some, many = (1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)
    digits = few if decades > 2.5 else some if decades > 1.5 else many
    axes.xaxis.set_major_locator(LogLocator(subs=digits, numticks=12))
    # The default labels are mathematics, which are not parsed here.
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(f"{label}, logarithmic")


def _lift_off_dots(
    figure: Figure,
    axes: Axes,
    labels: Iterable[Annotation],
    dots: Sequence[tuple[float, float]],
) -> None:
    """Move each label that lies on a dot up, until it lies on none."""
    figure.draw_without_rendering()  # sets the places of all
    point = figure.dpi / _PX
    places = [axes.transData.transform(dot) for dot in dots]
    for label in labels:
        box = label.get_window_extent().padded(_RADIUS * point)
        lifted = 0.0
        while under := [
            y for x, y in places if box.x0 < x < box.x1 and box.y0 < y - lifted < box.y1
        ]:
            lifted = max(under) - box.y0 + 1
        across, up = label.xyann
        label.xyann = (across, up + lifted / point)


def ranking(
    rows: Iterable[tuple[str, float, str]],
    *,
    x: str,
    alt: str,
    predicted: Mapping[str, float] | None = None,
    spread: Mapping[str, tuple[float, float]] | None = None,
    form: str = ".3f",
) -> Chart:
    """Draw one dot a row on a logarithmic axis, with its value beside it.

    Args:
        rows: label, value above 0 and colour (a key of
            :data:`looplab.draw.COLOURS`), the first at the top.
        x: what the axis shows, with its unit.
        alt: what the chart shows, for those who do not see it.
        form: how the values are written, as a format of Python.
        predicted: a value by label, drawn as a ring: a prediction that is right has the
            dot in its middle.
        spread: the least and the most by label, drawn as a line through the dot.

    Raises:
        ValueError: if *alt* is empty, a value is not above 0 or a colour is not one of
            the book's.
    """
    listed = list(rows)
    spread = spread or {}
    for label, value, _ in listed:
        for number in (value, *spread.get(label, ())):
            if not number > 0:
                raise ValueError(
                    f"{label} is {number}: a logarithmic axis has no such place"
                )
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(44 + 22 * len(listed))
        for place, (label, value, name) in enumerate(listed):
            colour = _colour(name)
            axes.plot([value], [place], "o", color=colour, markersize=5, clip_on=False)
            if predicted and label in predicted:
                axes.plot(
                    [predicted[label]],
                    [place],
                    "o",
                    markersize=11,
                    markerfacecolor="none",
                    markeredgecolor=_MUTED,
                    clip_on=False,
                )
            low, high = spread.get(label, (value, value))
            if low < high:
                axes.plot([low, high], [place, place], color=colour, linewidth=2)
            axes.annotate(
                format(value, form),
                (high, place),
                xytext=(9, 0),
                textcoords="offset points",
                color=colour,
                va="center",
                fontsize=11,
            )
        axes.set_yticks(range(len(listed)), [label for label, _, _ in listed])
        axes.set_ylim(len(listed) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0, labelcolor=_INK)
        axes.spines["left"].set_visible(False)
        shown = [value for _, value, _ in listed]
        shown += itertools.chain(*spread.values(), (predicted or {}).values())
        _make_logarithmic(axes, shown, x)
        axes.grid(axis="x", color=_MUTED, alpha=0.25, linewidth=1)
        axes.set_axisbelow(True)
        return _chart(figure, alt)


#: How high the highest bar of a row is, as a share of the height of the row.
_FULL = 0.55


def strips(
    *rows: Strip,
    x: str,
    alt: str,
    most: float | None = None,
) -> Chart:
    """Draw the spread of each row: bars that say how often each value came out.

    In each row the most frequent value has the full height.  Below the bars a ring
    stands at the figure of the exact run, and a diamond at the published one.  The axis
    begins at 0.

    Args:
        rows: the first at the top.
        x: what the axis shows, with its unit.
        alt: what the chart shows, for those who do not see it.
        most: where the axis ends; at the greatest value if not given.

    Raises:
        ValueError: if there is no row, a row has no value, a value is negative or above
            *most*, *alt* is empty or a colour is not one of the book's.
    """
    if not rows:
        raise ValueError("there is no row: give at least one Strip")
    for row in rows:
        if not row.values:
            raise ValueError(f"{row.label} has no values: give one for each run")
        for value in (*row.values, row.exact, row.published):
            if value is not None and not (
                value >= 0 and (most is None or value <= most)
            ):
                raise ValueError(
                    f"{row.label} has {value}: give 0 or more"
                    + ("" if most is None else f", and {most:g} at most")
                )
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(86 + 40 * len(rows))
        for place, row in enumerate(rows):
            colour = _colour(row.colour)
            axes.axhline(place, color=_MUTED, alpha=0.25, linewidth=1, zorder=0)
            counted = Counter(row.values)
            often = max(counted.values())
            for value, runs in sorted(counted.items()):
                top = place - _FULL * runs / often
                axes.plot(
                    [value, value],
                    [place, top],
                    color=colour,
                    linewidth=2.5,
                    solid_capstyle="butt",
                    clip_on=False,
                )
            for mark, shape, filled in (
                (row.exact, "o", "none"),
                (row.published, "D", _INK),
            ):
                if mark is not None:
                    axes.plot(
                        [mark],
                        [place + 0.2],
                        shape,
                        markersize=7.5 if shape == "o" else 4,
                        markerfacecolor=filled,
                        markeredgecolor=_INK,
                        clip_on=False,
                    )
        axes.set_yticks(range(len(rows)), [row.label for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.75)
        axes.set_xlim(0, most)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.tick_params(axis="y", length=0, labelcolor=_INK)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(x)
        key = ["bars: how often"]
        for text, sign in (("exact", "\u25cb"), ("published", "\u25c6")):
            if any(getattr(row, text) is not None for row in rows):
                key.append(f"{sign} {text}")
        figure.suptitle(",  ".join(key), x=0.01, ha="left", fontsize=11, color=_MUTED)
        return _chart(figure, alt)


def _axes(height: int) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH / _PX, height / _PX), layout="constrained")
    return figure, figure.subplots()


def _colour(name: str) -> str:
    if name not in COLOURS:
        raise ValueError(
            f"the colour is {name!r}: it must be one of {', '.join(COLOURS)}"
        )
    return COLOURS[name]


def _chart(figure: Figure, alt: str) -> Chart:
    """Turn a figure into SVG that takes its colours and its font from the page."""
    if not alt.strip():
        raise ValueError("alt is empty: say in words what the chart shows")
    # Two charts of a page must not share an id; the same chart must keep its own.
    salt = hashlib.sha256(alt.encode()).hexdigest()[:8]
    text = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    # matplotlib's style sheet would apply to the whole page.
    unwanted = r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->"
    body = re.sub(unwanted, "", body, flags=re.S)
    # A hundredth of a pixel is enough, and hides how processors round.
    body = re.sub(r"<[^>]*>", _rounded, body)
    body = _own_ids(body, salt)
    body = body.replace(_INK, "currentColor").replace(_MUTED, "currentColor")
    for name, colour in COLOURS.items():
        body = body.replace(colour, f"var(--{name})")
    body = re.sub(r"'DejaVu Sans'(, sans-serif)?", "system-ui, sans-serif", body)
    body = re.sub(r">\s+<", "><", body.strip())
    size = f"{_WIDTH} {figure.get_figheight() * _PX:.0f}"
    name = escape(alt, quote=True)
    return Chart(
        f'<svg class="looplab-chart" role="img" aria-label="{name}" '
        # In the element itself: pages have rules of their own for pictures in outputs.
        f'style="max-width:{_WIDTH * 1.3:.0f}px" '
        f'viewBox="0 0 {size}" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink"><style>{_CSS}</style>{body}',
        alt,
    )


def _rounded(tag: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", tag[0])


def _own_ids(body: str, salt: str) -> str:
    """Drop the ids that nothing refers to and make the others unlike any chart's.

    They are counted: matplotlib's come from digits of places that are rounded off here.
    """
    reference = r'(xlink:href="#|url\(#)([\w-]+)'
    used = dict.fromkeys(name for _, name in re.findall(reference, body))
    own = {name: f"{salt}-{count}" for count, name in enumerate(used)}

    def mend(match: re.Match[str]) -> str:
        return f' id="{own[match[1]]}"' if match[1] in own else ""

    body = re.sub(r' id="([^"]*)"', mend, body)
    return re.sub(reference, lambda found: found[1] + own[found[2]], body)
