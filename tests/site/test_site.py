"""The built book in a browser: whole, quiet, accessible, narrow, without scripts.

Every page is visited once below a sub-path on a wide screen in light, and once without
scripts. Each fourth one is turned dark too, and loaded anew on a narrow screen, where
the layout is another one. The tests then look at what was found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import cards
import pytest

from tests.site import checks, visits
from tests.site.visits import NARROW, SUB_PATH, ZOOMED, read_page

Make = Callable[..., visits.Visitor]
Findings = dict[str, list[str]]
THEME = """
scheme => [scheme, undefined].includes(document.documentElement.dataset.theme)
"""


@pytest.fixture(scope="module")
def pages(site: Path) -> list[str]:
    """All pages but those that only send the reader on to another one, and slides."""
    names = [n for n in visits.pages(site) if not visits.is_redirect(site / n)]
    names = [name for name in names if not name.startswith("slides/")]
    assert names
    return names


@pytest.fixture(scope="module")
def words() -> dict[str, list[str]]:
    """Those of each page, filled by the visits with scripts."""
    return {}


@pytest.fixture(scope="module")
def findings(
    pages: list[str],
    words: dict[str, list[str]],
    origin: str,
    visitor: Make,
    axe: Path,
) -> Findings:
    """What the visits of the pages brought, by kind."""
    found: Findings = defaultdict(list)
    reader = visitor(origin + SUB_PATH, color_scheme="light")
    whole = set(pages[::4])
    for name in pages:
        visit = reader.visit(name)
        page = visit.page
        words[name] = checks.article_text(page)
        if not page.evaluate(THEME, "light"):
            found["colour scheme"].append(f"{name}: is not light")
        found["text alternative"] += checks.without_alternative(page, name)
        found["axe"] += checks.axe_violations(page, name)
        found["output cut"] += checks.cut_outputs(page, name)
        found["sideways scroll"] += checks.too_wide(page, name, ZOOMED)
        found["word cut"] += checks.cut_words(page, name)
        if name in whole:
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                page.wait_for_function(THEME, arg=scheme)
                if scheme == "dark":
                    dark = f"{name} (turned dark)"
                    found["axe"] += checks.axe_violations(page, dark, checks.COLOURS)
        loads = [visit]
        if name in whole:
            # Loaded anew, where tables fold and code must scroll: what the theme's
            # scripts do for it they do on load.
            loads.append(reader.visit(name, width=NARROW))
            found["sideways scroll"] += checks.too_wide(page, name)
            found["focus out of sight"] += checks.out_of_sight(page, name)
            narrow = f"{name} (narrow)"
            found["axe"] += checks.axe_violations(page, narrow, checks.WIDTHS)
            found["scrolls without a sign"] += checks.boxes_without_a_sign(page, name)
        for visit in loads:
            found["script error"] += visit.errors
            found["third party"] += visit.foreign
            found["fetched before a click"] += visit.fetched_early
    return found


def report(found: list[str]) -> str:
    return "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "kind",
    [
        "axe",
        "colour scheme",
        "fetched before a click",
        "focus out of sight",
        "output cut",
        "script error",
        "scrolls without a sign",
        "sideways scroll",
        "text alternative",
        "third party",
        "word cut",
    ],
)
def test_no_page_has(kind: str, findings: Findings) -> None:
    assert not findings[kind], report(findings[kind])


def test_without_scripts(
    pages: list[str],
    words: dict[str, list[str]],
    findings: Findings,
    origin: str,
    visitor: Make,
) -> None:
    plain = visitor(origin + "/", java_script_enabled=False)
    found = []
    for name in pages:
        if name == "search.html":
            continue  # a search needs scripts, and the page says so
        visit = plain.visit(name)
        found += checks.lost_without_scripts(visit.page, name, words[name])
        found += visit.foreign
    assert not found, report(found)


def test_links_and_anchors(site: Path) -> None:
    found = checks.broken_links(site)
    assert not found, report(found)


def test_keyboard(pages: list[str], origin: str, visitor: Make) -> None:
    reader = visitor(origin + "/")
    found = []
    # Not all: what has the focus looks and works the same on all pages.
    for name in pages[1::6]:
        found += checks.keyboard_faults(reader.visit(name).page, name)
    assert not found, report(found)


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_those_who_asked(
    wish: str, origin: str, visitor: Make
) -> None:
    page = visitor(origin + "/", reduced_motion=wish).visit("book/index.html").page
    assert bool(checks.moving(page, "p")) == (wish == "no-preference")


def test_no_sentence_is_taken_for_a_type(site: Path) -> None:
    """What stands before a colon in the docstring of an attribute becomes its type."""
    found = []
    for name in ("looplab", "ontime"):
        for path in sorted((site / "book" / name).glob("*.html")):
            for term in read_page(path).find_all("dt"):
                about = term.find_next_sibling("dd")
                if about and term.get_text(strip=True).startswith("Type"):
                    words = " ".join(about.get_text(" ").split())
                    if re.search(r"\b[a-z]+ [a-z]+ [a-z]+\b", words):
                        found.append(f"{name}: {words}")
    assert not found, report(found)


def test_a_search_lands_at_a_section_and_says_why(origin: str, visitor: Make) -> None:
    page = visitor(origin + SUB_PATH).visit("search.html?q=backpressure").page
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
    page.wait_for_load_state("load")
    # The page goes there again, a frame after its letters have come.
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    assert 0 <= target.bounding_box()["y"] < 100
    assert not page.locator("article .highlighted").count()
    # Of what only code has, a sentence of its section is shown, and not the code.
    page.goto(f"{origin}/search.html?q=heappush")
    places.first.wait_for()
    assert "heappush(" not in places.first.locator(".context").inner_text()
    # Of what is not known it says so.
    page.goto(f"{origin}/search.html?q=xylophone")
    page.locator(".search-summary", has_text="did not match").wait_for()
    assert not page.locator("ul.search li").count()


def test_a_chapter_has_a_picture_for_its_card(site: Path) -> None:
    """The card of a chapter is drawn of it, once the site has an address."""
    names = [site / "book/index.html", *sorted((site / "book").glob("0*.html"))]
    pages = {path.name: read_page(path) for path in names}
    assert not [name for name, page in pages.items() if not page.select(cards.PICTURE)]


def test_a_page_names_an_address_only_if_the_site_has_one(site: Path) -> None:
    for name in ("book/index.html", "book/04_late_heartbeat.html"):
        page = read_page(site / name)
        assert page.find("meta", property="og:title")
        assert page.find("meta", property="og:description")
        for selector in ("link[rel=canonical]", "meta[property='og:url']"):
            assert not page.select(selector)
        assert len(page.select("meta[name=viewport]")) == 1
    for name in ("_static/cards", "sitemap.xml", "feed.xml"):
        assert not (site / name).exists()
    assert (site / "robots.txt").is_file()
    links = read_page(site / "404.html").select("article a[href]")
    assert [(site / str(link["href"])).is_file() for link in links] == [True]
