"""Checks of a built page, as functions that return a list of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from tests.site.visits import AXE, NARROW, pages, read_page

# ---- what axe-core, those who see nothing and those whom movement harms would find

SETTLED = """
() => Promise.all(document.getAnimations()
  .filter(animation => isFinite(animation.effect.getComputedTiming().endTime))
  .map(animation => animation.finished.catch(() => null)))
  .then(() => null)
"""

#: The rules of axe-core that depend on the colours of a page.
COLOURS = ("color-contrast", "link-in-text-block")

#: The rule that depends on how wide a page is.
WIDTHS = ("scrollable-region-focusable",)


def axe_violations(page: Any, address: str, only: Sequence[str] = ()) -> list[str]:
    """Serious and critical findings of axe-core on the page as it stands.

    Args:
        page: of the browser.
        address: what the findings call it.
        only: the rules to try; without it all that axe-core tries by itself.
    """
    page.evaluate(SETTLED)  # colours that still fade in would be judged wrongly
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = list(only)
    results = page.evaluate("options => axe.run(document, options)", options)
    found = []
    for violation in results["violations"]:
        if violation["impact"] in {"serious", "critical"}:
            nodes = violation["nodes"]
            first = " ".join(str(nodes[0]["html"]).split())[:160]
            found.append(
                f"{address}: {violation['id']} ({violation['impact']}, "
                f"{len(nodes)} times): {violation['help']}: {first}"
            )
    return found


# What axe-core leaves alone: it takes any alt for one, and an svg for decoration.
WITHOUT_ALTERNATIVE = r"""
() => {
  const found = [];
  const hidden = element => element.closest("[aria-hidden=true], [role=presentation]");
  const note = (what, element) =>
    found.push(what + ": " + element.outerHTML.slice(0, 120).replace(/\s+/g, " "));
  for (const image of document.querySelectorAll("img[alt]")) {
    const alt = image.alt.trim();
    if (!alt && image.closest("article") && !hidden(image)) note("empty alt", image);
    if (/\.(png|jpe?g|svg|gif|webp)$/i.test(alt)) note("a file's name for alt", image);
  }
  for (const picture of document.querySelectorAll("svg")) {
    if (picture.parentElement.closest("svg") || hidden(picture)) continue;
    // The icon of a button that has a name of its own.
    const control = picture.closest("button, a");
    if (control && (control.ariaLabel || control.textContent).trim()) continue;
    const by = document.getElementById(picture.getAttribute("aria-labelledby"));
    const title = picture.querySelector(":scope > title");
    const name = picture.ariaLabel || (by ?? title)?.textContent.trim();
    const role = picture.querySelector("a") ? "group" : "img";
    if (!name || picture.getAttribute("role") !== role)
      note("svg without a name and role " + role, picture);
  }
  return found;
}
"""


def without_alternative(page: Any, address: str) -> list[str]:
    """Pictures that say nothing to those who do not see them."""
    return [f"{address}: {text}" for text in page.evaluate(WITHOUT_ALTERNATIVE)]


MOVING = """
() => {
  const long = times => times.split(",").some(time => parseFloat(time) > 0.001);
  const found = new Set();
  for (const element of document.querySelectorAll("*")) {
    const {transitionProperty, transitionDuration, animationName, animationDuration}
      = getComputedStyle(element);
    if (transitionProperty !== "none" && long(transitionDuration))
      found.add(transitionProperty);
    if (animationName !== "none" && long(animationDuration)) found.add(animationName);
  }
  return [...found];
}
"""


def moving(page: Any, address: str) -> list[str]:
    """What would move on the page, for longer than a millisecond."""
    return [f"{address}: {name} is animated" for name in page.evaluate(MOVING)]


# ---- used from the keyboard

FOCUSED = """
() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const outline = box.height > 0  // a ring around nothing is a stray line
    && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const ringed = inner => inner.outlineStyle !== "none"
    && parseFloat(inner.outlineWidth) > 0 || inner.boxShadow !== "none";
  const inside = ringed(getComputedStyle(element, "::after"))
    || [...element.children].some(child => ringed(getComputedStyle(child)));
  return {
    name: element.tagName.toLowerCase() + "." + element.className,
    text: element.textContent.trim().slice(0, 40),
    href: element.getAttribute("href"),
    body: element === document.body,
    seen: outline || style.boxShadow !== "none" || inside,
    shown: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0,
  };
}
"""

# What can have the focus while it lies beside the window, as in a drawer that is shut.
OUT_OF_SIGHT = """
() => {
  const beside = box => box.width && (box.right <= 0 || box.left >= innerWidth);
  return [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")]
    .filter(element => {
      if (element.tabIndex < 0 || element.disabled) return false;
      if (!element.checkVisibility({visibilityProperty: true})) return false;
      if (!beside(element.getBoundingClientRect())) return false;
      let box = element.parentElement;
      while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowX))
        box = box.parentElement;
      if (box && !beside(box.getBoundingClientRect())) return false;
      element.focus({preventScroll: true});  // a skip link comes into sight
      return beside(element.getBoundingClientRect());
    })
    .map(element => element.textContent.trim().slice(0, 40));
}
"""


def out_of_sight(page: Any, address: str) -> list[str]:
    """What takes the focus where nobody sees it."""
    return [
        f"{address}: {text!r} can have the focus beside the window"
        for text in page.evaluate(OUT_OF_SIGHT)
    ]


def keyboard_faults(page: Any, address: str, steps: int = 15) -> list[str]:
    """Whether the page can be used from the keyboard.

    The first Tab shows a skip link that leads to the main content; every stop shows
    that it has the focus; every summary opens and closes with Enter.
    """
    found = []
    page.keyboard.press("Tab")
    page.evaluate(SETTLED)  # the link may slide into view
    first = page.evaluate(FOCUSED)
    if not re.match(r"#.", first["href"] or "") or "skip" not in first["text"].lower():
        found.append(f"{address}: the first Tab reaches {first['name']}, no skip link")
    elif not first["shown"]:
        found.append(f"{address}: the skip link is not shown when it has the focus")
    else:
        if not page.locator(first["href"]).count():
            found.append(f"{address}: the skip link leads to no {first['href']}")
        for _ in range(steps):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUSED)
            if stop["body"]:
                break
            if not stop["seen"]:
                found.append(
                    f"{address}: focus cannot be seen on {stop['name']} "
                    f"({stop['text']})"
                )
    found += _summary_faults(page, address)
    return found


UNFOCUSABLE = """
() => [...document.querySelectorAll("article details > summary")].filter(summary => {
  if (!summary.checkVisibility({visibilityProperty: true})) return false;  // folded
  summary.focus({preventScroll: true});
  return summary !== document.activeElement;
}).length
"""

PRESSED = 5  # summaries of a page; what Enter does there the browser does alike


def _summary_faults(page: Any, address: str) -> list[str]:
    missed = page.evaluate(UNFOCUSABLE)
    found = [f"{address}: a summary cannot have the focus"] * missed
    seen = page.locator("article details > summary").locator("visible=true")
    for summary in seen.all()[:PRESSED]:
        is_open = "element => element.parentElement.open"
        before = summary.evaluate(is_open)
        summary.focus()
        page.keyboard.press("Enter")
        if summary.evaluate(is_open) == before:
            text = " ".join(summary.inner_text().split())
            found.append(f"{address}: Enter does not open the summary {text!r}")
        page.keyboard.press("Enter")
    return found


# ---- too wide, cut, or without a sign that it scrolls

WIDE_ELEMENTS = """
width => {
  const found = [];
  for (const element of document.querySelectorAll("main *")) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > width + 1) {
      found.push(element.tagName.toLowerCase() + "." + element.className);
    }
  }
  return found.slice(0, 3);
}
"""


def too_wide(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Whether the page must be scrolled sideways on a screen of that width."""
    page.set_viewport_size({"width": width, "height": 844})
    actual = page.evaluate("document.scrollingElement.scrollWidth")
    if actual <= width:
        return []
    elements = ", ".join(page.evaluate(WIDE_ELEMENTS, width))
    return [f"{address}: is {actual} px wide on a screen of {width}: {elements}"]


# The boxes in which a table or code scrolls, also in folds, which are opened; of code
# the first two, since one rule is for all. All else is made invisible, tables and words
# too, so that a picture shows the box itself.
SCROLLING = """
() => {
  const found = new Set();
  const ground = box => {
    const colour = getComputedStyle(box).backgroundColor;
    const clear = colour.endsWith(", 0)") && box.parentElement;
    return clear ? ground(box.parentElement) : colour;
  };
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const table of document.querySelectorAll("article table")) {
    let box = table;
    while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowX))
      box = box.parentElement;
    // Less than that is the padding of a cell, and no word of it.
    if (box && box !== table && box.scrollWidth > box.clientWidth + 12) {
      table.style.visibility = "hidden";
      box.style.visibility = "visible";
      box.style.backgroundColor = ground(box);  // below the sign; it stays in sight
      found.add(box);
    }
  }
  const code = [...document.querySelectorAll("article pre")]
    .filter(box => box.scrollWidth > box.clientWidth + 12 && box.checkVisibility());
  for (const box of code.slice(0, 2)) {
    box.style.visibility = "visible";
    box.style.color = "transparent";
    box.style.backgroundColor = ground(box);
    for (const word of box.children) word.style.visibility = "hidden";
    found.add(box);
  }
  document.body.style.visibility = "hidden";
  return [...found];
}
"""

EDGE = 12  # px, in which a sign is seen


def boxes_without_a_sign(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Tables and code whose box looks the same at a side whether there is more or not.

    The page is of no use afterwards: most of it is invisible.
    """
    page.set_viewport_size({"width": width, "height": 844})
    boxes = page.evaluate_handle(SCROLLING).get_properties().values()
    found = []
    for number, box in enumerate((box.as_element() for box in boxes), start=1):
        pictures = []
        for x in (0, 1e6):
            box.evaluate("(box, x) => { box.scrollLeft = x; }", x)
            box.scroll_into_view_if_needed()
            frame = box.bounding_box()
            size = {"y": frame["y"], "width": EDGE, "height": min(frame["height"], 60)}
            right = frame["x"] + frame["width"] - EDGE
            edges = [{"x": frame["x"], **size}, {"x": right, **size}]
            pictures.append([page.screenshot(clip=edge) for edge in edges])
        for side, at_start, at_end in zip(("left", "right"), *pictures, strict=True):
            if at_start == at_end:
                found.append(
                    f"{address}: scrolling box {number}: no sign at its {side}"
                )
    return found


CUT = """
() => [...document.querySelectorAll("article .cell_output pre")]
  .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 2)
  .map(one => one.textContent.trim().slice(0, 40))
"""


def cut_outputs(page: Any, address: str) -> list[str]:
    """What a cell prints and a wide screen does not show without scrolling."""
    return [f"{address}: cut at the right: {text!r}" for text in page.evaluate(CUT)]


CUT_WORDS = """
() => [...document.querySelectorAll("article svg.looplab-chart text")]
  .filter(text => {
    const word = text.getBoundingClientRect();
    const chart = text.closest("svg");
    // A chart that lets its words out of its box may use the page to its edges.
    const [left, right] = getComputedStyle(chart).overflow === "visible"
      ? [0, document.documentElement.clientWidth]
      : [chart.getBoundingClientRect().left, chart.getBoundingClientRect().right];
    return word.width && (word.left < left - 1 || word.right > right + 1);
  })
  .map(text => text.textContent)
"""


def cut_words(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Words of a chart that do not fit into it on a screen of that width."""
    page.set_viewport_size({"width": width, "height": 844})
    words = page.evaluate(CUT_WORDS)
    return [f"{address}: a chart cuts {text!r}" for text in words]


# ---- links and anchors of the files as they stand

ATTRIBUTES = {
    "a": ("href",),
    "area": ("href",),
    "audio": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
}

#: Links for machines that name the published address, which is not this server's.
NAMED_ELSEWHERE = {"canonical", "alternate", "license"}


def references(page: BeautifulSoup) -> Iterator[tuple[Tag, str]]:
    """Every address that the page links to or loads."""
    for tag in page.find_all(list(ATTRIBUTES)):
        for attribute in ATTRIBUTES[tag.name]:
            value = tag.get(attribute)
            if not isinstance(value, str):
                continue
            if attribute == "srcset":
                for part in value.split(","):
                    yield tag, part.split()[0]
            else:
                yield tag, value.strip()


def broken_links(folder: Path) -> list[str]:
    """Links to pages, files and anchors that do not exist, on all pages.

    An address that starts with "/" or that leaves the folder is wrong too: it would
    break where the site is not at the root of its server. So is a script, a style or
    a picture from elsewhere.
    """
    base = "http://site.invalid/"

    @cache
    def read(target: Path) -> tuple[list[tuple[str, set[str], str]], set[str]]:
        """What leaves the page, by kind of tag and relation, and its anchors."""
        page = read_page(target)
        leaves = [
            (tag.name, set(tag.get("rel") or ()), address)
            for tag, address in references(page)
        ]
        names = {str(tag["id"]) for tag in page.find_all(id=True)}
        names |= {str(tag["name"]) for tag in page.find_all("a", attrs={"name": True})}
        return leaves, names

    found = []
    for name in pages(folder):
        for kind, relation, address in read(folder / name)[0]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                loads = kind not in {"a", "area"} and parts.scheme != "data"
                if loads and not relation & NAMED_ELSEWHERE:
                    found.append(f"{name}: loads {address} from elsewhere")
                continue
            if address.startswith("/"):
                found.append(f"{name}: {address} breaks below a sub-path")
                continue
            joined = urlsplit(urljoin(base + name, address))
            path = unquote(joined.path).lstrip("/")
            target = folder / path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                found.append(f"{name}: {address!r} leads nowhere")
                continue
            anchor = unquote(joined.fragment)
            # "#" alone is the top of the page, "#top" by the standard too.
            if (
                anchor not in {"", "top"}
                and target.suffix == ".html"
                and anchor not in read(target)[1]
            ):
                found.append(f"{name}: {address!r} names an anchor that is not there")
    return found


# ---- what a reader without scripts misses

ARTICLE_TEXT = """
() => {
  const article = (document.querySelector("article") || document.body).cloneNode(true);
  const helpers = "script, style, button, .headerlink, .toggle-hint, noscript, "
    + ".livecells-absent, .explorable-absent, .livecells-bar, .livecell-toolbar, "
    + ".livecell-messages, .lp-moving, samp.film, .prediction, .prediction-kept, "
    + ".prediction-gap, .prediction-count";
  for (const element of article.querySelectorAll(helpers)) element.remove();
  return article.textContent;
}
"""

HIDDEN_OUTPUTS = """
() => {
  const found = [];
  for (const output of document.querySelectorAll(".cell_output > *")) {
    if (output.closest("details:not([open])")) continue;
    if (!output.textContent.trim() && !output.querySelector("img, svg")) continue;
    const box = output.getBoundingClientRect();
    const style = getComputedStyle(output);
    if (!box.height || !box.width || style.visibility === "hidden")
      found.push(output.className + ": " + output.textContent.trim().slice(0, 60));
  }
  return found;
}
"""

SILENT = """
() => document.querySelector(".livecell")
  && !/scripts are off/i.test(document.body.innerText)
"""

MISSING_FROM_VIEW = """
() => {
  const found = [];
  const article = document.querySelector("article") || document.body;
  for (const element of article.querySelectorAll("h1, h2, h3, h4, p, li, td, pre")) {
    if (element.closest("details:not([open]), [aria-hidden=true], .visually-hidden"))
      continue;
    // <noscript> says it instead
    if (element.matches(".livecells-absent, .explorable-absent")) continue;
    if (!element.textContent.trim()) continue;
    if (!element.getClientRects().length)
      found.push(element.tagName.toLowerCase() + ": "
        + element.textContent.trim().slice(0, 60));
  }
  return found;
}
"""


def article_text(page: Any) -> list[str]:
    """The words of the article, without what scripts add to help (buttons)."""
    return str(page.evaluate(ARTICLE_TEXT)).split()


def lost_without_scripts(page: Any, address: str, words: list[str]) -> list[str]:
    """What a reader without scripts misses of ``words``, the text with scripts."""
    found = []
    plain = article_text(page)
    if plain != words:
        at = next(
            (i for i, (a, b) in enumerate(zip(plain, words, strict=False)) if a != b),
            min(len(plain), len(words)),
        )
        found.append(
            f"{address}: the text differs without scripts: "
            f"{' '.join(plain[at : at + 8])!r} against "
            f"{' '.join(words[at : at + 8])!r}"
        )
    if page.evaluate(SILENT):
        found.append(f"{address}: nothing says that cells do not run")
    for what in page.evaluate(HIDDEN_OUTPUTS):
        found.append(f"{address}: output not visible without scripts: {what}")
    for what in page.evaluate(MISSING_FROM_VIEW):
        found.append(f"{address}: not visible without scripts: {what}")
    return found
