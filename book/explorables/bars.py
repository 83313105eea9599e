"""Bars below one another: the words of each stand above it, never on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from charts import Axes, figure

__all__ = ["bars"]

ROW = 58  # pixels for the words and the bar below them


def bars(rows: Sequence[tuple[str, float, str, str]], most: float) -> str:
    """A picture with one bar a row, over one scale in milliseconds.

    Args:
        rows: what a bar is for, its seconds, these in words, and its colour's role.
        most: the seconds of the longest bar at any position of the slider.
    """
    scale = _scale(most)
    most = scale[-1]
    plots = []
    for place, (words, length, value, role) in enumerate(rows):
        plot = Axes(26 + ROW * place, 20, (0, most), (0, 1))
        plot.text(0, 1, words, "head", rise=8, anchor="start")
        plot.text(most, 1, value, role, rise=8, anchor="end")
        plot.line([(0, 0.5), (most, 0.5)], f"{role} area")
        if length > 0:
            plot.line([(0, 0.5), (min(length, most), 0.5)], f"{role} bar")
        plots.append(plot)
    plots[-1].below([(seconds, f"{1000 * seconds:,.0f} ms") for seconds in scale])
    return figure(ROW * (len(rows) - 1) + 26 + 20 + 28, *plots)


def _scale(most: float) -> list[float]:
    """Round values from 0 to ``most`` or a little more, at most five steps of them."""
    unit = 10.0 ** math.floor(math.log10(most / 4))
    step = next(unit * n for n in (1, 2, 5, 10) if most <= 5 * unit * n)
    return [step * n for n in range(math.ceil(most / step) + 1)]
