"""The slides in a browser: whether they fit, and work.

That cells run on slides is shown by the scenario ``slides`` of ``live/``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.site import checks, visits
from tests.site.conftest import need

Make = Callable[..., visits.Visitor]


READY = """
() => document.documentElement.dataset.deck === "ready"
  && document.documentElement.dataset.livecells === "ready"
"""
# The class comes after isReady(), in the turn in which the deck goes to its slide.
# What leaves its room on the slide that is shown, its output too. A long output scrolls
# in a box of its own, which is no fault of the slide.
FAULTS = r"""
() => {
  const faults = [];
  const slide = deck.getCurrentSlide();
  const body = slide.querySelector(".slide-body");
  body.querySelector(".deck-show")?.click();
  const over = (box) => {
    const x = box.scrollWidth - box.clientWidth;
    const y = box.scrollHeight - box.clientHeight;
    return x > 1 || y > 1 ? `${x} px too wide, ${y} px too tall` : "";
  };
  for (const box of [slide, body]) if (over(box)) faults.push(over(box));
  for (const box of body.querySelectorAll("*")) {
    const { overflowX, overflowY } = getComputedStyle(box);
    if (!box.closest("svg") && (overflowX + overflowY).includes("hidden")
        && !(overflowX + overflowY).match(/auto|scroll/) && over(box))
      faults.push(`${box.className} is cut: ${over(box)}`);
    if (box.matches("[data-scrolls]") && box.tabIndex !== 0)
      faults.push(`${box.className} scrolls, but not from the keyboard`);
  }
  for (const box of body.querySelectorAll("pre, p, li, td")) {
    const size = parseFloat(getComputedStyle(box).fontSize) * (box.currentCSSZoom ?? 1);
    if (box.textContent.trim() && size < 14) faults.push(`letters of ${size} px`);
  }
  return [...new Set(faults)].map((text) => `"${slide.ariaLabel}": ${text}`);
}
"""


@pytest.fixture(scope="module")
def decks(site: Path) -> list[str]:
    names = [name for name in visits.pages(site) if name.startswith("slides/")]
    if not names:
        need("the site was built without slides: run npm ci")
    return names


def open_deck(reader: visits.Visitor, name: str) -> visits.Visit:
    visit = reader.visit(name)
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    visit.page.wait_for_function(READY)
    return visit


def test_each_chapter_has_slides(site: Path, decks: list[str]) -> None:
    chapters = {path.name for path in (site / "book").glob("[0-9]*.html")}
    labs = {path.name for path in (site / "notebooks").glob("*.html")}
    assert {Path(name).name for name in decks} == chapters & labs
    for name in decks:
        page = (site / "book" / Path(name).name).read_text(encoding="utf-8")
        assert f'href="../{name}"' in page, f"book/{Path(name).name} has no link"


@pytest.mark.slow
def test_every_slide_fits(decks: list[str], origin: str, visitor: Make) -> None:
    reader = visitor(origin + visits.SUB_PATH)
    faults: list[str] = []
    for name in decks:
        visit = open_deck(reader, name)
        for place in range(visit.page.evaluate("deck.getTotalSlides()")):
            visit.page.evaluate("place => deck.slide(place)", place)
            where = f"{name}, slide {place + 1}"
            faults += [f"{where}: {text}" for text in visit.page.evaluate(FAULTS)]
        faults += visit.errors + visit.foreign
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_slides_are_accessible(
    scheme: str, decks: list[str], origin: str, visitor: Make, axe: Path
) -> None:
    """All slides below each other, as without reveal.js, then one as it is shown."""
    stacked = visitor(origin + "/", color_scheme=scheme)
    stacked.context.route("**/deck.js*", lambda route: route.abort())
    running = visitor(origin + "/", color_scheme=scheme)
    faults: list[str] = []
    for name in decks:
        visit = stacked.visit(name)
        visit.page.wait_for_function(
            "document.documentElement.dataset.livecells === 'ready'"
        )
        visit.page.evaluate(
            "document.documentElement.style.setProperty('--deck-wait', '0s')"
        )
        faults += checks.axe_violations(visit.page, f"{name} ({scheme})")
    visit = running.visit(decks[0], visits.NARROW)
    visit.page.wait_for_function(READY)
    faults += checks.axe_violations(visit.page, f"{decks[0]} ({scheme}), on a phone")
    visit = open_deck(running, decks[0])
    shown = visit.page.evaluate("document.documentElement.dataset.theme")
    assert shown == scheme
    cell = (
        "deck.slide(deck.getSlides().findIndex(slide => slide.matches('.slide-cell')))"
    )
    for move in ("deck.slide(0)", cell):
        visit.page.evaluate(move)
        faults += checks.axe_violations(visit.page, f"{decks[0]} ({scheme}), running")
    assert not faults, "\n" + "\n".join(faults)


def test_the_keyboard_moves_and_does_not_leave_a_button(
    decks: list[str], origin: str, visitor: Make
) -> None:
    page = open_deck(visitor(origin + "/"), decks[0]).page
    at = "deck.getIndices().h"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert page.evaluate(at) == 2
    page.evaluate(
        "deck.slide(deck.getSlides().findIndex(slide => slide.matches('.slide-cell')))"
    )
    shown, place = page.locator("section.present"), page.evaluate(at)
    assert not shown.locator(".cell_output").is_visible()
    shown.locator(".deck-show").focus()
    page.keyboard.press("Space")
    assert shown.locator(".cell_output").is_visible()
    assert page.evaluate(at) == place


@pytest.mark.slow
@pytest.mark.parametrize("width", [visits.NARROW, visits.ZOOMED])
def test_in_a_small_window_the_slides_are_a_page(
    width: int, decks: list[str], origin: str, visitor: Make
) -> None:
    reader = visitor(origin + "/")
    faults: list[str] = []
    for name in decks:
        visit = reader.visit(name, width)
        visit.page.wait_for_function(READY)
        assert visit.page.evaluate("window.deck") is None
        faults += checks.too_wide(visit.page, name, width) + visit.errors
    assert not faults, "\n" + "\n".join(faults)
