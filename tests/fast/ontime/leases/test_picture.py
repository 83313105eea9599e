"""The picture of the published log and a run."""

from __future__ import annotations

from xml.etree import ElementTree

from ontime.leases import EXPERIMENTS
from ontime.leases.picture import lay_over
from tests.fast.ontime.leases.test_published import LOGS

SVG = "{http://www.w3.org/2000/svg}"


def test_each_published_event_has_a_box_and_ours_a_sign() -> None:
    run = EXPERIMENTS["E3"].run(seed=0)
    log = LOGS["E3"]
    chart = lay_over(log, run, title="Both")
    found = log.found_in(run, within=0)
    assert f"Of {len(log.events)} published events {found} have" in chart.alt
    assert "3 panels" in chart.alt
    root = ElementTree.fromstring(chart.svg)
    assert len(list(root.iter(SVG + "rect"))) == len(log.events)
    assert chart.svg == lay_over(log, run, title="Both").svg


def test_each_kind_is_named_once_in_its_colour() -> None:
    chart = lay_over(LOGS["E3"], EXPERIMENTS["E3"].run(seed=0), title="Both")
    root = ElementTree.fromstring(chart.svg)
    words = [(t.text, t.get("class")) for t in root.iter(SVG + "text")]
    for kind, colour in ("received", "grey"), ("refreshed", "blue"), ("lost", "orange"):
        shown = [style for word, style in words if word == kind]
        assert shown == ([f"n {colour}"] if f">{kind}<" in chart.svg else [])
    assert ("received", "n grey") in words
    assert sum(word == "message" for word, _ in words) == 3


def test_parts_can_be_left_out() -> None:
    chart = lay_over(LOGS["E3"], EXPERIMENTS["E3"].run(None), title="asyncio", parts=2)
    assert "2 panels" in chart.alt
