"""What a cell shows, and what it leaves in order."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fast.livecells.runtime.pages import Page

CASES = Path(__file__).with_name("shown.txt").read_text("utf-8").split("\n=== ")[1:]


def told(output: dict[str, Any]) -> list[Any]:
    if output["kind"] == "stream":
        return [output["name"], output["text"]]
    if output["kind"] == "display":
        return ["result" if output["result"] else "display", output["data"]]
    return [output["kind"], output["name"], output["line"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.partition("\n")[0])
def test_a_cell_shows(page: Page, case: str) -> None:
    sources, _, expected = case.partition("\n")[2].partition("---")
    for number, source in enumerate(sources.split("+++\n")):
        outputs = page.run(source, f"c{number}")
    assert [told(output) for output in outputs] == [
        json.loads(line) for line in expected.strip().splitlines()
    ]
    assert (page.status == "error") == ('"error"' in expected)
    assert builtins.len is len and isinstance(1, int)


def test_the_host_gets_its_streams_and_main_back(page: Page) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]
    page.run("import sys\nsys.stdout = None\nsys.modules['__main__'] = None")
    page.run("1 / 0")
    assert (sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]) == before


def test_what_could_stand_there_is_asked_of_the_cells_names(page: Page) -> None:
    page.run("word_of_mine = 1")
    [option] = page.session.complete("word_of")["options"]
    assert option["label"] == "word_of_mine"
