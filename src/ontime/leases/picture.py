"""The published log and a run, one over the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from looplab.draw.chart import Chart, as_wide_as_room, sign, words
from looplab.draw.palette import COLOURS, halo, themed
from ontime.leases.published import Event, Log, events_of
from ontime.leases.runs import LeaseRun

__all__ = ["lay_over"]

# What befalls a message: its colour, and the sign that tells it apart without one.
_KINDS = {
    "received": ("grey", "M-4-4L5 0L-4 4z"),
    "refreshed": ("blue", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0"),
    "finished": ("green", "M-4-4h8v8h-8z"),
    "lost": ("orange", "M-4.5-4.5l9 9m0-9l-9 9"),
}
_ROW, _HEAD, _BELOW, _LEFT = 15, 42, 48, 34  # pixels
_NAME = "looplab-log"
_CSS = (
    themed(
        _NAME,
        "overflow:visible;display:block;max-width:44rem",
        ground=True,
        letters=True,
    )
    + halo(_NAME, "var(--paper)")
    + f".{_NAME} text{{fill:var(--ink);font-size:var(--small);"
    "font-variant-numeric:tabular-nums}"
    f".{_NAME} .n{{font-size:var(--text);font-weight:600}}"
    f".{_NAME} .k{{fill:var(--muted)}}"
    f".{_NAME} .r{{stroke:var(--rule)}}"
    f".{_NAME} rect{{fill:none;stroke-width:1.5}}"
    f".{_NAME} path{{stroke-width:2}}"
    + "".join(
        f".{_NAME} :is(rect,path).{name}{{stroke:var(--{name})}}"
        f".{_NAME} text.{name}{{fill:var(--{name})}}"
        f".{_NAME} path.{name}{{fill:var(--{name})}}"
        for name in COLOURS
    )
)


def lay_over(log: Log, run: LeaseRun, *, title: str) -> Chart:
    """Draw each published event as the second in which it fell, and ours as a sign.

    There is a panel for each of the first three parts of the log, with a row for each
    message.  A published event is an empty box; a sign in it is the same event of ours,
    in the same second.  Each kind is named once, beside a box with room.

    Args:
        log: what was published.
        run: a run of the same experiment.
        title: stands above.
    """
    drawn = log.parts[:3]
    named: set[str] = set()
    body = [f'<text class="n" x="0" y="14" dx="{-_LEFT}">{escape(title)}</text>']
    y = float(_HEAD)
    for part in drawn:
        body += _panel(part, events_of(run), y, named)
        y += len({event.message for event in part}) * _ROW + _BELOW
    matched, shown = log.found_in(run, within=0), len(log.events)
    alt = (
        f"{title}. {len(drawn)} panels, a row for each message. A published event "
        "is an empty box of one second, ours a sign: received a triangle, refreshed a "
        f"dot, finished a square, lost a cross. Of {shown} published events {matched} "
        "have a sign of their kind in the same second."
    )
    return as_wide_as_room(_NAME, _CSS, "".join(body), alt, height=y, left=_LEFT)


def _panel(
    part: list[Event], ours: list[Event], top: float, named: set[str]
) -> Iterator[str]:
    """A part of the log: its rows, boxes and signs, and the seconds below them."""
    first, last = part[0].at, part[-1].at + 1
    rows = {
        message: top + _ROW * (row + 0.5)
        for row, message in enumerate(sorted({event.message for event in part}))
    }
    floor = top + _ROW * len(rows)

    def across(at: float) -> float:
        return 100 * (at - first + 0.6) / (last - first + 1.2)

    second = across(first + 1) - across(first)
    step = 1 if len(rows) <= 12 else 4
    for row, (message, y) in enumerate(rows.items()):
        yield f'<line class="r" x2="100%" y1="{y}" y2="{y}"/>'
        if row % step == 0:
            yield words(0, y + 4, str(message), "k", 'text-anchor="end" dx="-6"')
    yield words(0, top - 6, "message", "k", f'dx="{-_LEFT}"')
    for event in part:
        colour = _KINDS[event.kind][0]
        yield (
            f'<rect class="{colour}" x="{across(event.at):.2f}%" '
            f'y="{rows[event.message] - 6:.1f}" width="{second:.2f}%" height="12" '
            'rx="2"/>'
        )
    shown = [
        event
        for event in ours
        if event.message in rows and first - 0.5 <= event.at <= last + 0.5
    ]
    for event in shown:
        colour, path = _KINDS[event.kind]
        yield sign(across(event.at), rows[event.message], path, colour)

    def room(event: Event) -> float:
        """Seconds beside the box of an event until the next of its message."""
        end = math.floor(event.at) + 1
        others = (e.at for e in (*part, *shown) if e.message == event.message)
        return min((at for at in others if at >= end), default=last + 0.6) - end

    published = {(event.kind, event.message, event.at) for event in part}
    boxed = [e for e in shown if (e.kind, e.message, math.floor(e.at)) in published]
    for kind in dict.fromkeys(event.kind for event in boxed if event.kind not in named):
        named.add(kind)
        event = max((e for e in boxed if e.kind == kind), key=room)
        x, where = across(math.floor(event.at) + 1), 'dx="5"'
        if x >= 80:
            x, where = across(math.floor(event.at)), 'dx="-5" text-anchor="end"'
        y = rows[event.message] + 4
        yield words(x, y, kind, f"n {_KINDS[kind][0]}", where)
    tick = max(1, math.ceil((last - first) / 7))
    for at in range(math.ceil(first), math.floor(last) + 1, tick):
        yield words(across(at), floor + 14, f"{at} s", "k", 'text-anchor="middle"')
