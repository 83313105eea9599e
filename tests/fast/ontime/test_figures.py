"""Charts: what they say, that they never change, and that they fit a page."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from looplab.timeline import COLOURS
from ontime.figures import Chart, Curve, curves, pairs, ranking
from ontime.grade.cells import run_cell
from tests.fast.cells import as_committed
from tests.fast.exercises import homes
from tools import landing_figure

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib dates every drawing, those too that only measure a text."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def two_curves(alt: str = "Two curves") -> Chart:
    return curves(
        Curve("flat", [(0, 1), (10, 1)], "grey", "dots"),
        Curve("steep", [(0, 0), (10, 2)], "orange", label_at=(3, 1.5)),
        x="workers",
        y="lateness (s)",
        alt=alt,
    )


ROWS = [("storm", 1.99, "orange"), ("queue", 0.02, "blue"), ("a & b", 0.01, "blue")]


def three_rows(**settings: Any) -> Chart:
    settings.setdefault("predicted", {"storm": 2.0, "queue": 0.02})
    return ranking(ROWS, x="worst lateness (s)", alt='less < "more" & all', **settings)


CHARTS = [two_curves, three_rows]


def texts(chart: Chart) -> dict[str, float]:
    """Each text, and how far down it stands."""
    return {
        text.text or "": float(text.attrib["y"])
        for text in ET.fromstring(chart.svg).iter(f"{SVG}text")
    }


@pytest.mark.parametrize("make", CHARTS)
def test_what_every_chart_is(make: Any) -> None:
    """The same each time, with words for who does not see it, in the page's colours."""
    chart = make()
    assert chart == make()
    root = ET.fromstring(chart.svg)
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", chart.alt)
    assert chart.alt in repr(chart)
    assert chart._repr_html_() == chart.svg
    drawing = chart.svg.partition("</style>")[2]
    assert "currentColor" in drawing and "var(--orange)" in drawing
    # Nothing is left in a colour of its own: it would not change with the theme.
    assert not re.findall(r"#[0-9a-f]{6}\b", drawing)
    assert all(colour in chart.svg for colour in COLOURS.values())
    # It brings one style, which does not touch the page, and asks nobody for anything.
    (style,) = re.findall(r"<style.*?>(.*?)</style>", chart.svg)
    selectors = re.findall(r"(?:^|[{}])([^{}@;]+)\{", style)
    assert selectors and all(".looplab-chart" in selector for selector in selectors)
    links = set(re.findall(r"https?://[^\"' )]+", chart.svg))
    assert all(link.startswith("http://www.w3.org/") for link in links)


def test_two_charts_share_no_id_and_every_reference_is_met() -> None:
    ids = []
    for chart in (two_curves("one"), two_curves("two")):
        own = re.findall(r' id="([^"]+)"', chart.svg)
        used = re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', chart.svg)
        assert set(own) == set(used)
        ids += own
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("last", "numbers"),
    [
        (10, {"1", "2", "5", "10"}),
        (100, {"1", "3", "10", "30", "100"}),
        (10_000, {"1", "10", "100", "1000", "10000"}),
    ],
)
def test_a_logarithmic_axis_says_so_and_can_be_read(
    last: float, numbers: set[str]
) -> None:
    points = [(1.0, 1.0), (last, 2.0)]
    rows = [("least", 1.0, "blue"), ("most", last, "blue")]
    for chart in (
        curves(Curve("a", points), x="size", y="y", alt="z", log=True),
        ranking(rows, x="size", alt="z"),
    ):
        assert {"size, logarithmic", *numbers} <= set(texts(chart))


def test_a_label_stands_on_no_dot() -> None:
    def height(*dots: tuple[float, float]) -> float:
        """Where the label of the other curve stands; the axes stay as they are."""
        around = [(0.0, 0.0), (10.0, 10.0)]
        chart = curves(
            Curve("dots", [*around, *dots], "blue", "dots"),
            Curve("label", around, "orange", label_at=(4, 5)),
            x="x",
            y="y",
            alt="z",
        )
        return texts(chart)["label"]

    free = height()
    assert height((4.5, 5)) < free - 5
    assert height((4.5, 5), (4.5, 5.5)) < height((4.5, 5)) - 5
    assert height((4.5, 7), (3, 5)) == free


def test_a_ranking_has_each_dot_at_its_value() -> None:
    """On the scale that the numbers below it say; with rings and lines likewise."""
    svg = three_rows(spread={"queue": (0.01, 4.0), "a & b": (0.01, 0.01)}).svg
    root = ET.fromstring(svg)
    places = {
        text.text: (float(text.attrib["x"]), float(text.attrib["y"]))
        for text in root.iter(f"{SVG}text")
    }
    left, decade = places["0.01"][0], places["0.1"][0] - places["0.01"][0]

    def at(value: float, aside: float = 0) -> Any:
        x = left + decade * (math.log10(value) + 2) + aside
        return pytest.approx(x, abs=0.02)

    marks = [float(use.attrib["x"]) for use in root.iter(f"{SVG}use")]
    assert marks[3:] == [at(1.99), at(2), at(0.02), at(0.02), at(0.01)]
    # A line of no length is no line.
    [ends] = re.findall(r'M ([\d.]+) .*\nL ([\d.]+) .*\n"[^>]*--blue', svg)
    assert [*map(float, ends)] == [at(0.01), at(4)]
    assert places["storm"][1] < places["queue"][1] < places["a & b"][1]
    # The value in words stands behind what is drawn in its row.
    for words, behind in ("1.990", 1.99), ("0.020", 4.0), ("0.010", 0.01):
        assert places[words][0] == at(behind, aside=9)


def test_the_curves_of_a_lab_are_drawn_as_they_are_committed() -> None:
    lab = "04_going_deeper"
    cells = {c["id"]: "".join(c["source"]) for c in homes.code_cells(lab)}
    finish = ast.literal_eval(as_committed(lab, "finish"))
    names = {"finish": finish, "Curve": Curve, "curves": curves}
    chart: Any = run_cell(cells["finish-chart"], names)
    assert chart.svg == as_committed(lab, "finish-chart")


def test_the_two_of_a_pair_are_joined_and_named() -> None:
    svg = pairs([("a", 1, 4), ("b", 3, 2)], names=("old", "new"), x="s", alt="z").svg
    words = re.findall(r">([^<>]+)</text>", svg)
    assert {"a", "b", "old", "new", "1.000", "4.000", "3.000", "2.000"} <= set(words)
    assert svg.count("stroke-width: 3") == 2


# The pictures of the landing page and of chapter 4, which are made by the same rules.


@pytest.mark.parametrize("name", landing_figure.PICTURES)
def test_the_committed_picture_is_what_the_code_makes(name: str) -> None:
    committed = (landing_figure.FOLDER / name).read_text(encoding="utf-8")
    assert committed == landing_figure.PICTURES[name](), (
        f"book/figures/{name} is stale: run python -m tools.landing_figure"
    )


def test_the_cell_of_the_landing_page_runs_what_its_picture_shows() -> None:
    page = (landing_figure.FOLDER.parent / "index.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```\{livecell\}\n:id: storm\n(.*?)```", page, re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(cell, {})
    assert printed.getvalue() == "1.500 s late\n"
    picture = landing_figure.late_beat()
    assert "1.500 s late at 3 s" in picture, "in the words for who does not see it"
    assert f"{landing_figure.JOBS} small tasks make a timer 1.500 s late" in picture
    beats = re.search(r"heartbeat: (\d) beats", picture)
    assert beats is not None and beats[1] == "3", "two on time, and the late one"
