"""looplab.timeline: what the picture says is what the trace holds."""

from __future__ import annotations

import asyncio
import math
import re
import xml.etree.ElementTree as ET
from itertools import combinations
from operator import mul
from pathlib import Path
from typing import Any

import pytest

from looplab.clock import burn
from looplab.draw.palette import (
    COLOURS,
    COLOURS_DARK,
    GROUND,
    GROUND_DARK,
    LOUD,
    PLAIN,
    QUIET,
)
from looplab.timeline import Timeline
from looplab.timeline.layout import PHONE
from looplab.timeline.layout import ticks as ticks_of
from looplab.timeline.layout import width as width_of
from looplab.trace import Record, Trace, record

MS = 1_000_000
SVG = "{http://www.w3.org/2000/svg}"
LIMIT = 60_000
STYLES = Path(__file__).parents[4] / "book" / "_static"


async def storm(jobs: int = 200) -> None:
    async def heartbeat() -> None:
        while True:
            await asyncio.sleep(1)

    async def job() -> None:
        burn(0.010)

    beat = asyncio.create_task(heartbeat(), name="heartbeat")
    await asyncio.sleep(2.5)
    for _ in range(jobs):
        asyncio.create_task(job())
    await asyncio.sleep(3.5)
    beat.cancel()


@pytest.fixture(scope="module")
def storm_trace() -> Trace:
    return record(storm())


@pytest.fixture(scope="module")
def picture(storm_trace: Trace) -> Timeline:
    return Timeline(storm_trace, probe="heartbeat", title="A storm")


def parse(timeline: Timeline) -> ET.Element:
    return ET.fromstring(timeline.svg)


def texts(timeline: Timeline) -> list[str]:
    return ["".join(t.itertext()) for t in parse(timeline).iter(f"{SVG}text")]


def callbacks(
    *spans: tuple[int, int], task: str | None = "t", label: str = "job"
) -> Any:
    return [Record(run, None, run, end, task, label) for run, end in spans]


# -- the text of the picture -----------------------------------------------------------


def test_it_is_named_by_ids_of_its_own(storm_trace: Trace, picture: Timeline) -> None:
    root = parse(picture)
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and desc is not None
    own = [title.get("id"), desc.get("id")]
    assert (root.get("aria-labelledby") or "").split() == own
    assert (title.text, desc.text) == ("A storm", picture.alt)
    others = [{}, {"title": "another"}, {"end": 3}, {"lanes": ["heartbeat"]}]
    for options in others:
        own += re.findall(r'\bid="([^"]+)"', Timeline(storm_trace, **options).svg)
    assert len(set(own)) == len(own) == 2 * (1 + len(others))


def test_nothing_comes_from_outside_and_names_cannot_break_out() -> None:
    evil = "</desc><script>alert('&')</script>"
    trace = Trace(callbacks((0, MS), task=evil, label=evil))
    picture = Timeline(trace, title=evil)
    outside = re.findall(r"https?://[^\"']+", picture._repr_html_())
    assert set(outside) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in picture._repr_html_()
    assert evil in (parse(picture).findtext(f"{SVG}desc") or "")


# -- what it says ----------------------------------------------------------------------


def lane_paths(timeline: Timeline, colour: str, style: str) -> list[str]:
    groups = parse(timeline).iter(f"{SVG}g")
    lane = next(group for group in groups if group.get("class") == colour)
    paths = lane.iter(f"{SVG}path")
    return [p.get("d") or "" for p in paths if p.get("class") == style]


def test_the_line_goes_from_due_to_run(picture: Timeline) -> None:
    # Due at 3 s and run at 4.5 s of 6 s; 9,600 units across.
    assert lane_paths(picture, "orange", "w") == ["M4800 1v16M4800 9h2400"]


def test_what_is_not_there_is_said() -> None:
    quiet = Timeline(record(storm(0)), probe="heartbeat")
    assert "heartbeat: 5 beats, never late." in quiet.alt
    assert not any("late" in text and "never" not in text for text in texts(quiet))
    moment = Timeline(record(asyncio.sleep(0)))
    assert " callbacks from 0 s to 0 s" in moment.alt
    parse(moment)
    real = Timeline(Trace(record(asyncio.sleep(0)), clock="real"))
    assert "real clock, measured" in real.alt
    assert "Times are measured, in real time." in texts(real)
    late = Timeline(Trace([Record(2 * MS, 0, 5 * MS, 6 * MS, "t", "job")]))
    assert "the worst 0.005 s late at 0 s" in late.alt
    assert "waited" not in late.alt, (
        "what a timer set off is late, and waits for no queue"
    )


# -- lanes -----------------------------------------------------------------------------


def lanes(timeline: Timeline) -> list[tuple[str, int]]:
    return [(lane.name, len(lane.tasks)) for lane in timeline._scene.lanes]


def test_equal_tasks_share_a_lane() -> None:
    spans = [(i, i + 1) for i in range(12)]
    names = ["main", "job-1", "job-2", "job-10", "w", "Task-5", "Task-6", None, None]
    trace = Trace(
        Record(run, None, run, end, name, "one.<locals>.step" if name else label)
        for (run, end), name, label in zip(
            spans, names, [""] * 7 + ["tick", "Future._release"], strict=False
        )
    )
    assert lanes(Timeline(trace)) == [
        ("main", 1),
        ("job-1 … job-10", 3),
        ("w", 1),
        ("step", 2),
        ("tick()", 1),
    ]


def test_too_many_lanes_fold(storm_trace: Trace) -> None:
    letters = [f"{a}{b}" for a, b in combinations("abcdefgh", 2)]
    many = Trace(
        Record(i, None, i, i + 1 + (name == "gh"), name, "x")
        for i, name in zip(range(0, 99, 2), letters, strict=False)
    )
    folded = lanes(Timeline(many))
    assert (len(folded), folded[-1]) == (12, ("17 other tasks", 17))
    assert ("gh", 1) in folded  # the busiest one stays
    assert lanes(Timeline(storm_trace, probe="heartbeat", lanes=2)) == [
        ("heartbeat", 1),
        ("201 other tasks", 201),
    ]
    total = sum(len(lane.records) for lane in Timeline(many)._scene.lanes)
    assert total == len(many)


def test_lanes_by_name(storm_trace: Trace) -> None:
    picture = Timeline(storm_trace, lanes=["job", "heart*"])
    assert lanes(picture) == [("job", 200), ("heartbeat", 1), ("1 other task", 1)]
    with pytest.raises(ValueError, match=r"no lane 'joob': the lanes are storm, "):
        Timeline(storm_trace, lanes=["joob"])


def test_colours(storm_trace: Trace) -> None:
    def of(picture: Timeline) -> dict[str, str]:
        return {lane.stem: lane.colour for lane in picture._scene.lanes}

    assert of(Timeline(storm_trace)) == {
        "storm": QUIET,
        "heartbeat": PLAIN,
        "job": PLAIN,
    }
    assert of(Timeline(storm_trace, probe="heart*")) == {
        "heartbeat": LOUD,
        "storm": QUIET,
        "job": PLAIN,
    }
    other = next(name for name in COLOURS if name not in (QUIET, PLAIN, LOUD))
    drawn = Timeline(storm_trace, probe=["heartbeat"], colours={"*b*": other})
    assert of(drawn) == {"heartbeat": other, "storm": QUIET, "job": other}
    with pytest.raises(
        ValueError, match=r"colour of 'job' is 'red': it must be one of"
    ):
        Timeline(storm_trace, colours={"job": "red"})


# -- a window --------------------------------------------------------------------------


def test_a_window_counts_only_what_is_in_it(storm_trace: Trace) -> None:
    picture = Timeline(storm_trace, start=2.5, end=2.6)
    assert "from 2.5 s to 2.6 s" in picture.alt
    assert "busy for 0.100 s and idle for 0 s" in picture.alt
    for x in re.findall(r"M(-?\d+)", picture.svg):
        assert 0 <= int(x) <= 9600
    crossed = Timeline(storm_trace, probe="heartbeat", start=3.2, end=3.4)
    assert "heartbeat: 1 beat, the worst 1.500 s late at 3 s" in crossed.alt
    assert any("h9600" in line for line in lane_paths(crossed, "orange", "w"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": 3, "end": 3}, "start is 3 s and end is 3 s: the start must come"),
        ({"start": 4, "end": 3}, "the start must come before the end"),
        ({"start": 7}, "start is 7 s and end is 6 s"),
        ({"end": math.nan}, "end is nan s: give a finite number"),
        ({"start": -math.inf}, "start is -inf s"),
        ({"start": 7, "end": 8}, "no callback runs or waits between 7 and 8 s"),
        ({"lanes": 0}, "lanes is 0: give 1 or more"),
    ],
)
def test_wrong_settings(storm_trace: Trace, settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Timeline(storm_trace, **settings)


def test_wrong_traces() -> None:
    with pytest.raises(ValueError, match="the trace is empty"):
        Timeline(Trace([]))
    with pytest.raises(TypeError, match="takes a Trace, not list"):
        Timeline([])  # type: ignore[arg-type]


@pytest.mark.parametrize("power", range(13))
def test_ticks(power: int) -> None:
    for start, length in ((0, 1), (0, 2), (0, 3), (0, 7), (2_500_000_000, 1)):
        end = start + length * 10**power
        ticks = ticks_of(start, end)
        assert 1 <= len(ticks) <= 7
        assert all(start <= at <= end for at, _ in ticks)
        assert len({text for _, text in ticks}) == len(ticks)
        units = {"s": 10**9, "ms": 10**6, "µs": 10**3, "ns": 1}
        for at, text in ticks:
            number, unit = text.replace(",", "").split(" ")
            assert round(float(number) * units[unit]) == at


# -- large traces ----------------------------------------------------------------------


def busy_trace(tasks: int, each: int, *, stems: int = 1) -> Trace:
    """Callbacks of uneven length and spacing, none of which lines up with a pixel."""
    now, records = 0, []
    for i in range(tasks * each):
        now += 7919 * (i * i % 13)
        ready = max(0, now - 50_021 * (i % 17))
        name = f"{'abcdefghijklmnopqrstuvwxyz'[i % stems]}-{i % tasks}"
        records.append(Record(ready, None, now, now + 1009 * (i % 7), name, "work"))
        now += 1009 * (i % 7)
    return Trace(records)


@pytest.mark.parametrize(
    ("tasks", "each", "stems"),
    [(1, 10_000, 1), (100, 100, 1), (10_000, 1, 1), (400, 25, 20), (12, 833, 12)],
)
def test_ten_thousand_callbacks_fit(tasks: int, each: int, stems: int) -> None:
    trace = busy_trace(tasks, each, stems=stems)
    picture = Timeline(trace)
    assert len(picture.svg.encode()) <= LIMIT
    parse(picture)
    assert f"Timeline of {len(trace):,} callbacks" in picture.alt


def test_density_is_how_pale_a_block_is() -> None:
    def level(busy: int) -> int:
        step = 1000
        records = callbacks(*((i * step, i * step + busy) for i in range(5000)))
        records[-1:] = callbacks((4999 * step, 5000 * step))
        blocks = Timeline(Trace(records))._scene.scale.blocks(records, 300)
        return max(blocks, key=lambda block: block[3])[2]

    assert [level(busy) for busy in (10, 400, 700, 1000)] == [1, 2, 3, 4]


def test_a_merged_block_says_how_many() -> None:
    busy = callbacks(*((i * 100, i * 100 + 100) for i in range(1234)))
    idle = callbacks((300_000, 300_001), task="t")
    assert "1,234 callbacks" in texts(Timeline(Trace(busy + idle)))
    pale = callbacks(*((i * 100, i * 100 + 40) for i in range(1234)))
    assert "1,234 callbacks" not in texts(Timeline(Trace(pale)))
    assert "1 callback" not in texts(Timeline(Trace(callbacks((0, MS)))))


def test_labels_do_not_overlap() -> None:
    async def main() -> None:
        async def heartbeat() -> None:
            while True:
                await asyncio.sleep(0.1)
                burn(0.05)

        async def hog() -> None:
            while True:
                await asyncio.sleep(0.01)
                burn(0.4)

        beat = asyncio.create_task(heartbeat(), name="heartbeat")
        load = asyncio.create_task(hog(), name="hog")
        await asyncio.sleep(5)
        beat.cancel()
        load.cancel()

    picture = Timeline(record(main()))
    (lane,) = (lane for lane in picture._scene.lanes if lane.stem == "heartbeat")
    marks = picture._scene.scale.late_marks(lane)
    assert len(marks) > 1
    edges: list[tuple[float, float]] = []
    for x, text, anchor, _ in marks:
        width = width_of(text, 14.5)
        left = x * PHONE / 9600 - {"start": 0, "middle": 0.5, "end": 1}[anchor] * width
        edges.append((left, left + width))
    for (a, b), (c, d) in combinations(sorted(edges), 2):
        assert b <= c or d <= a
    assert all(a >= -1 and b <= PHONE + 1 for a, b in edges)


# -- colours ---------------------------------------------------------------------------


def linear(c: float) -> float:
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    r, g, b = (linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(first: str, other: str) -> float:
    high, low = sorted((luminance(first), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, ground: str, share: float) -> str:
    parts = (
        (int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in parts)


def on_the_site(sheet: str, theme: str) -> dict[str, str]:
    """The colours of a style sheet of the book."""
    style = (STYLES / sheet).read_text("utf-8")
    [block] = re.findall(
        rf'^html\[data-theme="{theme}"\][^{{]*{{\s+(--.*?)}}', style, re.M | re.S
    )
    return dict(re.findall(r"--([\w-]+): (#\w{6})", block))


THEMES = {"light": (COLOURS, GROUND), "dark": (COLOURS_DARK, GROUND_DARK)}


@pytest.mark.parametrize("theme", THEMES)
def test_the_book_has_the_same_colours(theme: str) -> None:
    colours, _ = THEMES[theme]
    assert on_the_site("outputs.css", theme) == dict(colours)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("where", ["alone", "in the book"])
def test_text_can_be_read(where: str, theme: str) -> None:
    colours, ground = THEMES[theme]
    if where == "in the book":
        page = on_the_site("on-time.css", theme)
        roles = {"paper": "background", "ink": "text-base", "muted": "text-muted"}
        ground = {name: page[f"pst-color-{role}"] for name, role in roles.items()}
    for text in (*colours.values(), ground["ink"], ground["muted"]):
        assert contrast(text, ground["paper"]) >= 4.5
    for colour in colours.values():
        # Text on a full block, and text on the tint of a group that waits.
        assert contrast(ground["paper"], colour) >= 4.5
        assert contrast(ground["ink"], mixed(colour, ground["paper"], 0.2)) >= 4.5


# Machado, Oliveira and Fernandes 2009, complete dichromacy, on linear RGB.
DICHROMACY = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


@pytest.mark.parametrize("sight", DICHROMACY)
@pytest.mark.parametrize("theme", THEMES)
def test_the_colours_differ_for_every_eye(theme: str, sight: str) -> None:
    colours, _ = THEMES[theme]
    matrix = DICHROMACY[sight]
    seen = {}
    for name, colour in colours.items():
        rgb = [linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5)]
        seen[name] = [sum(map(mul, row, rgb)) for row in matrix]
    for first, other in combinations(seen, 2):
        assert math.dist(seen[first], seen[other]) > 0.08, (first, other)


def test_both_themes_are_in_the_picture(picture: Timeline) -> None:
    css = picture.svg.partition("<style>")[2].partition("</style>")[0]
    assert 'html[data-theme="dark"] .looplab-tl{' in css
    assert "@media (prefers-color-scheme:dark){html:not([data-theme]) " in css
    for colour in (*COLOURS.values(), *COLOURS_DARK.values()):
        assert colour in css
    for rule in re.findall(r"([^{}]+)\{", css.replace("@media", "}@media")):
        assert ".looplab-tl" in rule or rule.startswith("@media"), rule
    drawing = picture.svg.partition("</style>")[2]
    assert not re.search(r"#[0-9a-f]{3}", drawing)  # all colours by variable


# -- marks and notches -----------------------------------------------------------------


def path_of(timeline: Timeline, style: str) -> list[str]:
    paths = parse(timeline).iter(f"{SVG}path")
    return [p.get("d") or "" for p in paths if p.get("class") == style]


def test_marks_are_lines_with_words_and_are_told() -> None:
    trace = Trace(callbacks((0, 10 * MS), (10 * MS, 20 * MS)), clock="virtual")
    picture = Timeline(trace, marks=[(0.005, "early"), (0.015, "late")])
    assert {"early", "late"} <= set(texts(picture))
    (lines,) = path_of(picture, "m")
    assert [int(x) for x in re.findall(r"M(\d+) ", lines)] == [2400, 7200]
    assert "Marked: early at 0.005 s, late at 0.015 s" in picture.alt


def test_words_of_marks_that_are_near_do_not_overlap() -> None:
    trace = Trace(callbacks((0, 10 * MS)), clock="virtual")
    near = Timeline(trace, marks=[(0.005, "one thing"), (0.0051, "another thing")])
    rows = {
        "".join(t.itertext()): float(t.get("y") or 0)
        for t in parse(near).iter(f"{SVG}text")
    }
    assert rows["another thing"] >= rows["one thing"] + 11


@pytest.mark.parametrize("mark", [5, "5", (1,), ("1", "a"), (True, "a"), (1, 2)])
def test_a_mark_that_is_none_is_refused(picture: Timeline, mark: Any) -> None:
    with pytest.raises(TypeError, match=r"a mark is .*: give seconds and a text"):
        Timeline(picture.trace, marks=[mark])


@pytest.mark.parametrize("at", [-1, 100, math.inf, math.nan])
def test_a_mark_outside_the_picture_is_refused(picture: Timeline, at: float) -> None:
    with pytest.raises(ValueError, match="the mark 'here' is at"):
        Timeline(picture.trace, marks=[(at, "here")])


def test_callbacks_side_by_side_are_told_apart_where_there_is_room() -> None:
    wide = [(i * 10 * MS, (i + 1) * 10 * MS) for i in range(4)]
    thin = (40 * MS, 40 * MS + 1_000)
    picture = Timeline(Trace(callbacks(*wide, thin), clock="virtual"))
    (notches,) = path_of(picture, "o")
    assert notches.count("M") == 3
    assert "5 callbacks" not in texts(picture)  # they can be counted
    narrow = [(i * MS, (i + 1) * MS) for i in range(400)]
    crowd = Timeline(Trace(callbacks(*narrow), clock="virtual"))
    assert path_of(crowd, "o") == []
    assert "400 callbacks" in texts(crowd)
