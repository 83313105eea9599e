"""Charts: what they say, that they never change, and that they fit a page."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from looplab.timeline import COLOURS
from ontime.figures import Chart, Curve, Strip, curves, ranking, strips
from tests.fast.ontime.test_figures import two_curves

SVG = "{http://www.w3.org/2000/svg}"


def three_rows() -> Chart:
    return ranking(
        [
            ("storm", 1.99, "orange"),
            ("queue", 0.02, "blue"),
            ("a & b", 0.01, "blue"),
        ],
        x="worst lateness (s)",
        alt="Three rows",
        predicted={"storm": 2.0, "queue": 0.02},
    )


def two_strips() -> Chart:
    return strips(
        Strip("stock", [96, 97, 97, 98], "orange", exact=87, published=90),
        Strip("gate", [0, 0, 0, 0], "green", exact=0),
        x="lost of 100",
        alt="Two strips",
        most=100,
    )


def texts(chart: Chart) -> list[str]:
    return [text.text or "" for text in ET.fromstring(chart.svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("make", [two_curves, three_rows, two_strips])
def test_the_same_data_give_the_same_svg(make: type[Chart]) -> None:
    assert make() == make()


def test_another_process_gives_the_same_svg() -> None:
    code = (
        "from ontime.figures import *\n"
        "print(curves(Curve('a', [(0, 1), (3, 2)]), x='x', y='y', alt='z').svg, end='')"
    )
    here = curves(Curve("a", [(0, 1), (3, 2)]), x="x", y="y", alt="z").svg
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "MPLCONFIGDIR": "/nonexistent"},
        )
        assert there.stdout == here


def test_text_is_text_and_names_the_curves() -> None:
    found = texts(two_curves())
    assert {"flat", "steep", "workers", "lateness (s)"} <= set(found)


def test_a_ranking_shows_each_value_beside_its_label() -> None:
    found = texts(three_rows())
    assert {"storm", "1.990", "queue", "0.020", "a & b", "0.010"} <= set(found)


def test_a_ranking_lists_the_first_row_at_the_top() -> None:
    heights = {
        text.text: float(text.attrib["y"])
        for text in ET.fromstring(three_rows().svg).iter(f"{SVG}text")
    }
    assert heights["storm"] < heights["queue"] < heights["a & b"]


def test_a_ring_for_each_prediction() -> None:
    with_rings = three_rows().svg
    without = ranking(
        [
            ("storm", 1.99, "orange"),
            ("queue", 0.02, "blue"),
            ("a & b", 0.01, "blue"),
        ],
        x="worst lateness (s)",
        alt="Three rows",
    ).svg
    assert with_rings.count("<use ") == without.count("<use ") + 2


@pytest.mark.parametrize("make", [two_curves, three_rows, two_strips])
def test_colours_follow_the_page(make: type[Chart]) -> None:
    svg = make().svg
    drawing = svg.partition("</style>")[2]
    assert "currentColor" in drawing
    assert "var(--orange)" in drawing
    # Nothing is left in a colour of its own: it would not change with the theme.
    assert not re.findall(r"#[0-9a-f]{6}\b", drawing)
    for colour in COLOURS.values():
        assert colour in svg  # declared once, in the style


@pytest.mark.parametrize("make", [two_curves, three_rows, two_strips])
def test_the_chart_has_a_text_alternative(make: type[Chart]) -> None:
    chart = make()
    root = ET.fromstring(chart.svg)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == chart.alt
    assert chart.alt in repr(chart)


def test_the_alternative_is_escaped() -> None:
    chart = two_curves('less < "more" & all')
    assert ET.fromstring(chart.svg).attrib["aria-label"] == 'less < "more" & all'


def test_it_brings_one_style_and_does_not_touch_the_page() -> None:
    svg = two_curves().svg
    (style,) = re.findall(r"<style.*?>(.*?)</style>", svg)
    selectors = re.findall(r"(?:^|[{}])([^{}@;]+)\{", style)
    assert selectors
    assert all(".looplab-chart" in selector for selector in selectors)


def test_two_charts_share_no_id_and_every_reference_is_met() -> None:
    ids = []
    for chart in (two_curves("one"), two_curves("two")):
        own = re.findall(r' id="([^"]+)"', chart.svg)
        used = re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', chart.svg)
        assert set(own) == set(used)
        ids += own
    assert len(ids) == len(set(ids))


def test_it_shows_itself_in_a_notebook_and_asks_nothing_of_the_net() -> None:
    chart = two_curves()
    assert chart._repr_html_() == chart.svg
    links = set(re.findall(r"https?://[^\"' )]+", chart.svg))
    assert all(link.startswith("http://www.w3.org/") for link in links)


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
    found = texts(curves(Curve("a", points), x="size", y="y", alt="z", log=True))
    assert "size, logarithmic" in found
    assert numbers <= set(found)
    rows = [("one", 1.0, "blue"), ("last", last, "blue")]
    found = texts(ranking(rows, x="size", alt="z"))
    assert "size, logarithmic" in found
    assert numbers <= set(found)


def test_a_label_stands_on_no_dot() -> None:
    def height(dots: list[tuple[float, float]]) -> float:
        """Where the label of the other curve stands; the axes stay as they are."""
        around = [(0.0, 0.0), (10.0, 10.0)]
        chart = curves(
            Curve("dots", around + dots, "blue", "dots"),
            Curve("here", around, "orange", label_at=(4, 5)),
            x="x",
            y="y",
            alt="z",
        )
        (label,) = (
            text
            for text in ET.fromstring(chart.svg).iter(f"{SVG}text")
            if text.text == "here"
        )
        return float(label.attrib["y"])

    free = height([])
    assert height([(4.5, 5)]) < free - 5
    assert height([(4.5, 5), (4.5, 5.5)]) < height([(4.5, 5)]) - 5
    assert height([(4.5, 7), (3, 5)]) == free


def test_a_ranking_writes_values_as_it_is_told() -> None:
    rows = [("a", 142.8359, "blue"), ("b", 0.1269, "blue")]
    assert {"143", "0.127"} <= set(texts(ranking(rows, x="s", alt="A", form=".3g")))


def test_looplab_does_not_need_matplotlib() -> None:
    code = "import sys, looplab, ontime.check; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The pictures of the landing page and of chapter 4, which are made by the same rules.


def test_a_ranking_shows_the_spread() -> None:
    rows = [("a", 1.0, "blue"), ("b", 2.0, "blue")]
    plain = ranking(rows, x="s", alt="A")
    spread = ranking(rows, x="s", alt="A", spread={"a": (0.5, 4.0)})
    assert plain.svg != spread.svg
    # A line of no length is no line.
    assert ranking(rows, x="s", alt="A", spread={"a": (1.0, 1.0)}).svg == plain.svg
    with pytest.raises(ValueError, match="a is 0: a logarithmic axis"):
        ranking(rows, x="s", alt="A", spread={"a": (0, 4.0)})


def bars(chart: Chart, name: str) -> list[float]:
    """The heights of the bars in one colour, from left to right."""
    paths = [
        element.attrib["d"]
        for element in ET.fromstring(chart.svg).iter(f"{SVG}path")
        if f"stroke: var(--{name})" in element.attrib.get("style", "")
    ]
    ends = [[float(n) for n in re.findall(r"[\d.]+", path)] for path in paths]
    return [low - high for _, low, _, high in sorted(ends)]


def test_a_strip_has_a_bar_for_each_value_as_high_as_it_is_frequent() -> None:
    heights = bars(two_strips(), "orange")
    assert [round(height / max(heights), 2) for height in heights] == [0.5, 1, 0.5]
    assert len(bars(two_strips(), "green")) == 1


def test_a_strip_marks_the_exact_and_the_published_figure() -> None:
    def marks(**figures: Any) -> int:
        chart = strips(Strip("a", [1, 2], **figures), x="lost", alt="A", most=9)
        named = " ".join(texts(chart))
        assert ("exact" in named) == ("exact" in figures)
        assert ("published" in named) == ("published" in figures)
        return chart.svg.count("<use ")

    plain = marks()
    assert marks(exact=1) == plain + 1
    assert marks(exact=1, published=3) == plain + 2
