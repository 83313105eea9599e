"""One dot a row, or a pair of them, on a logarithmic axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from looplab.draw import Chart
from looplab.draw.palette import check_colour
from ontime.figures.chart import INK, MUTED, STYLE, as_chart, make_logarithmic, new_axes

__all__ = ["pairs", "ranking"]


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
    """
    listed, spread = list(rows), spread or {}
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
            _beside(axes, high, place, format(value, form), colour)
        _name_rows(axes, [label for label, _, _ in listed])
        shown = [value for _, value, _ in listed]
        shown += itertools.chain(*spread.values(), (predicted or {}).values())
        return _finished(figure, axes, shown, x, alt)


def pairs(
    rows: Iterable[tuple[str, float, float]],
    *,
    names: tuple[str, str],
    x: str,
    alt: str,
) -> Chart:
    """Draw two dots a row on a logarithmic axis, joined, each with its value.

    Args:
        rows: label and the two values above 0, the first row at the top.
        names: what the two are: the first is blue, the second orange.
        x: what the axis shows, with its unit.
        alt: what the chart shows, for those who do not see it.
    """
    listed = list(rows)
    colours = (check_colour("blue"), check_colour("orange"))
    with matplotlib.rc_context(STYLE):
        figure, axes = new_axes(62 + 24 * len(listed))
        for place, (_, *both) in enumerate(listed):
            axes.plot(both, [place, place], color=MUTED, alpha=0.4, linewidth=3)
            for value, other, colour in zip(both, reversed(both), colours, strict=True):
                axes.plot([value], [place], "o", color=colour, clip_on=False)
                is_left = value < other or (value == other and colour == colours[0])
                _beside(axes, value, place, f"{value:.3f}", colour, left=is_left)
        for value, other, name, colour in zip(
            listed[0][1:], listed[0][:0:-1], names, colours, strict=True
        ):
            _beside(axes, value, -0.8, name, colour, left=value <= other)
        _name_rows(axes, [label for label, *_ in listed], above=1.2)
        shown = [value for _, *both in listed for value in both]
        room = max(shown) / min(shown)  # for the words beside the outermost dots
        axes.set_xlim(min(shown) / 1.3 / room**0.3, max(shown) * 1.3 * room**0.2)
        return _finished(figure, axes, shown, x, alt)


def _beside(
    axes: Axes, x: float, y: float, words: str, colour: str, *, left: bool = False
) -> None:
    """Write beside a dot, on its right or its left."""
    axes.annotate(
        words,
        (x, y),
        xytext=(-9 if left else 9, 0),
        textcoords="offset points",
        color=colour,
        ha="right" if left else "left",
        va="center",
        fontsize=11,
    )


def _name_rows(axes: Axes, names: list[str], above: float = 0.5) -> None:
    """Name the rows, the first at the top, with so many rows of room over it."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -above)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.spines["left"].set_visible(False)


def _finished(
    figure: Figure, axes: Axes, shown: list[float], x: str, alt: str
) -> Chart:
    make_logarithmic(axes, shown, x)
    axes.grid(axis="x", color=MUTED, alpha=0.25, linewidth=1)
    return as_chart(figure, alt)
