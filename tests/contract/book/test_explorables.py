"""The figures with a slider: small, fit for every reader, true to the cell beside."""

from __future__ import annotations

import ast
import asyncio
import gzip
import html
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from livecells import Explorable
from livecells.runtime import Session
from livecells.sphinx.slider import MAKE
from tests.fast.book.test_explorables import BARS, BOOK, FOLDER
from tools.common import ROOT


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


def test_a_second_run_draws_the_same(figures: dict[str, Explorable]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAKE, "arrivals:explorable"],
        env={**os.environ, "PYTHONPATH": f"{FOLDER}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert json.loads(done.stdout)["json"] == figures["arrivals"].json()


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


def workers_agree(shown: str, summary: str) -> bool:
    worst, middle = re.match(
        r"[\d.]+ to ([\d.]+), median ([\d.]+) \(60 runs\)", shown
    ).groups()  # type: ignore[union-attr]
    stated = re.findall(r"([\d.]+) s", summary)
    return [round(float(worst), 2), round(float(middle), 2)] == [
        round(float(text), 2) for text in stated[:2]
    ]


def arrivals_agree(shown: str, summary: str) -> bool:
    counted = re.findall(r"up to (\d+) items", shown)
    return counted == re.findall(r"up to ([\d,]+)", summary.replace(",", ""))


def leases_agree(shown: str, summary: str) -> bool:
    found = re.search(r"lost of 100: ([\d ]+)\n", shown)
    run = re.search(r"<LeaseRun (\d+) processed, \d+ lost in ([\d.,]+) s", shown)
    assert found and run
    low, *_, high = found[1].split()
    span = low if low == high else f"{low} to {high}"
    took = f"{float(run[2].replace(',', '')):.0f} s"
    return f"runs {span} of 100" in summary and (
        f"{run[1]} are processed, and it takes {took}" in summary
    )


def clients_agree(shown: str, summary: str) -> bool:
    printed = re.findall(r"([\d,.]+) clients|with tasks: ([\d,.]+),", shown)
    stated = re.findall(r"([\d,.]+) clients?\b", summary)
    numbers = [float("".join(pair).replace(",", "")) for pair in printed]
    return numbers == pytest.approx(
        [float(text.replace(",", "")) for text in stated], rel=0.02
    )


def cpu_work_agrees(shown: str, summary: str) -> bool:
    (stated,) = re.findall(r"a task each, in pieces, ([\d,]+) ms", summary)
    return round(1000 * float(shown)) == int(stated.replace(",", ""))


def hops_agree(shown: str, summary: str) -> bool:
    printed = {hops: 1000 * took for hops, took in ast.literal_eval(shown).items()}
    stated = re.findall(r"(\d+) hand-overs? ([\d.,]+) ms", summary)
    return printed == pytest.approx(
        {int(hops): float(took.replace(",", "")) for hops, took in stated}
    )


AGREE: dict[str, Callable[[str, str], bool]] = {
    "workers": workers_agree,
    "arrivals": arrivals_agree,
    "lost_leases": leases_agree,
    "clients": clients_agree,
    "cpu_work": cpu_work_agrees,
    "hops": hops_agree,
}


@pytest.mark.parametrize("name", BOOK)
def test_the_live_cell_tells_what_the_picture_tells(
    figures: dict[str, Explorable], name: str
) -> None:
    made = figures[name]
    first, _, rest = made.live.partition("\n")
    variable = first.partition(" = ")[0]
    for place in (0, made.place, len(made.values) - 1):
        shown = run_live(f"{variable} = {made.values[place]!r}\n{rest}")
        assert AGREE[name](shown, made.frames[place].summary), shown
    # The comparison sees a difference.
    assert not AGREE[name](shown, made.frames[0].summary)


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
