"""The published log and a run, one over the other.

The only module of this room that needs matplotlib.
"""

from __future__ import annotations

from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from looplab.draw import Chart
from looplab.draw.palette import check_colour
from ontime.figures.chart import INK, MUTED, PX, STYLE, WIDTH, as_chart
from ontime.leases.published import Event, Log, events_of
from ontime.leases.results import LeaseRun

__all__ = ["lay_over"]

_COLOURS = {
    "received": "grey",
    "refreshed": "orange",
    "finished": "green",
    "lost": "blue",
}
_HEAD = 62  # for the title and the key
_ROW = 11  # as high as its number
_BELOW = 64  # a panel's axis: its numbers and its words


def lay_over(log: Log, run: LeaseRun, *, title: str, parts: int = 3) -> Chart:
    """Draw each published event as the second in which it fell, and ours as a dot.

    There is a panel for each part of the log.  A dot on its bar is an event that both
    have, in the same second.  Below the title stand the colours of the kinds.  Below a
    panel stand the counts that were printed in it last, and ours at that moment.

    Args:
        log: what was published.
        run: a run of the same experiment.
        title: stands above.
        parts: how many parts to draw, the first ones.
    """
    drawn = log.parts[:parts]
    ours = events_of(run)
    matched, shown = log.found_in(run, within=0), len(log.events)
    rows_of = [len(_rows(part)) for part in drawn]
    height = _HEAD + sum(_BELOW + _ROW * rows for rows in rows_of)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH / PX, height / PX))
        figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - _HEAD / height))
        panels = figure.subplots(len(drawn), squeeze=False, height_ratios=rows_of)
        for axes, part in zip(panels[:, 0], drawn, strict=True):
            rows = {message: row for row, message in enumerate(_rows(part))}
            first, last = part[0].at, part[-1].at + 1
            for event in part:
                axes.plot(
                    [event.at, event.at + 1],
                    [rows[event.message]] * 2,
                    color=check_colour(_COLOURS[event.kind]),
                    alpha=0.45,
                    linewidth=6,
                    solid_capstyle="butt",
                )
            for event in ours:
                if event.message in rows and first - 0.5 <= event.at <= last + 0.5:
                    axes.plot(
                        [event.at],
                        [rows[event.message]],
                        "o",
                        markersize=4,
                        markerfacecolor=check_colour(_COLOURS[event.kind]),
                        markeredgecolor=INK,
                        markeredgewidth=0.6,
                    )
            axes.set_xlim(first - 0.6, last + 0.6)
            axes.set_ylim(len(rows) - 0.3, -0.7)
            step = 1 if len(rows) <= 12 else 4
            shown_rows = list(rows.items())[::step]
            axes.set_yticks(
                [row for _, row in shown_rows], [str(name) for name, _ in shown_rows]
            )
            axes.tick_params(labelsize=10)
            axes.xaxis.set_major_locator(MaxNLocator(7, integer=True))
            axes.set_ylabel("message", fontsize=10)
            axes.set_xlabel(f"seconds\n{_counts(log, run, last)}", fontsize=10.5)
        _write_head(figure, title, height)
        colours = ", ".join(f"{kind} {colour}" for kind, colour in _COLOURS.items())
        alt = (
            f"{title}. {len(drawn)} panels, a row for each message. A published event "
            f"is a bar of one second, ours a dot; {colours}. Of {shown} published "
            f"events {matched} have a dot of their kind in the same second."
        )
        return as_chart(figure, alt)


def _write_head(figure: Figure, title: str, height: int) -> None:
    """The title, the kinds in their colours, and what the counts count."""
    left = 0.01

    def write(text: str, x: float, down: float, **look: Any) -> None:
        figure.text(x, 1 - down / height, text, va="baseline", **look)

    write(title, left, 15, fontsize=12, color=MUTED)
    for place, (kind, colour) in enumerate(_COLOURS.items()):
        at = left + place / len(_COLOURS)
        write(f"\u25a0 {kind}", at, 33, fontsize=11, color=check_colour(colour))
    counted = "below a panel, messages: received/finished/lost/running"
    write(counted, left, 51, fontsize=10.5, color=MUTED)


def _rows(part: list[Event]) -> list[int]:
    return sorted({event.message for event in part})


def _counts(log: Log, run: LeaseRun, until: float) -> str:
    seconds = [second for second in log.states if second < until]
    if not seconds:
        return ""
    last = max(seconds)
    near = [run.state(last + n / 10) for n in range(10)]
    printed = log.states[last]
    ours = printed if printed in near else near[5]
    return f"at {last} s published {printed}, ours {ours}"
