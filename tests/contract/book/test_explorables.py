"""The figures with a slider: small, fit for every reader, true to the cell beside."""

from __future__ import annotations

import asyncio
import gzip
import html
import importlib
import re
from typing import Any

import pytest

from livecells import Explorable
from livecells.runtime import Session
from tests.fast.book.test_explorables import BARS, BOOK, FOLDER


@pytest.fixture(scope="module")
def figures() -> dict[str, Explorable]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return {name: importlib.import_module(name).explorable() for name in BOOK}


@pytest.mark.parametrize("name", BOOK)
def test_a_figure_is_small_and_fit_for_every_reader(
    figures: dict[str, Explorable], name: str
) -> None:
    made = figures[name]
    assert len(gzip.compress(made.json().encode(), 6)) < 100_000
    assert made.live
    assert len({frame.summary for frame in made.frames}) == len(made.frames)
    for frame in made.frames:
        words = re.findall(r"<text[^>]*>([^<]*)</text>", frame.picture)
        # A bar has its name and its length.
        least = 2 * frame.picture.count(" area") if name in BARS else 8
        assert len(words) >= max(least, 6), "labels stand in the picture"
        assert 'aria-hidden="true"' in frame.picture  # the summary says it
        # Text keeps its size on a phone: nothing scales the drawing as a whole.
        assert frame.picture.startswith('<svg class="xp"')
        assert "viewBox" not in frame.picture.partition(">")[0]
        assert "#" not in html.unescape(frame.picture), "colours are variables"


def run_live(source: str) -> str:
    """What the live cell shows, as text."""
    outputs: list[dict[str, Any]] = []
    session = Session(outputs.append)
    status = asyncio.run(session.run_cell("cell", "Cell 1", source))
    assert status == "ok", outputs
    texts = [
        output["text"] if output["kind"] == "stream" else output["data"]["text/plain"]
        for output in outputs
    ]
    return "".join(texts)


#: Where numbers stand in what the live cell shows and in the summary of the picture,
#: and how many of the unit of the second make one of the first.
AGREE = {
    "workers": (
        r"to ([\d.]+), median ([\d.]+)",
        r"is ([\d.]+) s late, in the median run ([\d.]+) s",
        1,
    ),
    "arrivals": (r"up to (\d+) items", r"up to ([\d,]+)", 1),
    "lost_leases": (
        r"lost of 100: (\d+).* (\d+)\n|<LeaseRun (\d+) .* in ([\d.,]+) s",
        r"runs (\d+)(?: to (\d+))?|run (\d+) are|takes (\d+)",
        1,
    ),
    "clients": (r"([\d,.]+) clients|tasks: ([\d,.]+),", r"([\d,.]+) clients?\b", 1),
    "cpu_work": (r"(.+)", r"a task each, in pieces, ([\d,]+) ms", 1000),
    "hops": (r": ([\d.]+)", r"hand-overs? ([\d.,]+) ms", 1000),
}


def numbers(pattern: str, text: str) -> list[float]:
    groups = (text for match in re.finditer(pattern, text) for text in match.groups())
    return sorted({float(text.replace(",", "")) for text in groups if text})


@pytest.mark.parametrize("name", BOOK)
def test_the_live_cell_tells_what_the_picture_tells(
    figures: dict[str, Explorable], name: str
) -> None:
    made = figures[name]
    in_cell, in_words, times = AGREE[name]
    first, _, rest = made.live.partition("\n")
    variable = first.partition(" = ")[0]
    for place in (0, made.place, len(made.values) - 1):
        shown = run_live(f"{variable} = {made.values[place]!r}\n{rest}")
        in_its_output = [times * number for number in numbers(in_cell, shown)]
        summary = made.frames[place].summary
        assert in_its_output == pytest.approx(numbers(in_words, summary), rel=0.02), (
            shown
        )
    # The comparison sees a difference.
    assert in_its_output != pytest.approx(
        numbers(in_words, made.frames[0].summary), rel=0.02
    )


def test_what_the_pages_say_of_the_figures(figures: dict[str, Explorable]) -> None:
    workers = importlib.import_module("workers")
    assert workers.finish(5) < 0.45 * workers.finish(1)
    assert workers.finish(200) > 0.8 * workers.finish(5)
    for count in workers.COUNTS:
        assert workers.lateness(count).max <= count * workers.CPU + 1e-9
        if count >= 4:  # fewer do not keep the thread busy
            assert workers.lateness(count).max > 0.7 * count * workers.CPU
    arrivals = importlib.import_module("arrivals")
    for rate in arrivals.RATES:
        free = arrivals.queue_run(rate, 0)
        bounded = arrivals.queue_run(rate, arrivals.BOUND)
        assert bounded.longest <= arrivals.BOUND
        assert bounded.wait <= (arrivals.BOUND + 2) * arrivals.SERVE
        if rate >= 110:
            assert free.longest > 2 * bounded.longest and bounded.held > 0.3
        if rate <= 80:
            assert free.longest == bounded.longest and bounded.held == 0
    leases = importlib.import_module("lost_leases")
    medians = [leases.often(work).lost.median for work in leases.WORK]
    assert medians[0] == 0 and medians[-1] > 90
