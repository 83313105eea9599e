"""The picture of the published log and a run."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ontime.leases import EXPERIMENTS
from ontime.leases.picture import lay_over
from tests.fast.ontime.leases.test_published import LOGS


def test_the_picture_says_how_much_lies_on_each_other() -> None:
    run = EXPERIMENTS["E3"].run(seed=0)
    chart = lay_over(LOGS["E3"], run, title="Both")
    matched = LOGS["E3"].found_in(run, within=0)
    assert f"Of {len(LOGS['E3'].events)} published events {matched} have" in chart.alt
    assert "3 panels" in chart.alt
    assert "at 117 s published 65/43/3/19, ours 65/43/3/19" in chart.svg
    assert chart.svg == lay_over(LOGS["E3"], run, title="Both").svg


def test_the_picture_says_what_its_colours_and_axes_are() -> None:
    chart = lay_over(LOGS["E3"], EXPERIMENTS["E3"].run(seed=0), title="Both")
    texts = [
        (text.text or "", text.attrib["style"])
        for text in ElementTree.fromstring(chart.svg).iter(
            "{http://www.w3.org/2000/svg}text"
        )
    ]
    for kind, colour in {
        "received": "grey",
        "refreshed": "orange",
        "finished": "green",
        "lost": "blue",
    }.items():
        [style] = [style for text, style in texts if text == f"\u25a0 {kind}"]
        assert f"fill: var(--{colour})" in style
        assert f"{kind} {colour}" in chart.alt
    words = [text for text, _ in texts]
    assert words.count("message") == words.count("seconds") == 3
    assert "below a panel, messages: received/finished/lost/running" in words
    # A phone is a little narrower than the picture.
    sizes = [float(n) for _, style in texts for n in re.findall(r"([\d.]+)px", style)]
    assert min(sizes) >= 10


def test_a_run_that_differs_shows_its_own_counts() -> None:
    chart = lay_over(LOGS["E3"], EXPERIMENTS["E3"].run(None), title="asyncio", parts=2)
    assert "2 panels" in chart.alt
    [ours] = re.findall(r"at 117 s published 65/43/3/19, ours ([\d/]+)", chart.svg)
    assert ours != "65/43/3/19"
