"""The built book in a browser: whole, quiet, accessible, narrow, without scripts.

Every page is visited once below a sub-path on a wide screen in light, and once without
scripts. Each fourth one is turned dark too, and loaded anew on a narrow screen, where
the layout is another one. The tests then look at what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

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
    words_cut: list[str] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    scheme: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def pages(site: Path) -> list[str]:
    """All pages but those that only send the reader on to another one, and slides."""
    found = [n for n in checks.pages(site) if not checks.is_redirect(site / n)]
    found = [name for name in found if not name.startswith("slides/")]
    assert found
    return found


@pytest.fixture(scope="module")
def findings(pages: list[str], origin: str, visitor: Make, axe: Path) -> Findings:
    """What the visits of the pages brought."""
    found = Findings()
    reader = visitor(origin + checks.SUB_PATH, color_scheme=LIGHT)
    whole = set(pages[::4])
    for name in pages:
        visit = reader.visit(name)
        found.words[name] = checks.article_text(visit.page)
        shown = visit.page.evaluate("document.documentElement.dataset.theme")
        if shown not in {LIGHT, None}:
            found.scheme.append(f"{name}: is {shown}")
        found.alternatives += checks.without_alternative(visit.page, name)
        found.axe += checks.axe_violations(visit.page, name)
        found.cut += checks.cut_outputs(visit.page, name)
        found.wide += checks.too_wide(visit.page, name, checks.ZOOMED)
        found.words_cut += checks.cut_words(visit.page, name)
        if name in whole:
            checks.switch_scheme(visit.page, DARK)
            dark = f"{name} (turned dark)"
            found.axe += checks.axe_violations(visit.page, dark, only=checks.COLOURS)
            checks.switch_scheme(visit.page, LIGHT)
        visits = [visit]
        if name in whole:
            # Loaded anew, where tables fold and code must scroll: what the theme's
            # scripts do for it they do on load.
            narrow = reader.visit(name, width=checks.NARROW)
            found.wide += checks.too_wide(narrow.page, name)
            found.hidden += checks.out_of_sight(narrow.page, name)
            found.axe += checks.axe_violations(
                narrow.page, f"{name} (narrow)", only=checks.WIDTHS
            )
            found.signs += checks.boxes_without_a_sign(narrow.page, name)
            visits.append(narrow)
        for visit in visits:
            found.errors += visit.errors
            found.foreign += visit.foreign
            found.early += visit.fetched_early
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


def test_no_word_of_a_chart_is_cut_on_a_narrow_screen(findings: Findings) -> None:
    assert not findings.words_cut, report(findings.words_cut)


def test_what_scrolls_shows_it(findings: Findings) -> None:
    assert not findings.signs, report(findings.signs)


def test_every_picture_has_a_text_alternative(findings: Findings) -> None:
    assert not findings.alternatives, report(findings.alternatives)


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
    for name in pages[1::6]:
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


def test_a_search_lands_at_a_section_and_says_why(origin: str, visitor: Make) -> None:
    page = visitor(origin + checks.SUB_PATH).visit("search.html?q=backpressure").page
    places = page.locator(".search-place", has=page.locator("a[href*='#']"))
    place = places.filter(has=page.locator("mark")).first
    place.wait_for()
    assert "backpressure" in place.locator(".context").inner_text().lower()
    icon = page.locator(".bd-search-container .fa-magnifying-glass").bounding_box()
    field = page.locator(".bd-search-container input[type=search]").bounding_box()
    assert icon["x"] + icon["width"] <= field["x"] + 1
    place.locator("a").click()
    page.wait_for_url("**/*.html#*")
    target = page.locator(f"[id='{page.url.partition('#')[2]}']")
    assert 0 <= target.bounding_box()["y"] < 900
    assert not page.locator("article .highlighted").count()


def test_a_search_for_what_only_code_has_leads_to_the_section(
    origin: str, visitor: Make
) -> None:
    page = visitor(origin + "/").visit("search.html?q=heappush").page
    place = page.locator(".search-place", has=page.locator("a[href*='#']")).first
    place.wait_for()
    # A sentence of it, and not the code.
    assert "heappush(" not in place.locator(".context").inner_text()


def test_a_search_for_nothing_known_says_so(origin: str, visitor: Make) -> None:
    page = visitor(origin + "/").visit("search.html?q=xylophone").page
    page.locator(".search-summary", has_text="did not match").wait_for()
    assert not page.locator("ul.search li").count()


def test_a_page_names_an_address_only_if_the_site_has_one(site: Path) -> None:
    for name in ("book/index.html", "book/04_late_heartbeat.html"):
        page = checks.read_page(site / name)
        assert page.find("meta", property="og:title")
        assert page.find("meta", property="og:description")
        for selector in ("link[rel=canonical]", "meta[property='og:url']"):
            assert not page.select(selector)
        assert len(page.select("meta[name=viewport]")) == 1
        assert (site / f"_static/cards/{Path(name).stem}.png").is_file()
    assert not (site / "sitemap.xml").exists()
    assert (site / "robots.txt").is_file()
    links = checks.read_page(site / "404.html").select("article a[href]")
    assert [(site / str(link["href"])).is_file() for link in links] == [True]
