"""The picture of the published log and a run."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from ontime.leases.picture import lay_over
from ontime.leases.published import events_of
from tests.fast.cells import as_committed
from tests.fast.ontime.leases.test_published import LOGS, judged, once

SVG = "{http://www.w3.org/2000/svg}"


def share(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib[name].removesuffix("%"))


@pytest.mark.parametrize("name", ["E1", "E3", "E4"])
def test_each_published_event_has_a_box_and_ours_a_sign_in_its_second(
    name: str,
) -> None:
    log, run = LOGS[name], once(name)
    chart = lay_over(log, run, title="Both")
    same = log.found_in(run, within=0)
    assert f"Of {len(log.events)} published events {same} have" in chart.alt
    assert f"{len(log.parts)} panels" in chart.alt
    root = ElementTree.fromstring(chart.svg)
    boxes = list(root.iter(SVG + "rect"))
    assert len(boxes) == len(log.events)
    signs = [element for element in root.iter(SVG + "svg") if element is not root]
    # A sign that agrees lies in a box, in the row of its message.
    inside = Counter(
        any(
            share(box, "x") - 0.01 <= share(sign, "x")
            and share(sign, "x") <= share(box, "x") + share(box, "width") + 0.01
            and float(box.attrib["y"]) + 6 == float(sign.attrib["y"])
            and box.attrib["class"] == sign[0].attrib["class"]
            for box in boxes
        )
        for sign in signs
    )
    assert inside[True] == same
    # Ours that are out of the part are not drawn, and those in it are.
    assert len(signs) == sum(
        event.message in {event.message for event in part}
        and part[0].at - 0.5 <= event.at <= part[-1].at + 1.5
        for part in log.parts
        for event in events_of(run)
    )
    words = [text.text for text in root.iter(SVG + "text")]
    assert words.count("message") == len(log.parts)
    # Of more than twelve rows each fourth has its number.
    numbers = []
    for part in log.parts:
        rows = sorted({event.message for event in part})
        numbers += rows if len(rows) <= 12 else rows[::4]
    assert [word for word in words if word and word.isdigit()] == list(
        map(str, numbers)
    )


def test_each_kind_is_named_once_in_its_colour() -> None:
    chart = lay_over(LOGS["E3"], once("E3"), title="Both")
    named = re.findall(r'<text class="n (\w+)"[^>]*>(\w+)<', chart.svg)
    # Nothing that was lost is in a published second.
    assert sorted(named) == [
        ("blue", "refreshed"),
        ("green", "finished"),
        ("grey", "received"),
    ]
    root = ElementTree.fromstring(chart.svg)
    seconds = [
        float(text.text.removesuffix(" s"))
        for text in root.iter(SVG + "text")
        if text.text and re.fullmatch(r"\d+ s", text.text)
    ]
    starts = [part[0].at for part in LOGS["E3"].parts]
    assert [second for second in seconds if second in starts] == starts


def test_the_picture_of_the_page_is_drawn_as_it_is_committed() -> None:
    log = LOGS["E3"]
    best = max(judged()["E3"], key=lambda run: log.found_in(run, within=0))
    chart = lay_over(log, best, title="E3: a box is published, a sign ours")
    assert chart.svg == as_committed("07_going_deeper", "log-pictures")


def test_a_title_is_text() -> None:
    title = 'a "box" & <ours>'
    chart = lay_over(LOGS["E1"], once("E1"), title=title)
    root = ElementTree.fromstring(chart.svg)
    assert root.get("aria-label") == chart.alt and chart.alt.startswith(title)
    assert title in [text.text for text in root.iter(SVG + "text")]
