"""The built book in a browser: whole, quiet, accessible, narrow, without scripts.

Every page is visited below a sub-path in light, where it also turns dark, on a wide and
on a narrow screen, and without scripts; every eighth page at the root in dark, too.
The tests then look at what was found.  On a narrow screen the layout is another one
and colours are the same, so there every fourth page has all tried.  A plain
``make test`` visits some of the pages, in light.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ontime.measuring import sized
from tests.site import checks

Make = Callable[..., checks.Visitor]
LIGHT, DARK = checks.SCHEMES


@dataclass
class Findings:
    """What the visits of all pages brought, by check."""

    words: dict[str, str] = field(default_factory=dict)  # of each page
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    early: list[str] = field(default_factory=list)
    axe: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    scheme: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def pages(site: Path) -> list[str]:
    """All pages but those that only send the reader on to another one.

    Slides have tests of their own, in ``test_slides.py``.
    """
    found = [n for n in checks.pages(site) if not checks.is_redirect(site / n)]
    found = [name for name in found if not name.startswith("slides/")]
    assert found
    return sized(found, found[5::8])  # two of the reference among them


@pytest.fixture(
    scope="module", params=[LIGHT, pytest.param(DARK, marks=pytest.mark.full)]
)
def findings(
    request: pytest.FixtureRequest,
    pages: list[str],
    origin: str,
    visitor: Make,
    axe: Path,
) -> Findings:
    """The pages visited in one colour scheme, wide and narrow.

    In light, below a path, all of them; there each one also has its colours tried when
    the system turns dark.  In dark, at the root, every eighth: only the colours differ.
    """
    found = Findings()
    is_dark = request.param == DARK
    rules = checks.COLOURS if is_dark else ()
    below = "/" if is_dark else checks.SUB_PATH
    one = visitor(origin + below, color_scheme=request.param)
    whole = set(pages[::4])
    for name in pages[::8] if is_dark else pages:
        visit = one.visit(name)
        found.words[name] = checks.article_text(visit.page)
        shown = visit.page.evaluate("document.documentElement.dataset.theme")
        if shown not in {request.param, None}:
            found.scheme.append(f"{name}: is {shown}")
        found.alternatives += checks.without_alternative(visit.page, name)
        found.axe += checks.axe_violations(visit.page, name, only=rules)
        if sized(not is_dark, False):
            checks.switch_scheme(visit.page, DARK)
            found.axe += checks.axe_violations(
                visit.page, f"{name} (turned dark)", only=checks.COLOURS
            )
            checks.switch_scheme(visit.page, LIGHT)
        found.cut += checks.cut_outputs(visit.page, name)
        found.wide += checks.too_wide(visit.page, name, checks.ZOOMED)
        found.errors += visit.errors
        found.foreign += visit.foreign
        found.early += visit.fetched_early
        # Loaded anew on the narrow screen, where tables fold and code must scroll:
        # what the theme's scripts do for it they do on load.
        visit = one.visit(name, width=checks.NARROW)
        found.wide += checks.too_wide(visit.page, name)
        found.hidden += checks.out_of_sight(visit.page, name)
        found.axe += checks.axe_violations(
            visit.page,
            f"{name} (narrow)",
            only=rules if name in whole else checks.WIDTHS,
        )
        found.signs += checks.boxes_without_a_sign(visit.page, name)
        found.errors += visit.errors
        found.foreign += visit.foreign
    return found


def report(found: list[str]) -> str:
    return "\n" + "\n".join(found)


def test_links_and_anchors(site: Path) -> None:
    found = checks.broken_links(site)
    assert not found, report(found)


def test_no_sentence_is_taken_for_a_type(site: Path) -> None:
    """What stands before a colon in the docstring of an attribute becomes its type."""
    found = []
    for name in ("looplab", "ontime"):
        terms = [
            term
            for path in sorted((site / "book" / name).glob("*.html"))
            for term in checks.read_page(path).find_all("dt")
        ]
        assert len(terms) > 200, f"the pages of {name} are elsewhere"
        for term in terms:
            about = term.find_next_sibling("dd")
            if about and term.get_text(strip=True).startswith("Type"):
                words = " ".join(about.get_text(" ").split())
                if re.search(r"\b[a-z]+ [a-z]+ [a-z]+\b", words):
                    found.append(f"{name}: {words}")
    assert not found, report(found)


def test_no_script_error(findings: Findings) -> None:
    assert not findings.errors, report(findings.errors)


def test_no_third_party_request(findings: Findings) -> None:
    assert not findings.foreign, report(findings.foreign)


def test_nothing_of_python_is_fetched_before_a_click(findings: Findings) -> None:
    assert not findings.early, report(findings.early)


def test_the_colour_scheme_is_followed(findings: Findings) -> None:
    assert not findings.scheme, report(findings.scheme)


def test_axe(findings: Findings) -> None:
    assert not findings.axe, report(findings.axe)


def test_no_sideways_scroll_on_a_narrow_screen(findings: Findings) -> None:
    assert not findings.wide, report(findings.wide)


def test_nothing_takes_the_focus_out_of_sight(findings: Findings) -> None:
    assert not findings.hidden, report(findings.hidden)


def test_no_output_is_cut_on_a_wide_screen(findings: Findings) -> None:
    assert not findings.cut, report(findings.cut)


def test_what_scrolls_shows_it(findings: Findings) -> None:
    assert not findings.signs, report(findings.signs)


def test_every_picture_has_a_text_alternative(findings: Findings) -> None:
    assert not findings.alternatives, report(findings.alternatives)


@pytest.mark.parametrize("findings", [LIGHT], indirect=True)
def test_without_scripts(
    pages: list[str], findings: Findings, origin: str, visitor: Make
) -> None:
    plain = visitor(origin + "/", java_script_enabled=False)
    found = []
    for name in pages:
        if name == "search.html":
            continue  # a search needs scripts, and the page says so
        visit = plain.visit(name)
        found += checks.lost_without_scripts(visit.page, name, findings.words[name])
        found += visit.foreign
    assert not found, report(found)


def test_keyboard(pages: list[str], origin: str, visitor: Make) -> None:
    one = visitor(origin + "/")
    found = []
    # Not all: what has the focus looks and works the same on all pages.
    for name in pages[1 :: sized(6, 3)]:
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
