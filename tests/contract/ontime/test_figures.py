"""Charts: what they say, that they never change, and that they fit a page."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from looplab.timeline import COLOURS
from ontime.figures import Chart, Curve, curves, ranking
from tests.fast.ontime.test_figures import two_curves

SVG = "{http://www.w3.org/2000/svg}"
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


def test_another_process_gives_the_same_svg() -> None:
    code = (
        "import sys, looplab, ontime.check\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from ontime.figures import *\n"
        "print(curves(Curve('a', [(0, 1), (3, 2)]), x='x', y='y', alt='z').svg, end='')"
    )
    ours = curves(Curve("a", [(0, 1), (3, 2)]), x="x", y="y", alt="z").svg
    for seed in "1", "2":
        env = {"PYTHONHASHSEED": seed, "MPLCONFIGDIR": "/nonexistent"}
        command = [sys.executable, "-c", code]
        assert subprocess.check_output(command, text=True, env=env) == ours


def test_two_charts_share_no_id_and_every_reference_is_met() -> None:
    ids = []
    for chart in (two_curves("one"), two_curves("two")):
        own = re.findall(r' id="([^"]+)"', chart.svg)
        used = re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', chart.svg)
        assert set(own) == set(used)
        ids += own
    assert len(ids) == len(set(ids))


def test_text_is_text() -> None:
    assert {"flat", "steep", "workers", "lateness (s)"} <= set(texts(two_curves()))
    words = texts(three_rows())
    assert {"1.990", "0.020", "0.010"} <= set(words)
    assert words["storm"] < words["queue"] < words["a & b"], "the first at the top"
    assert {"1.99", "0.01"} <= set(texts(three_rows(form=".3g")))


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


def test_a_ranking_marks_predictions_and_the_spread() -> None:
    plain = three_rows(predicted={})
    assert three_rows().svg.count("<use ") == plain.svg.count("<use ") + 2
    spread = {"queue": (0.01, 4.0)}
    assert three_rows(predicted={}, spread=spread).svg != plain.svg
    # A line of no length is no line.
    assert three_rows(predicted={}, spread={"queue": (0.02, 0.02)}).svg == plain.svg
    with pytest.raises(ValueError, match="queue is 0: a logarithmic axis"):
        three_rows(spread={"queue": (0, 4.0)})
