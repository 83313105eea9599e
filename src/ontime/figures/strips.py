"""The spread of many runs, one row for each kind of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.ticker import MaxNLocator

from looplab.draw import Chart
from looplab.draw.palette import PLAIN, check_colour
from ontime.figures.chart import (
    INK,
    MUTED,
    STYLE,
    as_chart,
    name_rows,
    new_axes,
)

__all__ = ["Strip", "strips"]


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
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes(86 + 40 * len(rows))
        for place, row in enumerate(rows):
            colour = check_colour(row.colour)
            axes.axhline(place, color=MUTED, alpha=0.25, linewidth=1, zorder=0)
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
                (row.published, "D", INK),
            ):
                if mark is not None:
                    axes.plot(
                        [mark],
                        [place + 0.2],
                        shape,
                        markersize=7.5 if shape == "o" else 4,
                        markerfacecolor=filled,
                        markeredgecolor=INK,
                        clip_on=False,
                    )
        name_rows(axes, [row.label for row in rows], above=0.75)
        axes.set_xlim(0, most)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.set_xlabel(x)
        key = ["bars: how often"]
        for text, sign in (("exact", "\u25cb"), ("published", "\u25c6")):
            if any(getattr(row, text) is not None for row in rows):
                key.append(f"{sign} {text}")
        figure.suptitle(",  ".join(key), x=0.01, ha="left", fontsize=11, color=MUTED)
        return as_chart(figure, alt)
