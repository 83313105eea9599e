"""The published log and a run, one over the other.

The only module of this room that needs matplotlib.
"""

from __future__ import annotations

import matplotlib

from looplab.draw import Chart
from ontime.figures import _INK, _MUTED, _PX, _STYLE, _WIDTH, _chart, _colour
from ontime.leases.published import Event, Log, events_of
from ontime.leases.results import LeaseRun

__all__ = ["lay_over"]

_COLOURS = {
    "received": "grey",
    "refreshed": "orange",
    "finished": "green",
    "lost": "blue",
}


def lay_over(log: Log, run: LeaseRun, *, title: str, parts: int = 3) -> Chart:
    """Draw each published event as the second in which it fell, and ours as a dot.

    There is a panel for each part of the log.  A dot on its bar is an event that both
    have, in the same second.  Below a panel stand the counts that were printed in it
    last, and ours at that moment.

    Args:
        log: what was published.
        run: a run of the same experiment.
        title: stands above.
        parts: how many parts to draw, the first ones.
    """
    drawn = log.parts[:parts]
    ours = events_of(run)
    found, shown = log.found_in(run, within=0), len(log.events)
    heights = [46 + 9 * len(_rows(part)) for part in drawn]
    with matplotlib.rc_context(_STYLE):
        figure = matplotlib.figure.Figure(
            figsize=(_WIDTH / _PX, (58 + sum(heights)) / _PX), layout="constrained"
        )
        panels = figure.subplots(len(drawn), squeeze=False, height_ratios=heights)
        for axes, part in zip(panels[:, 0], drawn, strict=True):
            rows = {message: row for row, message in enumerate(_rows(part))}
            first, last = part[0].at, part[-1].at + 1
            for event in part:
                axes.plot(
                    [event.at, event.at + 1],
                    [rows[event.message]] * 2,
                    color=_colour(_COLOURS[event.kind]),
                    alpha=0.35,
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
                        markerfacecolor=_colour(_COLOURS[event.kind]),
                        markeredgecolor=_INK,
                        markeredgewidth=0.6,
                    )
            axes.set_xlim(first - 0.6, last + 0.6)
            axes.set_ylim(len(rows) - 0.3, -0.7)
            step = 1 if len(rows) <= 12 else 4
            shown_rows = list(rows.items())[::step]
            axes.set_yticks(
                [row for _, row in shown_rows], [str(one) for one, _ in shown_rows]
            )
            axes.tick_params(labelsize=9)
            axes.set_xlabel(_counts(log, run, last), fontsize=10)
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, color=_MUTED)
        alt = (
            f"{title}. {len(drawn)} panels, a row for each message. A published event "
            f"is a bar of one second, ours a dot. Of {shown} published events "
            f"{found} have a dot of their kind in the same second."
        )
        return _chart(figure, alt)


def _rows(part: tuple[Event, ...]) -> list[int]:
    return sorted({event.message for event in part})


def _counts(log: Log, run: LeaseRun, until: float) -> str:
    seconds = [second for second in log.states if second < until]
    if not seconds:
        return "seconds"
    last = max(seconds)
    near = [run.state(last + n / 10) for n in range(10)]
    printed = log.states[last]
    ours = printed if printed in near else near[5]
    return f"seconds; at {last} s published {printed}, ours {ours}"
