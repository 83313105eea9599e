"""Step charts: what they draw, and what they refuse."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from looplab.draw import Chart, Line, steps

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [(0, 0), (1, 2), (3, 1), (4, 5)]


def chart(*lines: Line, **options: Any) -> Chart:
    return steps(
        *(lines or [Line("queue", POINTS)]),
        x="time (s)",
        y="items",
        alt="A queue.",
        **options,
    )


def texts(drawn: Chart) -> list[str]:
    return [
        text.text or "" for text in ElementTree.fromstring(drawn.svg).iter(SVG + "text")
    ]


def path(drawn: Chart, colour: str = "blue") -> str:
    words = re.search(rf'class="s {colour}" d="([^"]*)"', drawn.svg)
    assert words
    return words[1]


def test_axes_begin_at_0_and_have_round_numbers() -> None:
    words = texts(chart())
    assert words[1:4] == ["0", "2", "4"]
    words = texts(chart(Line("q", [(0, 0), (60, 1200)])))
    assert {"0", "500", "1,000", "20", "40", "60"} <= set(words)
    words = texts(chart(Line("q", [(0, 0), (0.002, 1)])))
    assert "0.0005" in words


def test_ends_can_be_shared_by_several_pictures() -> None:
    drawn = chart(end=10, top=20)
    other = chart(Line("queue", [(0, 3)]), end=10, top=20)
    assert texts(drawn)[:-1] == texts(other)[:-1]


def test_bound() -> None:
    assert "bound 4" in texts(chart(bound=4))
    assert "bound" not in " ".join(texts(chart()))
    # The axis makes room for it.
    assert "10" in texts(chart(bound=10))


def test_many_points_are_thinned_and_the_extremes_are_kept() -> None:
    points = [(n / 100_000, float(n % 2)) for n in range(100_000)]
    points[50_000] = (0.5, 9.0)
    drawn = chart(Line("queue", points))
    assert len(drawn.svg) < 40_000
    highest = min(float(level) for level in re.findall(r"V([\d.]+)", path(drawn)))
    reference = path(chart(Line("queue", [(0, 0), (0.5, 9), (1, 0)])))
    assert highest == min(float(level) for level in re.findall(r"V([\d.]+)", reference))


def test_nothing_but_zeros() -> None:
    assert texts(chart(Line("q", [(0, 0)])))


def test_labels() -> None:
    drawn = chart(Line("here", POINTS, label_at=(2, 3)), Line("a<b", POINTS, "grey"))
    assert {"here", "a<b"} <= set(texts(drawn))
    places = [
        float((text.get("x") or "").removesuffix("%"))
        for text in ElementTree.fromstring(drawn.svg).iter(SVG + "text")
    ]
    assert all(0 <= place <= 100 for place in places)


@pytest.mark.parametrize(
    ("line", "options", "words"),
    [
        (Line("q", []), {}, "has no points"),
        (Line("q", [(1, 0), (0, 0)]), {}, "goes back from 1 to 0"),
        (Line("q", [(0, -1)]), {}, "0 or more"),
        (Line("q", [(0, float("inf"))]), {}, "finite"),
        (Line("q", [(float("nan"), 1)]), {}, "finite"),
        (Line("q", POINTS, "pink"), {}, "'pink'.*orange, blue"),
        (Line("q", POINTS), {"end": 0}, "end is 0"),
        (Line("q", POINTS), {"top": -1}, "top is -1"),
        (Line("q", POINTS), {"height": 50}, "height is 50"),
    ],
)
def test_wrong_input(line: Line, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        chart(line, **options)


def test_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="at least one Line"):
        steps(x="x", y="y", alt="A")
    with pytest.raises(ValueError, match="alt is empty"):
        steps(Line("q", POINTS), x="x", y="y", alt=" ")
