"""The picture of the published log and a run."""

from __future__ import annotations

from xml.etree import ElementTree

from ontime.leases.picture import lay_over
from tests.fast.cells import as_committed
from tests.fast.ontime.leases.test_published import LOGS, judged, once

SVG = "{http://www.w3.org/2000/svg}"


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
