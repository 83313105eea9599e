"""One dot a row, on a logarithmic axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import matplotlib

from looplab.draw import Chart
from looplab.draw.palette import check_colour
from ontime.figures.chart import INK, MUTED, STYLE, as_chart, make_logarithmic, new_axes

__all__ = ["ranking"]


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
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes(44 + 22 * len(listed))
        for place, (label, value, name) in enumerate(listed):
            colour = check_colour(name)
            axes.plot([value], [place], "o", color=colour, markersize=5, clip_on=False)
            if predicted and label in predicted:
                axes.plot(
                    [predicted[label]],
                    [place],
                    "o",
                    markersize=11,
                    markerfacecolor="none",
                    markeredgecolor=MUTED,
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
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.spines["left"].set_visible(False)
        shown = [value for _, value, _ in listed]
        shown += itertools.chain(*spread.values(), (predicted or {}).values())
        make_logarithmic(axes, shown, x)
        axes.grid(axis="x", color=MUTED, alpha=0.25, linewidth=1)
        return as_chart(figure, alt)
