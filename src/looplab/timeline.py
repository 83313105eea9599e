"""A trace drawn as a timeline: who had the thread, and who waited for it.

Time runs from left to right.  A lane is a task, or a group of equal tasks.  A block is
a callback that holds the one thread; the line before it is the wait: from the time its
timer was due (lateness) or from the time it was ready (queueing delay) to the time it
ran. The lowest lane is the thread itself, where the blocks of all lanes meet and never
overlap.

>>> from looplab import Timeline, record
>>> async def main():
...     pass
>>> Timeline(record(main())).alt
'Timeline of 1 callback from 0 s to 0 s (virtual clock, exact). The thread is busy \
for 0 s and idle for 0 s. main: 1 callback, no wait.'

The picture is SVG written by this module: the same trace gives the same text, byte for
byte.  Text keeps its size and only the time axis stretches, so it can be read on a
phone.  What is too narrow to be seen is merged into blocks that are paler the more idle
time they hold, and the picture stays below about 60 kB for any trace.

The module uses the standard library only.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from html import escape
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from looplab.trace import Record, Trace

__all__ = ["COLOURS", "COLOURS_DARK", "Timeline"]

#: The book's colours on a light ground.  They differ for colour-blind readers too, and
#: text in them has a contrast of at least 4.5 to 1.
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "heartbeat": "#b8430b",
        "jobs": "#0b62a4",
        "leases": "#08704f",
        "idle": "#66707b",
    }
)

#: The same on a dark ground.
COLOURS_DARK: Mapping[str, str] = MappingProxyType(
    {
        "heartbeat": "#ff9d63",
        "jobs": "#6db7f2",
        "leases": "#4fcfa4",
        "idle": "#98a2ae",
    }
)

_GROUND = {"paper": "#ffffff", "ink": "#1f2429", "muted": "#59636e", "rule": "#d9dee4"}
_GROUND_DARK = {
    "paper": "#14181e",
    "ink": "#e8edf2",
    "muted": "#a3adb8",
    "rule": "#343c46",
}

_NS = 1_000_000_000
_SCALE = 9600  # units across the plot
_MARGIN, _SPAN = 2.0, 96.0  # per cent of the width left of the plot, and of the plot
_PHONE = 330.0  # pixels across the plot on a phone: labels must fit into that
_NOTCHED = 7.0  # pixels of callbacks between which a line is drawn
_MAX_BYTES = 60_000
_MAX_LANES = 12
_SIZES = ((48, 300), (32, 240), (24, 200), (16, 150), (8, 120), (4, 100), (1, 100))
_OPACITY = {1: "0.35", 2: "0.55", 3: "0.8", 4: "1"}


def _css() -> str:
    def variables(*groups: Mapping[str, str]) -> str:
        return ";".join(f"--{k}:{v}" for group in groups for k, v in group.items())

    light = variables(COLOURS, _GROUND)
    dark = variables(COLOURS_DARK, _GROUND_DARK)
    return (
        f".looplab-tl{{{light};overflow:hidden;"
        "font:12px/1.3 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
        f'html[data-theme="dark"] .looplab-tl{{{dark}}}'
        "@media (prefers-color-scheme:dark){html:not([data-theme]) .looplab-tl"
        f"{{{dark}}}}}"
        ".looplab-tl text{fill:var(--ink);font-variant-numeric:tabular-nums}"
        ".looplab-tl .n{font-weight:650;font-size:13px}"
        ".looplab-tl .f,.looplab-tl .k{fill:var(--muted)}"
        ".looplab-tl .k{font-size:11px}"
        ".looplab-tl .h{font-weight:650;font-size:14px}"
        ".looplab-tl .big{font-weight:700;font-size:14px}"
        ".looplab-tl .on{fill:var(--paper);font-size:11px;font-weight:600}"
        ".looplab-tl path{vector-effect:non-scaling-stroke}"
        ".looplab-tl .g{stroke:var(--rule);stroke-width:1;fill:none}"
        ".looplab-tl path.t{fill:var(--rule);opacity:.55}"
        ".looplab-tl .w{fill:none;stroke-width:2}"
        ".looplab-tl .q{opacity:.2}"
        ".looplab-tl .s{stroke-width:1}"
        ".looplab-tl .o{stroke:var(--paper);stroke-width:1.5;fill:none}"
        ".looplab-tl .m{stroke:var(--muted);stroke-dasharray:3 3;fill:none}"
        + "".join(
            f".looplab-tl .{name} .c{{fill:var(--{name});stroke:none}}"
            f".looplab-tl .{name} .w,.looplab-tl .{name} .s{{stroke:var(--{name})}}"
            for name in COLOURS
        )
    )


def _seconds(ns: int) -> str:
    """*ns* in a unit and with as many digits as a reader wants."""
    size = abs(ns)
    if size == 0:
        return "0 s"
    if size >= 100 * _NS:
        return f"{ns / _NS:,.0f} s"
    if size >= 10 * _NS:
        return f"{ns / _NS:.2f} s"
    if size >= 1_000_000:
        return f"{ns / _NS:.3f} s"
    if size >= 1_000:
        return f"{ns / 1_000:.0f} µs"
    return f"{ns} ns"


def _moment(ns: int) -> str:
    """*ns* as a point in time: without zeros at the end."""
    text = _seconds(ns)
    number, unit = text.split(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _width(text: str, size: float = 12) -> float:
    """About how many pixels *text* takes."""
    return len(text) * size * 0.56


def _shortened(name: str, most: int = 36) -> str:
    if len(name) <= most:
        return name
    return f"{name[: most // 2 - 1]}…{name[-(most // 2) :]}"


def _percent(x: float) -> str:
    return f"{_MARGIN + _SPAN * x / _SCALE:.4g}%"


_DEFAULT_NAME = re.compile(r"Task-\d+")
_NUMBER_AT_END = re.compile(r"[\s_:.#-]*\d+$")
_ROLE_WORDS = (
    ("heartbeat", ("heartbeat", "probe")),
    ("leases", ("lease", "renew", "receive", "consumer")),
)


def _bare(label: str) -> str:
    return label.rpartition("<locals>.")[2]


def _stem(one: Record) -> str | None:
    """The lane of a record; ``None`` for a callback by which the loop helps itself."""
    if one.task is None:
        label = _bare(one.label)
        if label.rpartition(".")[2].startswith("_"):
            return None
        return f"{label}()"
    if _DEFAULT_NAME.fullmatch(one.task):
        return _bare(one.label)
    return _NUMBER_AT_END.sub("", one.task) or one.task


@dataclass
class _Lane:
    stem: str
    records: list[Record]
    role: str = "jobs"
    busy: int = 0
    tasks: list[str | None] = field(default_factory=list)
    name: str = ""

    def __post_init__(self) -> None:
        names = dict.fromkeys(one.task for one in self.records)
        self.tasks = sorted(names, key=_numbers_in_order)

    @property
    def timed(self) -> list[Record]:
        return [one for one in self.records if one.due_ns is not None]

    @property
    def latest(self) -> Record | None:
        return max(self.timed, key=_lateness, default=None)

    @property
    def longest_queue(self) -> int:
        return max(
            (one.run_ns - one.ready_ns for one in self.records if one.due_ns is None),
            default=0,
        )


def _numbers_in_order(name: str | None) -> tuple[str, int]:
    """Sort names by the number at their end."""
    name = name or ""
    number = re.search(r"\d+$", name)
    return _NUMBER_AT_END.sub("", name), int(number.group()) if number else -1


def _lateness(one: Record) -> int:
    return 0 if one.due_ns is None else one.run_ns - one.due_ns


def _wait_from(one: Record) -> int:
    return one.ready_ns if one.due_ns is None else one.due_ns


class Timeline:
    """A picture of a trace, for a notebook, a page or a file.

    In a notebook it shows itself.  :attr:`svg` is the picture for a file, :attr:`alt`
    says in words what it shows, :meth:`to_chrome_trace` opens it in Perfetto.

    Tasks that asyncio named (``Task-7``) share a lane if they run the same coroutine;
    tasks that you named share one if the names differ only in the number at the end.
    Callbacks by which the loop helps itself, such as the one that ends a sleep, are
    drawn in the thread's lane only.

    Args:
        trace: what :func:`looplab.record` or a :class:`looplab.LoopTracer` recorded.
        title: printed above the picture.
        start: seconds, the left end; the default is the start of the trace.
        end: seconds, the right end; the default is the end of the trace.
        lanes: how many lanes at most, 12 if not given, the rest sharing the last one;
            or the lanes by name and in order, where ``*`` stands for anything.
        roles: a colour by name of lane, as in ``{"consumer": "leases"}``; the names of
            the colours are the keys of :data:`COLOURS`.
        marks: moments to point out below the lanes, as (seconds, a word or two).

    Raises:
        TypeError: if *trace* is no trace, or a mark is not a number and a text.
        ValueError: if the trace is empty or has nothing between *start* and *end*, if
            *start* is not before *end* or one is not finite, if a lane or a colour
            does not exist, or if a mark is not between *start* and *end*.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
        lanes: int | Sequence[str] | None = None,
        roles: Mapping[str, str] | None = None,
        marks: Iterable[tuple[float, str]] = (),
    ) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(
                f"Timeline takes a Trace, not {type(trace).__name__}: make one with "
                "record(main()) or LoopTracer()"
            )
        if not len(trace):
            raise ValueError(
                "the trace is empty, there is nothing to draw: trace a loop that runs "
                "at least one callback"
            )
        for what, value in ("start", start), ("end", end):
            if value is not None and not math.isfinite(value):
                raise ValueError(
                    f"{what} is {value} s: give a finite number of seconds"
                )
        self.trace = trace
        self.title = title
        self._start = 0 if start is None else round(start * _NS)
        self._end = trace.end_ns if end is None else round(end * _NS)
        if self._start > self._end or (
            self._start == self._end and (start is not None or end is not None)
        ):
            raise ValueError(
                f"start is {self._start / _NS:.9g} s and end is "
                f"{self._end / _NS:.9g} s: the start must come before the end"
            )
        for name, role in (roles or {}).items():
            if role not in COLOURS:
                raise ValueError(
                    f"the colour of {name!r} is {role!r}: it must be one of "
                    f"{', '.join(COLOURS)}"
                )
        self._marks = [self._checked_mark(mark) for mark in marks]
        self._shown = [
            one
            for one in trace
            if one.ended_ns >= self._start
            and min(_wait_from(one), one.run_ns) <= self._end
        ]
        if not self._shown:
            raise ValueError(
                f"no callback runs or waits between {self._start / _NS:.9g} and "
                f"{self._end / _NS:.9g} s: the trace goes from 0 to "
                f"{trace.duration:.9g} s"
            )
        # A trace in which no time passed still has a picture.
        self._length = max(self._end - self._start, 1)
        self._helpers = [one for one in self._shown if _stem(one) is None]
        self._lanes = self._make_lanes(lanes, roles or {})
        self._role_of = {
            id(one): lane.role for lane in self._lanes for one in lane.records
        }
        self._svg: str | None = None

    def _checked_mark(self, mark: object) -> tuple[int, str]:
        match mark:
            case (int() | float() as at, str() as text) if not isinstance(at, bool):
                pass
            case _:
                raise TypeError(f"a mark is {mark!r}: give seconds and a text")
        if not (math.isfinite(at) and self._start <= round(at * _NS) <= self._end):
            raise ValueError(
                f"the mark {text!r} is at {at} s: the picture goes from "
                f"{self._start / _NS:.9g} to {self._end / _NS:.9g} s"
            )
        return round(at * _NS), text

    # -- lanes -----------------------------------------------------------------------

    def _make_lanes(
        self, wanted: int | Sequence[str] | None, roles: Mapping[str, str]
    ) -> list[_Lane]:
        found: dict[str, list[Record]] = {}
        for one in self._shown:
            stem = _stem(one)
            if stem is not None:
                found.setdefault(stem, []).append(one)
        lanes = [_Lane(stem, ones) for stem, ones in found.items()]
        for lane in lanes:
            lane.role = _role(lane.stem, roles)
            if (
                len(lanes) > 1
                and lane.stem not in roles
                and lane.tasks == [self.trace[0].task]
                and _DEFAULT_NAME.fullmatch(lane.tasks[0] or "")
            ):
                lane.role = "idle"  # the main task, which only starts the others
            lane.busy = self._busy(lane.records)
            lane.name = _lane_name(lane)
        if isinstance(wanted, str):
            wanted = [wanted]
        if wanted is None or isinstance(wanted, int):
            most = _MAX_LANES if wanted is None else wanted
            if most < 1:
                raise ValueError(f"lanes is {most}: give 1 or more")
            lanes.sort(key=lambda lane: lane.role != "heartbeat")
            if len(lanes) <= most:
                return lanes
            heartbeats = [lane for lane in lanes if lane.role == "heartbeat"]
            others = [lane for lane in lanes if lane.role != "heartbeat"]
            ranked = heartbeats + sorted(others, key=lambda lane: -lane.busy)
            kept = {id(lane) for lane in ranked[: most - 1]}
            chosen = [lane for lane in lanes if id(lane) in kept]
        else:
            chosen = []
            for pattern in wanted:
                hits = [
                    lane
                    for lane in lanes
                    if lane not in chosen
                    and (
                        fnmatchcase(lane.stem, pattern)
                        or any(fnmatchcase(task or "", pattern) for task in lane.tasks)
                    )
                ]
                if not hits:
                    names = ", ".join(lane.stem for lane in lanes)
                    raise ValueError(
                        f"there is no lane {pattern!r}: the lanes are {names}"
                    )
                chosen += hits
            kept = {id(lane) for lane in chosen}
        rest = [lane for lane in lanes if id(lane) not in kept]
        if rest:
            records = [one for lane in rest for one in lane.records]
            other = _Lane("others", sorted(records, key=lambda one: one.run_ns))
            other.busy = self._busy(other.records)
            other.name = _many(len(other.tasks), "other task")
            other.role = "idle"
            chosen.append(other)
        return chosen

    # -- geometry --------------------------------------------------------------------

    def _x(self, ns: int) -> int:
        inside = min(max(ns, self._start), self._end) - self._start
        return round(inside * _SCALE / self._length)

    def _pixels(self, start: int, end: int) -> float:
        """How wide it is on a phone."""
        return (self._x(end) - self._x(start)) * _PHONE / _SCALE

    # -- the picture -----------------------------------------------------------------

    @property
    def svg(self) -> str:
        """The picture as SVG, 720 pixels wide; it may be given any width."""
        if self._svg is None:
            for rows, bins in _SIZES:
                self._svg = self._draw(rows, bins)
                if len(self._svg.encode()) <= _MAX_BYTES:
                    break
        assert self._svg is not None
        return self._svg

    def _repr_html_(self) -> str:
        inline = self.svg.replace('width="720"', 'width="100%"', 1)
        return f'<div class="looplab-timeline" style="max-width:60rem">{inline}</div>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.alt}>"

    def _draw(self, most_rows: int, bins: int) -> str:
        body: list[str] = []
        y = 6.0
        if self.title is not None:
            body.append(_text(_percent(0), y + 14, self.title, "h"))
            y += 26
        top = y
        for lane in self._lanes:
            y = self._draw_lane(body, lane, y, most_rows, bins)
        y = self._draw_thread(body, y, bins)
        lines, y = self._draw_marks(body, top, y)
        grid, y = self._draw_axis(top, y)
        for note in self._notes():
            y += 15
            body.append(_text(_percent(0), y, note, "k"))
        height = f"{y + 8:g}"
        inner = grid + lines + "".join(body)
        heading = self.title or "Timeline"
        digest = hashlib.sha256((heading + inner + self.alt).encode()).hexdigest()[:12]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="looplab-tl" width="720" '
            f'height="{height}" role="img" '
            f'aria-labelledby="tl-{digest}-t tl-{digest}-d">'
            f'<title id="tl-{digest}-t">{escape(heading)}</title>'
            f'<desc id="tl-{digest}-d">{escape(self.alt)}</desc>'
            f"<style>{_css()}</style>"
            # The ground of the page, if that has this name for it.
            '<rect width="100%" height="100%"'
            ' fill="var(--pst-color-background,var(--paper))"/>'
            f"{inner}</svg>"
        )

    def _draw_lane(
        self, body: list[str], lane: _Lane, y: float, most_rows: int, bins: int
    ) -> float:
        count = len(lane.tasks)
        rows = min(count, most_rows)
        many = count > 6
        if not many and rows == count:
            pitch, thick = (12.0, 9.0) if count > 1 else (18.0, 18.0)
        else:
            pitch = thick = max(2.0, round(96 / rows, 2))
        height = rows * pitch
        marks = self._late_marks(lane) if count == 1 else []

        body.append(f'<g class="{lane.role}">')
        name, facts = _shortened(lane.name), self._facts(lane)
        y += 15
        if _width(name, 14) + _width(facts) < _PHONE:
            body.append(
                f'<text x="{_percent(0)}" y="{y:g}"><tspan class="n c">{escape(name)}'
                f'</tspan><tspan class="f" dx="8">{escape(facts)}</tspan></text>'
            )
        else:
            body.append(_text(_percent(0), y, name, "n c"))
            y += 15
            body.append(_text(_percent(0), y, facts, "f"))
        y += 6
        if marks:
            y += 13
            body.extend(
                _text(_percent(x), y, text, "big c", anchor, dx=dx)
                for x, text, anchor, dx in marks
            )
            y += 6

        row_of = {task: i * rows // count for i, task in enumerate(lane.tasks)}
        in_row: list[list[Record]] = [[] for _ in range(rows)]
        for one in lane.records:
            in_row[row_of[one.task]].append(one)
        levels: dict[int, list[str]] = {}
        waits: list[str] = []
        counts: list[tuple[int, int, int, float]] = []
        for i, ones in enumerate(in_row):
            at = i * pitch
            for x, width in self._waits(ones, bins):
                if many:
                    waits.append(f"M{x} {at:g}h{width}v{pitch:g}h-{width}z")
                else:
                    waits.append(
                        f"M{x} {at + 1:g}v{thick - 2:g}M{x} {at + thick / 2:g}h{width}"
                    )
            for x, width, level, merged in self._blocks(ones, bins):
                levels.setdefault(level, []).append(
                    f"M{x} {at:g}h{width}v{thick:g}h-{width}z"
                )
                if merged > 1 and level == 4 and thick >= 14:
                    counts.append((x, width, merged, at))
        edge = "" if many else " s"
        base = "" if many else f'<path class="g" d="M0 {height / 2:g}h{_SCALE}"/>'
        body.append(_plot(y, height) + (base if rows == 1 else ""))
        if waits:
            body.append(
                f'<path class="{"c q" if many else "w"}" d="{"".join(waits)}"/>'
            )
        for level, paths in sorted(levels.items()):
            body.append(
                f'<path class="c{edge}" opacity="{_OPACITY[level]}" '
                f'd="{"".join(paths)}"/>'
            )
        notches = self._notches(in_row, pitch, thick) if rows == count else ""
        if notches:
            body.append(f'<path class="o" d="{notches}"/>')
            counts = []  # they can be counted
        body.append("</svg>")
        for x, width, merged, at in counts:
            text = f"{merged:,} callbacks"
            if width * _PHONE / _SCALE > _width(text, 11) + 8:
                middle = _percent(x + width / 2)
                body.append(_text(middle, y + at + thick / 2 + 4, text, "on", "middle"))
        if many:
            self._label_group(body, lane, y, height)
        y += height
        worst = lane.latest
        if marks and worst is not None and worst.due_ns is not None:
            due, ran = f"due {_moment(worst.due_ns)}", f"ran {_moment(worst.run_ns)}"
            room = self._pixels(worst.due_ns, worst.run_ns)
            if room > (_width(due, 11) + _width(ran, 11)) / 2 + 12:
                y += 13
                for ns, text in (worst.due_ns, due), (worst.run_ns, ran):
                    body.append(self._centred(self._x(ns), y, text, "k"))
        body.append("</g>")
        return y + 9

    def _notches(self, in_row: list[list[Record]], pitch: float, thick: float) -> str:
        """Lines between callbacks that follow each other at once, if there is room."""
        return "".join(
            f"M{self._x(after.run_ns)} {i * pitch:g}v{thick:g}"
            for i, ones in enumerate(in_row)
            for before, after in pairwise(ones)
            if before.ended_ns == after.run_ns
            and self._start < after.run_ns < self._end
            and self._pixels(before.run_ns, before.ended_ns) >= _NOTCHED
            and self._pixels(after.run_ns, after.ended_ns) >= _NOTCHED
        )

    def _draw_marks(self, body: list[str], top: float, y: float) -> tuple[str, float]:
        """The moments to point out: lines behind the lanes, and words below them."""
        if not self._marks:
            return "", y
        lines = "".join(f"M{self._x(at)} 0v{y + 4 - top:g}" for at, _ in self._marks)
        behind = _plot(top, y + 4 - top) + f'<path class="m" d="{lines}"/></svg>'
        rows: list[float] = []  # where the last text of each row ends, in pixels
        for at, text in sorted(self._marks):
            middle, half = self._x(at) * _PHONE / _SCALE, _width(text, 11) / 2
            left = min(max(middle - half, 0), _PHONE - 2 * half)
            row = next((i for i, end in enumerate(rows) if end < left), len(rows))
            rows[row : row + 1] = [left + 2 * half]
            at_y = y + 15 + 13 * row
            body.append(self._centred(self._x(at), at_y, text, "k"))
        return behind, y + 15 + 13 * (len(rows) - 1)

    def _centred(self, x: float, y: float, text: str, style: str) -> str:
        """Put *text* above or below *x*, but not over the edge."""
        edge = _width(text, 11) / 2 * _SCALE / _PHONE
        anchor = "start" if x < edge else "end" if x > _SCALE - edge else "middle"
        return _text(_percent(x), y, text, style, anchor)

    def _label_group(
        self, body: list[str], lane: _Lane, y: float, height: float
    ) -> None:
        """Say in the picture what the tinted area of a large group is."""
        waiting = max(lane.records, key=lambda one: one.run_ns - _wait_from(one))
        since, until = _wait_from(waiting), waiting.run_ns
        room = self._pixels(since, until)
        how_long = f"up to {_seconds(until - since)}"
        if room < _width(how_long) + 14 or len(lane.records) > 20 * len(lane.tasks):
            return
        left = self._x(since)
        body.append(_text(_percent(left), y + height - 22, "waiting", "t", dx=5))
        body.append(_text(_percent(left), y + height - 7, how_long, "t", dx=5))
        text = "one runs at a time"
        beside = left + (self._x(until) - left) * 0.2
        if (_SCALE - beside) * _PHONE / _SCALE > _width(text, 13.5) + 8:
            body.append(_text(_percent(beside), y + 13, text, "n c", dx=8))

    def _late_marks(self, lane: _Lane) -> list[tuple[float, str, str, int]]:
        """Return (x, text, anchor, dx) of the latenesses worth a label."""
        late = sorted(
            (one for one in lane.timed if _lateness(one) > 0 and self._within(one)),
            key=lambda one: (-_lateness(one), one.run_ns),
        )
        marks: list[tuple[float, str, str, int]] = []
        taken: list[tuple[float, float]] = []
        unit = _PHONE / _SCALE
        for one in late[:200]:
            due, ran = self._x(_wait_from(one)), self._x(one.run_ns)
            seen = self._pixels(_wait_from(one), one.run_ns) > 12
            if not seen and (marks or lane.role != "heartbeat"):
                break
            text = f"{_seconds(_lateness(one))} late"
            width = _width(text, 14.5)
            middle = (due + ran) / 2 * unit
            x: float
            if width / 2 < middle < _PHONE - width / 2:
                x, anchor, dx = (due + ran) / 2, "middle", 0
                left = middle - width / 2
            elif middle <= width / 2:
                x, anchor, dx, left = due, "start", 0, due * unit
            else:
                x, anchor, dx, left = ran, "end", 0, ran * unit - width
            right = left + width
            if any(left < b + 8 and a - 8 < right for a, b in taken):
                continue
            taken.append((left, right))
            marks.append((x, text, anchor, dx))
            if len(marks) == 6:
                break
        return marks

    def _within(self, one: Record) -> bool:
        return self._start <= one.run_ns <= self._end

    def _waits(self, ones: list[Record], bins: int) -> list[tuple[int, int]]:
        """Return (x, width) of the waits; those that overlap are one."""
        shortest = _SCALE // (2 * bins)
        spans = sorted((self._x(_wait_from(one)), self._x(one.run_ns)) for one in ones)
        merged: list[list[int]] = []
        for left, right in spans:
            if right - left < shortest:
                continue
            if merged and left - merged[-1][1] < shortest:
                merged[-1][1] = max(merged[-1][1], right)
            else:
                merged.append([left, right])
        return [(left, right - left) for left, right in merged]

    def _blocks(self, ones: list[Record], bins: int) -> list[tuple[int, int, int, int]]:
        """Return (x, width, level, callbacks) of the blocks of one row.

        Level 4 is busy all the time.  Callbacks that are too narrow and too near to one
        another to be told apart are one block.
        """
        narrow = self._length // bins
        blocks: list[tuple[int, int, int, int]] = []
        # first start, last end, busy time, callbacks, whether each is narrow
        group: tuple[int, int, int, int, bool] | None = None

        def put() -> None:
            if group is None:
                return
            start, end, busy, count, _ = group
            x = self._x(start)
            width = max(self._x(end) - x, _SCALE // 600)
            share = busy / (end - start) if end > start else 1.0
            if count == 1 or share > 0.9:
                level = 4
            else:
                level = 1 if share < 0.25 else 2 if share < 0.5 else 3
            blocks.append((x, width, level, count))

        for one in ones:
            if one.ended_ns < self._start or one.run_ns > self._end:
                continue
            run, ended = max(one.run_ns, self._start), min(one.ended_ns, self._end)
            small = ended - run <= narrow
            if (
                group is not None
                and run - group[1] <= narrow
                and ((small and group[4]) or run == group[1])
            ):
                group = (
                    group[0],
                    ended,
                    group[2] + ended - run,
                    group[3] + 1,
                    group[4] and small,
                )
            else:
                put()
                group = (run, ended, ended - run, 1, small)
        put()
        return blocks

    def _draw_thread(self, body: list[str], y: float, bins: int) -> float:
        busy, idle = self._busy_and_idle()
        facts = f"busy {_seconds(busy)}, idle {_seconds(idle)}"
        y += 20
        body.append(
            f'<text x="{_percent(0)}" y="{y:g}"><tspan class="n">the one thread</tspan>'
            f'<tspan class="f" dx="8">{facts}</tspan></text>'
        )
        y += 6
        body.append(_plot(y, 18) + f'<path class="t" d="M0 0h{_SCALE}v18H0z"/>')
        by_role: dict[str, list[Record]] = {}
        for one in self._shown:
            role = self._role_of.get(id(one), "idle")
            by_role.setdefault(role, []).append(one)
        # A short callback is drawn wider than it is, so the ones to be seen come last.
        for role in ("idle", "jobs", "leases", "heartbeat"):
            ones = by_role.get(role, [])
            levels: dict[int, list[str]] = {}
            for x, width, level, _ in self._blocks(ones, bins):
                levels.setdefault(level, []).append(f"M{x} 0h{width}v18h-{width}z")
            if not ones:
                continue
            body.append(f'<g class="{role}">')
            body.extend(
                f'<path class="c" opacity="{_OPACITY[level]}" d="{"".join(paths)}"/>'
                for level, paths in sorted(levels.items())
            )
            body.append("</g>")
        body.append("</svg>")
        return y + 18

    def _busy_and_idle(self) -> tuple[int, int]:
        busy = self._busy(self._shown)
        return busy, self._end - self._start - busy

    def _busy(self, ones: Iterable[Record]) -> int:
        """Nanoseconds between start and end in which one of *ones* ran."""
        return sum(
            max(0, min(one.ended_ns, self._end) - max(one.run_ns, self._start))
            for one in ones
        )

    def _draw_axis(self, top: float, y: float) -> tuple[str, float]:
        lines: list[str] = []
        labels: list[str] = []
        y += 6
        for at, text in _ticks(self._start, self._end):
            x = self._x(at)
            lines.append(f"M{x} 0v{y - top:g}")
            anchor = "start" if x < 240 else "end" if x > _SCALE - 240 else "middle"
            labels.append(_text(_percent(x), y + 13, text, "k", anchor))
        grid = _plot(top, y - top) + f'<path class="g" d="{"".join(lines)}"/></svg>'
        return grid + "".join(labels), y + 14

    def _notes(self) -> list[str]:
        how = "exact, on the virtual clock" if self._exact else "measured, in real time"
        notes = [f"Times are {how}."]
        if self._helpers:
            notes.append(
                f"The thread also ran {_many(len(self._helpers), 'callback')} of the "
                "loop's own."
            )
        if self.trace.dropped:
            dropped = _many(self.trace.dropped, "older callback")
            notes.append(f"{dropped} dropped by the tracer's limit.")
        return notes

    @property
    def _exact(self) -> bool:
        return self.trace.clock == "virtual"

    # -- words -----------------------------------------------------------------------

    def _facts(self, lane: _Lane) -> str:
        latest = lane.latest
        parts: list[str] = []
        if len(lane.tasks) > 1:
            parts.append(_many(len(lane.tasks), "task"))
        elif lane.role == "heartbeat" and lane.timed:
            parts.append(_many(len(lane.timed), "beat"))
        else:
            parts.append(_many(len(lane.records), "callback"))
        if lane.role != "heartbeat" and lane.busy:
            parts.append(f"ran {_seconds(lane.busy)}")
        if latest is not None and _lateness(latest) > 0:
            if len(lane.tasks) > 1 or not self._late_marks(lane):
                parts.append(f"up to {_seconds(_lateness(latest))} late")
        elif latest is not None and lane.role == "heartbeat":
            parts.append("never late")
        if lane.longest_queue > 0 and lane.role != "heartbeat":
            parts.append(f"waited up to {_seconds(lane.longest_queue)}")
        return ", ".join(parts)

    @property
    def alt(self) -> str:
        """What the picture shows, in words and numbers."""
        busy, idle = self._busy_and_idle()
        how = "virtual clock, exact" if self._exact else "real clock, measured"
        sentences = [
            f"Timeline of {_many(len(self._shown), 'callback')} from "
            f"{_moment(self._start)} to {_moment(self._end)} ({how})",
            f"The thread is busy for {_seconds(busy)} and idle for {_seconds(idle)}",
        ]
        for lane in self._lanes:
            latest = lane.latest
            if lane.role == "heartbeat" and lane.timed and len(lane.tasks) == 1:
                parts = [_many(len(lane.timed), "beat")]
            else:
                parts = [_many(len(lane.records), "callback")]
                if len(lane.tasks) > 1:
                    parts.insert(0, _many(len(lane.tasks), "task"))
                if lane.busy:
                    parts.append(f"ran for {_seconds(lane.busy)} in all")
            if latest is not None and _lateness(latest) > 0:
                assert latest.due_ns is not None
                parts.append(
                    f"the worst {_seconds(_lateness(latest))} late at "
                    f"{_moment(latest.due_ns)}"
                )
            elif latest is not None:
                parts.append("never late")
            if lane.longest_queue > 0:
                parts.append(
                    f"waited up to {_seconds(lane.longest_queue)} in the ready queue"
                )
            elif latest is None:
                parts.append("no wait")
            sentences.append(f"{lane.name}: {', '.join(parts)}")
        if self._marks:
            words = (f"{text} at {_moment(at)}" for at, text in self._marks)
            sentences.append(f"Marked: {', '.join(words)}")
        if self._helpers:
            sentences.append(
                f"{_many(len(self._helpers), 'callback')} of the loop itself, such as "
                "timers, in the thread's lane only"
            )
        if self.trace.dropped:
            dropped = _many(self.trace.dropped, "older callback")
            sentences.append(f"{dropped} dropped by the tracer's limit")
        return ". ".join(sentences) + "."

    # -- export ----------------------------------------------------------------------

    def to_chrome_trace(self) -> str:
        """Return the whole trace as JSON for Perfetto or ``chrome://tracing``.

        The first track is the thread.  Below it each task has a track with what it ran
        and, before it, how long it was late or in the ready queue.
        """
        tracks: dict[str | None, int] = {}
        events: list[dict[str, Any]] = []

        def add(name: str, kind: str, track: int, start: int, end: int) -> None:
            events.append(
                {
                    "name": name,
                    "cat": kind,
                    "ph": "X",
                    "pid": 1,
                    "tid": track,
                    "ts": start / 1000,
                    "dur": (end - start) / 1000,
                }
            )

        for one in self.trace:
            track = tracks.setdefault(one.task, len(tracks) + 2)
            name = f"{_bare(one.label)} ({one.task})" if one.task else _bare(one.label)
            add(name, "callback", 1, one.run_ns, one.ended_ns)
            if one.task is None:
                continue
            since = _wait_from(one)
            if since < one.run_ns:
                kind = "in the ready queue" if one.due_ns is None else "late"
                add(kind, "wait", track, since, one.run_ns)
            add(_bare(one.label), "callback", track, one.run_ns, one.ended_ns)
        names: Iterable[tuple[int, str]] = [
            (1, "the one thread"),
            *((track, task) for task, track in tracks.items() if task is not None),
        ]
        for track, task in names:
            for what, value in (
                ("thread_name", {"name": task}),
                ("thread_sort_index", {"sort_index": track}),
            ):
                events.append(
                    {"name": what, "ph": "M", "pid": 1, "tid": track, "args": value}
                )
        return json.dumps(
            {"displayTimeUnit": "ms", "traceEvents": events}, separators=(",", ":")
        )


def _role(stem: str, roles: Mapping[str, str]) -> str:
    for pattern, role in roles.items():
        if fnmatchcase(stem, pattern):
            return role
    low = stem.lower()
    for role, words in _ROLE_WORDS:
        if any(word in low for word in words):
            return role
    return "jobs"


def _lane_name(lane: _Lane) -> str:
    if len(lane.tasks) == 1 or lane.tasks[0] is None:
        name = lane.tasks[0]
        given = name is not None and not _DEFAULT_NAME.fullmatch(name)
        return str(name) if given else lane.stem
    first, last = str(lane.tasks[0]), str(lane.tasks[-1])
    if _DEFAULT_NAME.fullmatch(first):
        return lane.stem
    return f"{first} … {last}"


def _text(
    x: str, y: float, text: str, style: str, anchor: str = "start", dx: int = 0
) -> str:
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    where += f' dx="{dx}"' if dx else ""
    return f'<text class="{style}" x="{x}" y="{y:g}"{where}>{escape(text)}</text>'


def _plot(y: float, height: float) -> str:
    """Open a part of the picture whose x axis stretches and whose y axis does not."""
    return (
        f'<svg x="{_MARGIN:g}%" y="{y:g}" width="{_SPAN:g}%" height="{height:g}" '
        f'viewBox="0 0 {_SCALE} {height:g}" preserveAspectRatio="none" '
        'overflow="visible">'
    )


def _ticks(start: int, end: int) -> list[tuple[int, str]]:
    """Return the ticks of a time axis: nanoseconds and text, at most seven."""
    if end <= start:
        return [(start, _moment(start))]
    rough = (end - start) / 6
    power = 10 ** max(0, math.floor(math.log10(rough)))
    step = next(int(m * power) for m in (1, 2, 5, 10, 20) if m * power >= rough)
    if end >= _NS:
        unit, name = _NS, "s"
    elif end >= 1_000_000:
        unit, name = 1_000_000, "ms"
    elif end >= 1_000:
        unit, name = 1_000, "µs"
    else:
        unit, name = 1, "ns"
    digits = 0
    while digits < 9 and step * 10**digits % unit:
        digits += 1
    first = -(-start // step) * step
    return [
        (at, f"{at / unit:,.{digits}f} {name}") for at in range(first, end + 1, step)
    ]
