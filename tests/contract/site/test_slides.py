"""The slides: what goes on them, and whether it fits and works in a browser.

That cells run on slides is shown by the scenario ``slides`` of ``live/``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import slide_rules
from bs4 import BeautifulSoup, Tag

from tests.site import checks
from tests.site.conftest import need

Make = Callable[..., checks.Visitor]

DROPDOWN = (
    '<details class="sd-dropdown"><summary><span class="sd-summary-text">{}</span>'
    "</summary><p>{}</p></details>"
)
CELL = (
    '<div class="cell tag_live livecell {tags}" id="cell-{name}">'
    '<div class="cell_input"><div class="highlight"><pre>{code}\n</pre></div></div>'
    '<div class="cell_output">{output}</div></div>'
)
PICTURE = '<svg viewBox="0 0 10 5"><title id="{0}">{0}</title></svg>'
PAGE = f"""
<section id="top"><h1>Be on time<a class="headerlink" href="#top">#</a></h1>
<p>Late is late.</p>
<div class="looplab-timeline">{PICTURE.format("first")}</div>
<div class="tip admonition"><p class="admonition-title">What you get</p>
<p>You can</p><ol><li>see</li></ol><dl><dt>Time</dt><dd>5 minutes</dd></dl></div>
<section id="heart"><h2>Hear it<a class="headerlink" href="#heart">#</a></h2>
<p>A claim, and <a href="#top">a link</a>, <a href="glossary.html#x">another</a>.</p>
<p>What the speaker says.</p>
{DROPDOWN.format("Predict: how late?", "2 s")}
{CELL.format(name="heart", tags="", code="print(2)", output="<pre>2</pre>")}
<p><strong>Change</strong> it: print 3.</p>
<p class="no-slide">For readers only.</p>
<table class="no-slide"><tr><td>never</td></tr></table>
<div class="slide"><p>By hand.</p></div>
</section>
<section id="quiz"><h2>Quiz</h2><p>Decide first.</p>
<p>1. Which?</p>{DROPDOWN.format("this", "No.")}{DROPDOWN.format("that", "Right.")}
</section>
<section id="references"><h2>References</h2><p>Somebody.</p></section></section>
"""
LAB = f"""
<section id="lab"><h1>Lab: be on time</h1>
{CELL.format(name="import", tags="", code="x = 1", output="")}
<section id="one"><h2>1. Hear it</h2>
<p>Predict. What is drawn?</p><details><summary>Answer</summary>A line.</details>
{CELL.format(name="heart", tags="", code="draw(x)", output=PICTURE.format("second"))}
{CELL.format(name="again", tags="", code="draw()", output=PICTURE.format("first"))}
{CELL.format(name="asked", tags="tag_slide", code="y = 2", output="")}
{CELL.format(name="not", tags="tag_no-slide", code="n", output=PICTURE.format("n"))}
</section>
<section id="exercises"><h2>Exercises</h2>
<section id="e"><h3>1. Predict it</h3><p>How many?</p>
<details><summary>Hint</summary>Few.</details>
{CELL.format(name="stub", tags="tag_exercise", code="a = ...", output="")}
</section></section>
<section id="take-it-with-you"><h2>Take it with you</h2><ul><li>Be quick.</li></ul>
</section></section>
"""


def article(text: str) -> Tag:
    page = BeautifulSoup(f"<article>{text}</article>", "html.parser")
    assert page.article is not None
    return page.article


def section(name: str, *blocks: str) -> str:
    return f"<section id='{name}'><h2>{name}</h2>{''.join(blocks)}</section>"


def shown(*sections: str) -> list[tuple[str, list[str]]]:
    """The titles of the slides of some sections, and what is on each."""
    page = f"<section id='top'><h1>Top</h1><p>Claim.</p>{''.join(sections)}</section>"
    found = slide_rules.page_slides(article(page), "p.html")[1:]
    return [(slide.title, [part.name for part in slide.parts]) for slide in found]


def write(html: Path, name: str, body: str) -> None:
    settings = json.dumps({"assets": "../a/", "notebook": {"name": name}})
    path = html / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<head><link rel="stylesheet" href="../_static/{path.parent.name}.css"></head>'
        f'<script id="livecells-config" type="application/json">{settings}</script>'
        f'<article class="bd-article">{body}</article>',
        encoding="utf-8",
    )


@pytest.fixture
def html(tmp_path: Path) -> Path:
    write(tmp_path, "book/p.html", PAGE)
    write(tmp_path, "notebooks/p.html", LAB)
    return tmp_path


# ------------------------------------------------------------------ in a browser

READY = """
() => document.documentElement.dataset.deck === "ready"
  && document.documentElement.dataset.livecells === "ready"
"""
# The class comes after isReady(), in the turn in which the deck goes to its slide.
STAGED = """
() => Boolean(window.deck?.isReady())
  && document.querySelector(".reveal").classList.contains("ready")
"""
PHONE = {"width": checks.NARROW, "height": 844}
# What leaves its room on the slide that is shown, answers opened. A long cell and a
# long output scroll in boxes of their own, which is no fault of the slide.
FAULTS = r"""
() => {
  const found = [];
  const slide = deck.getCurrentSlide();
  const body = slide.querySelector(".slide-body");
  const folds = [...body.querySelectorAll("details:not([open])")];
  for (const fold of folds) fold.open = true;
  const over = (box) => {
    const x = box.scrollWidth - box.clientWidth;
    const y = box.scrollHeight - box.clientHeight;
    return x > 1 || y > 1 ? `${x} px too wide, ${y} px too tall` : "";
  };
  for (const box of [slide, body]) if (over(box)) found.push(over(box));
  for (const box of body.querySelectorAll("*")) {
    const { overflowX, overflowY } = getComputedStyle(box);
    if (!box.closest("svg") && (overflowX + overflowY).includes("hidden")
        && !(overflowX + overflowY).match(/auto|scroll/) && over(box))
      found.push(`${box.className} is cut: ${over(box)}`);
    if (box.matches("[data-scrolls]") && box.tabIndex !== 0)
      found.push(`${box.className} scrolls, but not from the keyboard`);
  }
  for (const box of body.querySelectorAll("pre, p, li, td")) {
    const size = parseFloat(getComputedStyle(box).fontSize) * (box.currentCSSZoom ?? 1);
    if (box.textContent.trim() && size < 12) found.push(`letters of ${size} px`);
  }
  for (const fold of folds) fold.open = false;
  return [...new Set(found)].map((text) => `"${slide.ariaLabel}": ${text}`);
}
"""


@pytest.fixture(scope="module")
def decks(site: Path) -> list[str]:
    found = [name for name in checks.pages(site) if name.startswith("slides/")]
    if not found:
        need("the site was built without slides: run npm ci")
    return found


def open_deck(one: checks.Visitor, name: str) -> checks.Visit:
    visit = one.visit(name)
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
    one = visitor(origin + checks.SUB_PATH)
    found: list[str] = []
    for name in decks:
        visit = open_deck(one, name)
        for place in range(visit.page.evaluate("deck.getTotalSlides()")):
            visit.page.evaluate("place => deck.slide(place)", place)
            where = f"{name}, slide {place + 1}"
            found += [f"{where}: {text}" for text in visit.page.evaluate(FAULTS)]
        found += visit.errors + visit.foreign
    assert not found, "\n" + "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", checks.SCHEMES)
def test_slides_are_accessible(
    scheme: str, decks: list[str], origin: str, visitor: Make, axe: Path
) -> None:
    """All slides below each other, as without reveal.js, then one as it is shown."""
    stacked = visitor(origin + "/", color_scheme=scheme)
    stacked.context.route("**/deck.js*", lambda route: route.abort())
    running = visitor(origin + "/", color_scheme=scheme)
    found: list[str] = []
    for name in decks:
        visit = stacked.visit(name)
        visit.page.wait_for_function(
            "document.documentElement.dataset.livecells === 'ready'"
        )
        visit.page.evaluate(
            "document.documentElement.style.setProperty('--deck-wait', '0s')"
        )
        found += checks.axe_violations(visit.page, f"{name} ({scheme})")
    visit = running.visit(decks[0], checks.NARROW)
    visit.page.wait_for_function(READY)
    found += checks.axe_violations(visit.page, f"{decks[0]} ({scheme}), on a phone")
    visit = open_deck(running, decks[0])
    shown = visit.page.evaluate("document.documentElement.dataset.theme")
    assert shown == scheme
    cell = "deck.slide(deck.getSlides().findIndex(one => one.matches('.slide-cell')))"
    for move in ("deck.slide(0)", cell):
        visit.page.evaluate(move)
        found += checks.axe_violations(visit.page, f"{decks[0]} ({scheme}), running")
    assert not found, "\n" + "\n".join(found)


def test_the_keyboard_moves_and_does_not_leave_a_button(
    decks: list[str], origin: str, visitor: Make
) -> None:
    page = open_deck(visitor(origin + "/"), decks[0]).page
    at = "deck.getIndices().h"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert page.evaluate(at) == 2
    first = page.evaluate(
        "deck.getSlides().findIndex(one => one.matches('.slide-question'))"
    )
    page.evaluate("place => deck.slide(place)", first)
    fold = page.locator("section.present details").first
    fold.locator("summary").focus()
    page.keyboard.press("Space")
    assert fold.evaluate("one => one.open")
    assert page.evaluate(at) == first


def test_slides_are_there_without_scripts(
    decks: list[str], origin: str, visitor: Make
) -> None:
    one = visitor(origin + "/", java_script_enabled=False)
    visit = one.visit(decks[0])
    headings = visit.page.locator(".slides > section > :is(h1, h2)")
    assert headings.count() > 20
    again = ".slides > .continues > h2"  # a heading that the slide above has too
    hidden = [one for one in headings.all() if not one.is_visible()]
    assert len(hidden) == visit.page.locator(again).count()
    assert all(part.is_visible() for part in visit.page.locator(".slide-body").all())


# Letters too small to read, and what is wider than the window; pictures have their own.
UNREADABLE = """
() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push("it scrolls sideways");
  for (const one of document.querySelectorAll("main *, footer *, .deck-bar *")) {
    const said = [...one.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!said || one.closest("svg, [hidden]") || !one.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(one).fontSize);
    if (size < 12) found.push(`letters of ${size} px: ${one.textContent.slice(0, 40)}`);
  }
  return found;
}
"""
IN_SIGHT = """
() => [...document.querySelectorAll(".slides > section")].findIndex(
  (one) => one.getBoundingClientRect().bottom > 100)
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [checks.NARROW, checks.ZOOMED])
def test_in_a_small_window_the_slides_are_a_page(
    width: int, decks: list[str], origin: str, visitor: Make
) -> None:
    one = visitor(origin + "/")
    for name in decks:
        visit = one.visit(name, width)
        visit.page.wait_for_function(READY)
        assert visit.page.evaluate("window.deck") is None
        assert not visit.page.evaluate(UNREADABLE), name
        assert not visit.errors, name


def test_a_window_that_changes_keeps_its_slide(
    decks: list[str], origin: str, visitor: Make
) -> None:
    page = open_deck(visitor(origin + "/"), decks[0]).page
    page.evaluate("deck.slide(9)")
    page.set_viewport_size(PHONE)
    page.wait_for_function("window.deck === null")
    assert page.evaluate(IN_SIGHT) == 9
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function(STAGED)
    assert page.evaluate("deck.getIndices().h") == 9
    page.keyboard.press("ArrowRight")
    assert page.evaluate("deck.getIndices().h") == 10
    page.wait_for_function("location.hash === '#/10'")  # reveal.js writes it later
    assert page.locator(".slides > section").locator("visible=true").count() == 1
    page.set_viewport_size(PHONE)
    page.wait_for_function("window.deck === null")
    page.reload()
    page.wait_for_function(READY)
    assert page.evaluate(IN_SIGHT) == 10
