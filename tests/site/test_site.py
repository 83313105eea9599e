"""The built book in a browser: whole, without scripts, below a sub-path, by keyboard.

``test_light.py`` and ``test_dark.py`` look at each page as it is shown.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.site import checks
from tests.site.schemes import Make, report


def test_links_and_anchors(site: Path) -> None:
    found = checks.broken_links(site)
    assert not found, report(found)


def test_no_sentence_is_taken_for_a_type(site: Path) -> None:
    """What stands before a colon in the docstring of an attribute becomes its type."""
    found = []
    for name in ("looplab", "ontime"):
        text = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
        for term in BeautifulSoup(text, "html.parser").find_all("dt"):
            about = term.find_next_sibling("dd")
            if about and term.get_text(strip=True).startswith("Type"):
                words = " ".join(about.get_text(" ").split())
                if re.search(r"\b[a-z]+ [a-z]+ [a-z]+\b", words):
                    found.append(f"{name}: {words}")
    assert not found, report(found)


def test_without_scripts(pages: list[str], origin: str, visitor: Make) -> None:
    scripted = visitor(origin + "/")
    plain = visitor(origin + "/", java_script_enabled=False)
    found = []
    for name in pages:
        if name == "search.html":
            continue  # a search needs scripts, and the page says so
        words = checks.article_text(scripted.visit(name).page)
        visit = plain.visit(name)
        found += checks.lost_without_scripts(visit.page, name, words)
        found += visit.foreign
    assert not found, report(found)


def test_below_a_sub_path(pages: list[str], origin: str, visitor: Make) -> None:
    one = visitor(origin + checks.SUB_PATH)
    found = []
    for name in pages:
        visit = one.visit(name)
        found += visit.errors + visit.foreign
    assert not found, report(found)


def test_keyboard(pages: list[str], origin: str, visitor: Make) -> None:
    one = visitor(origin + "/")
    found = []
    for name in pages:
        visit = one.visit(name)
        found += checks.keyboard_faults(visit.page, name)
    assert not found, report(found)


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_those_who_asked(
    wish: str, origin: str, visitor: Make
) -> None:
    page = visitor(origin + "/", reduced_motion=wish).visit("book/index.html").page
    assert bool(checks.moving(page, "p")) == (wish == "no-preference")


def test_why_a_cell_does_not_run_is_smaller_than_prose(
    origin: str, visitor: Make
) -> None:
    page = visitor(origin + "/").visit("notebooks/06_spinning_loop.html").page
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    reason = page.locator(".livecell-reason").first.evaluate(size)
    assert reason < 0.8 * page.locator("article section > p").first.evaluate(size)
