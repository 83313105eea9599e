"""The picture: a scene drawn as SVG, below a size in bytes whatever it shows."""

from __future__ import annotations

import hashlib
from html import escape

from looplab._words import duration, moment
from looplab.draw.palette import (
    COLOURS,
    LOUD,
    PLAIN,
    QUIET,
    halo,
    themed,
)
from looplab.timeline.lanes import Lane, wait_from
from looplab.timeline.layout import (
    MARGIN,
    PHONE,
    SCALE,
    SPAN,
    lines_of,
    percent,
    ticks,
)
from looplab.timeline.layout import width as width_of
from looplab.timeline.scene import Scene
from looplab.timeline.words import alternative, facts, notes
from looplab.trace.record import Record

__all__ = ["picture"]

_MAX_BYTES = 60_000
# Rows of a lane and blocks across the plot, from fine to coarse.
_SIZES = ((48, 300), (32, 240), (24, 200), (16, 150), (8, 120), (4, 100), (1, 100))
_OPACITY = {1: "0.35", 2: "0.55", 3: "0.8", 4: "1"}


def _css() -> str:
    return (
        themed(
            "looplab-tl",
            "overflow:hidden",
            ground=True,
            letters=True,
        )
        + halo("looplab-tl", "var(--paper)")
        + ".looplab-tl text{fill:var(--ink);font-size:var(--small);"
        "font-variant-numeric:tabular-nums}"
        ".looplab-tl .n{font-weight:650;font-size:var(--text)}"
        ".looplab-tl .f,.looplab-tl .k{fill:var(--muted)}"
        ".looplab-tl .h{font-weight:650;font-size:var(--loud)}"
        ".looplab-tl .big{font-weight:700;font-size:var(--loud)}"
        ".looplab-tl .on{fill:var(--paper);stroke:none;font-weight:600}"
        ".looplab-tl path{vector-effect:non-scaling-stroke}"
        ".looplab-tl .g{stroke:var(--rule);stroke-width:1;fill:none}"
        ".looplab-tl path.t{fill:var(--rule);opacity:.55}"
        ".looplab-tl .w{fill:none;stroke-width:2}"
        ".looplab-tl .q{opacity:.2}"
        ".looplab-tl .s{stroke-width:1}"
        ".looplab-tl .o{stroke:var(--paper);stroke-width:1.5;fill:none}"
        ".looplab-tl .m{stroke:var(--muted);stroke-dasharray:3 3;fill:none}"
        + "".join(
            f".looplab-tl .{name} .c{{fill:var(--{name})}}"
            f".looplab-tl .{name} .w,.looplab-tl .{name} .s{{stroke:var(--{name})}}"
            for name in COLOURS
        )
    )


def picture(scene: Scene) -> str:
    """Return the picture as SVG, 720 pixels wide; it may be given any width."""
    for rows, bins in _SIZES:
        svg = _Drawing(scene, rows, bins).svg()
        if len(svg.encode()) <= _MAX_BYTES:
            break
    return svg


def _shortened(name: str, most: int = 36) -> str:
    if len(name) <= most:
        return name
    return f"{name[: most // 2 - 1]}…{name[-(most // 2) :]}"


class _Drawing:
    """One drawing of a scene, so many rows a lane and blocks across."""

    def __init__(self, scene: Scene, rows: int, bins: int) -> None:
        self.scene = scene
        self.scale = scene.scale
        self.rows = rows
        self.bins = bins
        self.body: list[str] = []

    def svg(self) -> str:
        """Draw it."""
        body, scene = self.body, self.scene
        y = 6.0
        if scene.title is not None:
            body.append(_text(percent(0), y + 14, scene.title, "h"))
            y += 26
        top = y
        for lane in scene.lanes:
            y = self._draw_lane(lane, y)
        y = self._draw_thread(y)
        lines, y = self._draw_marks(top, y)
        grid, y = self._draw_axis(top, y)
        for note in notes(scene):
            y += 15
            body.append(_text(percent(0), y, note, "k"))
        height = f"{y + 8:g}"
        inner = grid + lines + "".join(body)
        heading = scene.title or "Timeline"
        alt = alternative(scene)
        digest = hashlib.sha256((heading + inner + alt).encode()).hexdigest()[:12]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="looplab-tl" width="720" '
            f'height="{height}" role="img" '
            f'aria-labelledby="tl-{digest}-t tl-{digest}-d">'
            f'<title id="tl-{digest}-t">{escape(heading)}</title>'
            f'<desc id="tl-{digest}-d">{escape(alt)}</desc>'
            f"<style>{_css()}</style>"
            # The ground of the page, if that has this name for it.
            '<rect width="100%" height="100%"'
            ' fill="var(--pst-color-background,var(--jp-layout-color0,var(--paper)))"/>'
            f"{inner}</svg>"
        )

    def _draw_lane(self, lane: Lane, y: float) -> float:
        body, bins = self.body, self.bins
        count = len(lane.tasks)
        rows = min(count, self.rows)
        many = count > 6
        if not many and rows == count:
            pitch, thick = (12.0, 9.0) if count > 1 else (18.0, 18.0)
        else:
            pitch = thick = max(2.0, round(96 / rows, 2))
        height = rows * pitch
        marks = self.scale.late_marks(lane) if count == 1 else []

        body.append(f'<g class="{lane.colour}">')
        name, about = _shortened(lane.name), facts(self.scene, lane)
        beside = ", ".join(about)
        y += 15
        if width_of(name, 14) + width_of(beside) < PHONE:
            body.append(
                f'<text x="{percent(0)}" y="{y:g}"><tspan class="n c">{escape(name)}'
                f'</tspan><tspan class="f" dx="8">{escape(beside)}</tspan></text>'
            )
        else:
            body.append(_text(percent(0), y, name, "n c"))
            for line in lines_of(about):
                y += 15
                body.append(_text(percent(0), y, line, "f"))
        y += 6
        if marks:
            y += 13
            body.extend(
                _text(percent(x), y, text, "big c", anchor, dx=dx)
                for x, text, anchor, dx in marks
            )
            y += 6

        row_of = {task: i * rows // count for i, task in enumerate(lane.tasks)}
        in_row: list[list[Record]] = [[] for _ in range(rows)]
        for record in lane.records:
            in_row[row_of[record.task]].append(record)
        levels: dict[int, list[str]] = {}
        waits: list[str] = []
        counts: list[tuple[int, int, int, float]] = []
        for i, records in enumerate(in_row):
            at = i * pitch
            for x, width in self.scale.waits(records, bins):
                if many:
                    waits.append(f"M{x} {at:g}h{width}v{pitch:g}h-{width}z")
                else:
                    waits.append(
                        f"M{x} {at + 1:g}v{thick - 2:g}M{x} {at + thick / 2:g}h{width}"
                    )
            for x, width, level, merged in self.scale.blocks(records, bins):
                levels.setdefault(level, []).append(
                    f"M{x} {at:g}h{width}v{thick:g}h-{width}z"
                )
                if merged > 1 and level == 4 and thick >= 14:
                    counts.append((x, width, merged, at))
        edge = "" if many else " s"
        base = "" if many else f'<path class="g" d="M0 {height / 2:g}h{SCALE}"/>'
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
        notches = self.scale.notches(in_row, pitch, thick) if rows == count else ""
        if notches:
            body.append(f'<path class="o" d="{notches}"/>')
            counts = []  # they can be counted
        body.append("</svg>")
        for x, width, merged, at in counts:
            text = f"{merged:,} callbacks"
            if width * PHONE / SCALE > width_of(text) + 8:
                middle = percent(x + width / 2)
                body.append(_text(middle, y + at + thick / 2 + 4, text, "on", "middle"))
        if many:
            self._label_group(lane, y, height)
        y += height
        worst = lane.latest
        if marks and worst is not None and worst.due_ns is not None:
            due, ran = f"due {moment(worst.due_ns)}", f"ran {moment(worst.run_ns)}"
            room = self.scale.pixels(worst.due_ns, worst.run_ns)
            if room > (width_of(due) + width_of(ran)) / 2 + 12:
                y += 13
                for ns, text in (worst.due_ns, due), (worst.run_ns, ran):
                    body.append(self._centred(self.scale.x(ns), y, text, "k"))
        body.append("</g>")
        return y + 9

    def _draw_marks(self, top: float, y: float) -> tuple[str, float]:
        """The moments to point out: lines behind the lanes, and words below them."""
        marks = self.scene.marks
        if not marks:
            return "", y
        lines = "".join(
            f"M{self.scale.x(at)} 0v{y + 4 - top:g}" for at, _ in self.scene.marks
        )
        behind = _plot(top, y + 4 - top) + f'<path class="m" d="{lines}"/></svg>'
        rows: list[float] = []  # where the last text of each row ends, in pixels
        for at, text in sorted(marks):
            middle, half = self.scale.x(at) * PHONE / SCALE, width_of(text) / 2
            left = min(max(middle - half, 0), PHONE - 2 * half)
            row = next((i for i, end in enumerate(rows) if end < left), len(rows))
            rows[row : row + 1] = [left + 2 * half]
            at_y = y + 15 + 13 * row
            self.body.append(self._centred(self.scale.x(at), at_y, text, "k"))
        return behind, y + 15 + 13 * (len(rows) - 1)

    def _centred(self, x: float, y: float, text: str, style: str) -> str:
        """Put *text* above or below *x*, but not over the edge."""
        edge = width_of(text) / 2 * SCALE / PHONE
        anchor = "start" if x < edge else "end" if x > SCALE - edge else "middle"
        return _text(percent(x), y, text, style, anchor)

    def _label_group(self, lane: Lane, y: float, height: float) -> None:
        """Say in the picture what the tinted area of a large group is."""
        waiting = max(
            lane.records, key=lambda record: record.run_ns - wait_from(record)
        )
        since, until = wait_from(waiting), waiting.run_ns
        room = self.scale.pixels(since, until)
        how_long = f"up to {duration(until - since)}"
        if room < width_of(how_long) + 14 or len(lane.records) > 20 * len(lane.tasks):
            return
        left = self.scale.x(since)
        self.body.append(_text(percent(left), y + height - 22, "waiting", "t", dx=10))
        self.body.append(_text(percent(left), y + height - 7, how_long, "t", dx=10))
        text = "one runs at a time"
        # Above the stairs, and well below the facts if there is room.
        for share in (0.45, 0.2):
            beside = left + (self.scale.x(until) - left) * share
            if (SCALE - beside) * PHONE / SCALE > width_of(text, 13.5) + 8:
                at = y + height * share - 6
                self.body.append(_text(percent(beside), at, text, "n c", dx=8))
                break

    def _draw_thread(self, y: float) -> float:
        body, bins = self.body, self.bins
        busy, idle = self.scene.busy_and_idle()
        busy_facts = f"busy {duration(busy)}, idle {duration(idle)}"
        y += 20
        body.append(
            f'<text x="{percent(0)}" y="{y:g}"><tspan class="n">the one thread</tspan>'
            f'<tspan class="f" dx="8">{busy_facts}</tspan></text>'
        )
        y += 6
        body.append(_plot(y, 18) + f'<path class="t" d="M0 0h{SCALE}v18H0z"/>')
        colour_of = {
            id(record): lane.colour
            for lane in self.scene.lanes
            for record in lane.records
        }
        of_colour: dict[str, list[Record]] = {}
        for record in self.scene.shown:
            of_colour.setdefault(colour_of.get(id(record), QUIET), []).append(record)
        # A short callback is drawn wider than it is, so the ones to be seen come last.
        others = (name for name in COLOURS if name not in (QUIET, PLAIN, LOUD))
        for colour in (QUIET, PLAIN, *others, LOUD):
            records = of_colour.get(colour, [])
            levels: dict[int, list[str]] = {}
            for x, width, level, _ in self.scale.blocks(records, bins):
                levels.setdefault(level, []).append(f"M{x} 0h{width}v18h-{width}z")
            if not records:
                continue
            body.append(f'<g class="{colour}">')
            body.extend(
                f'<path class="c" opacity="{_OPACITY[level]}" d="{"".join(paths)}"/>'
                for level, paths in sorted(levels.items())
            )
            body.append("</g>")
        body.append("</svg>")
        return y + 18

    def _draw_axis(self, top: float, y: float) -> tuple[str, float]:
        lines: list[str] = []
        labels: list[str] = []
        y += 6
        for at, text in ticks(self.scale.start, self.scale.end):
            x = self.scale.x(at)
            lines.append(f"M{x} 0v{y - top:g}")
            anchor = "start" if x < 240 else "end" if x > SCALE - 240 else "middle"
            labels.append(_text(percent(x), y + 13, text, "k", anchor))
        grid = _plot(top, y - top) + f'<path class="g" d="{"".join(lines)}"/></svg>'
        return grid + "".join(labels), y + 14


def _text(
    x: str, y: float, text: str, style: str, anchor: str = "start", dx: int = 0
) -> str:
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    where += f' dx="{dx}"' if dx else ""
    return f'<text class="{style}" x="{x}" y="{y:g}"{where}>{escape(text)}</text>'


def _plot(y: float, height: float) -> str:
    """Open a part of the picture whose x axis stretches and whose y axis does not."""
    return (
        f'<svg x="{MARGIN:g}%" y="{y:g}" width="{SPAN:g}%" height="{height:g}" '
        f'viewBox="0 0 {SCALE} {height:g}" preserveAspectRatio="none" '
        'overflow="visible">'
    )
