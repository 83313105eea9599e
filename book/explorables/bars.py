"""Bars below one another: the words of each stand above it, never on it."""

from __future__ import annotations

from collections.abc import Sequence

from charts import Axes, figure

__all__ = ["bars"]

ROW = 58  # pixels for the words and the bar below them


def bars(
    rows: Sequence[tuple[str, float, str, str]],
    most: float,
    scale: Sequence[tuple[float, str]],
) -> str:
    """A picture with one bar a row, over one scale.

    Args:
        rows: what a bar is for, its length, the length in words, and its colour's role.
        most: the length that fills the width.
        scale: lengths, and what stands for them below the last bar.
    """
    plots = []
    for place, (words, length, value, role) in enumerate(rows):
        plot = Axes(26 + ROW * place, 20, (0, most), (0, 1))
        plot.text(0, 1, words, "head", rise=8, anchor="start")
        plot.text(most, 1, value, role, rise=8, anchor="end")
        plot.line([(0, 0.5), (most, 0.5)], f"{role} area")
        if length > 0:
            plot.line([(0, 0.5), (min(length, most), 0.5)], f"{role} bar")
        plots.append(plot)
    plots[-1].below(scale)
    return figure(ROW * (len(rows) - 1) + 26 + 20 + 28, *plots)
