"""Curves over one pair of axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator

from looplab.draw import Chart
from looplab.draw.palette import PLAIN, check_colour
from ontime.figures.chart import (
    MUTED,
    PX,
    STYLE,
    as_chart,
    make_logarithmic,
    new_axes,
)

__all__ = ["Curve", "curves"]


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
    """
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes(height)
        labels = []
        for curve in drawn:
            colour = check_colour(curve.colour)
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
            make_logarithmic(axes, [px for curve in drawn for px, _ in curve.points], x)
        else:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
            axes.set_xlabel(x)
        axes.set_ylim(bottom=0)
        axes.set_title(y, loc="left", fontsize=12, color=MUTED, x=0, pad=12)
        _lift_off_dots(
            figure,
            axes,
            labels,
            [
                dot
                for curve in drawn
                if "marker" in _LOOKS[curve.style]
                for dot in curve.points
            ],
        )
        return as_chart(figure, alt)


def _lift_off_dots(
    figure: Figure,
    axes: Axes,
    labels: Iterable[Annotation],
    dots: Sequence[tuple[float, float]],
) -> None:
    """Move each label that lies on a dot up, until it lies on none."""
    figure.draw_without_rendering()  # sets the places of all
    point = figure.dpi / PX
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
