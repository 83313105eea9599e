"""The bounds of what a cell shows."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import pytest

import looplab
from livecells.runtime.session import Session
from tests.fast.livecells.runtime.pages import Page


def test_text_beyond_the_limit_is_dropped_and_one_line_says_so() -> None:
    page = Page(limit=1000)
    outputs = page.run("for i in range(10_000): print(i)\nprint('x')\n5")
    assert [output["kind"] for output in outputs] == ["stream", "cut"]
    assert len(outputs[0]["text"]) == 1000
    assert outputs[0]["text"].startswith("0\n1\n2\n")
    assert outputs[1] == {"kind": "cut", "limit": 1000}
    assert page.run("print('next')", "c2")[0]["text"] == "next\n"
    outputs = page.run("print('x' * 5000)\n1 / 0")
    assert [output["kind"] for output in outputs] == ["stream", "cut", "error"]


def test_ten_megabytes_leave_in_few_pieces(page: Page) -> None:
    page.run("line = 'x' * 99\nfor _ in range(100_000): print(line)")
    assert sum(len(output.get("text", "")) for output in page.outputs) == 100_000
    assert len(page.outputs) < 100
    page.run("print('y' * 10_000_000)")
    assert sum(len(output.get("text", "")) for output in page.outputs) == 100_000


def test_html_has_a_bound_of_its_own(page: Page) -> None:
    page.run("""
        class Html:
            def __init__(self, size): self.size = size
            def _repr_html_(self): return "x" * self.size
            def __repr__(self): return "short"
    """)
    assert len(page.run("Html(500_000)", "c2")[0]["data"]["text/html"]) == 500_000
    output, cut = page.run("Html(3_000_000)", "c2")
    assert cut["kind"] == "cut"
    assert "text/html" not in output["data"]
    assert (
        "3,000,000 characters with 0 tags of text/html" in output["data"]["text/plain"]
    )


def test_html_may_not_have_any_number_of_tags(page: Page) -> None:
    page.run("""
        class Table:
            def _repr_html_(self): return "<b>x</b>" * 1_000
            def __repr__(self): return "short"
    """)
    outputs = page.run("for i in range(5_000): display(Table())", "c2")
    shown = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(shown) == 10
    *_, last, cut = outputs
    assert len(outputs) == len(shown) + 2
    assert "8,000 characters with 2,000 tags of text/html" in last["data"]["text/plain"]
    assert "2,000,000 and 20,000" in last["data"]["text/plain"]
    assert cut["kind"] == "cut"


def test_endless_displays_are_cut(page: Page) -> None:
    outputs = page.run("for i in range(5000): display(i)")
    assert len(outputs) < 400
    assert outputs[-1]["kind"] == "cut"


LATE = """
import asyncio
async def late():
    for n in range(3):
        await asyncio.sleep(0.001)
        print("late", n)
task = asyncio.create_task(late())
print("first")
"""


@pytest.mark.parametrize("late", [True, False])
def test_what_a_task_prints_goes_to_its_cell(late: bool) -> None:
    """Or nowhere: the build shows what a cell printed until it ended."""
    shown: list[dict[str, Any]] = []

    async def run() -> None:
        session = Session(shown.append, late=late, clock=lambda: 0.0)
        await session.run_cell("one", "Cell 1", LATE)
        await session.run_cell("two", "Cell 2", "print('second')\nawait task")
        session.flush()

    streams = sys.stdout, sys.stderr
    try:
        looplab.run(run())
    finally:
        sys.stdout, sys.stderr = streams
    own = "".join(out["text"] for out in shown if "late" not in out)
    assert own == "first\nsecond\n"
    later = [out for out in shown if "late" in out]
    assert {out["late"] for out in later} == ({"one"} if late else set())
    text = "late 0\nlate 1\nlate 2\n" if late else ""
    assert "".join(out["text"] for out in later) == text


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("len?", "help(len)"),
        ("?asyncio.run", "help(asyncio.run)"),
        ("import asyncio\nasyncio.run(None)", "await main()"),
    ],
)
def test_what_only_a_notebook_knows_is_explained(
    page: Page, source: str, words: str
) -> None:
    assert words in page.error(source)["text"]


@pytest.mark.parametrize(("step", "pieces"), [(0.0, 41), (0.005, 50), (0.05, 100)])
def test_short_pieces_are_paced(step: float, pieces: int) -> None:
    """Forty at once, then twenty a second, and the rest where the cell ends."""
    page = Page(clock=itertools.count(step=step).__next__)
    page.run("import sys\nfor n in range(100): _ = sys.stdout.write('x')")
    assert len(page.outputs) == pieces
    assert "".join(output["text"] for output in page.outputs) == "x" * 100
