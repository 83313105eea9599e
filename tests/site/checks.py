"""Checks of a built page, as functions that return what is wrong.

``test_site.py`` applies them to the book, ``test_checks.py`` to pages made wrong on
purpose. A check returns a list of messages, empty when all is well.
"""

from __future__ import annotations

import base64
import functools
import http.server
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SUB_PATH = "/some/sub/path/"
NARROW = 390
ZOOMED = 640  # what a window of 1280 has at twice the size of letters
WIDE = 1280
SCHEMES = ("light", "dark")


# ------------------------------------------------------------------ serving


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder at the root and, the same, below a sub-path."""

    def translate_path(self, path: str) -> str:
        if path.startswith(SUB_PATH):
            path = "/" + path.removeprefix(SUB_PATH)
        return super().translate_path(path)

    def end_headers(self) -> None:
        if urlsplit(self.path).path.endswith((".html", "/")):
            self.send_header("Cache-Control", "no-store")  # tests change pages
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; yields the origin."""
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def pages(folder: Path) -> list[str]:
    """The addresses of all pages, relative to the folder.

    JupyterLite, which ``make lite`` adds, is no page of the book.
    """
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.html")
        if not {"_static", "_sources", "lite"} & set(path.relative_to(folder).parts)
    )


def is_redirect(path: Path) -> bool:
    """Whether a page only sends the reader on to another one."""
    pattern = re.compile("refresh", re.IGNORECASE)
    return read_page(path).find("meta", attrs={"http-equiv": pattern}) is not None


# -------------------------------------------------------------------- links

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


def read_page(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


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


# --------------------------------------------------------------- in a browser


#: What a page with live cells or explorables may fetch before the first click.
FIRST_PARTS = re.compile(r"/(livecells|explorable)\.(js|css)$")


@dataclass
class Visit:
    """What a page did while it was loaded."""

    page: Any
    address: str
    origin: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """Requests that did not go to where the page came from."""
        return [
            f"{self.address}: asked {address}"
            for address in self.requests
            if not address.startswith((self.origin, "data:", "blob:", "about:"))
        ]

    @property
    def fetched_early(self) -> list[str]:
        """Requests for parts of live cells but the script and the style of a page."""
        asked = {urlsplit(address).path for address in self.requests}
        return [
            f"{self.address}: asked {path}"
            for path in sorted(asked)
            if "/_static/livecells/" in path and not FIRST_PARTS.search(path)
        ]


def is_icon(address: str) -> bool:
    return address.endswith("/favicon.ico")


class Visitor:
    """One page of a browser that goes from address to address.

    Args:
        browser: Playwright's browser.
        origin: what every request must start with.
        context: settings of the browser context (``color_scheme`` and so on).
    """

    def __init__(self, browser: Any, origin: str, **context: Any) -> None:
        self.origin = origin
        context.setdefault("viewport", {"width": WIDE, "height": 900})
        context.setdefault("reduced_motion", "reduce")
        self.context = browser.new_context(**context)
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.current: Visit | None = None
        self.page.on("pageerror", lambda error: self._note(f"script error: {error}"))
        self.page.on("console", self._console)
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _note(self, text: str) -> None:
        if self.current is not None:
            self.current.errors.append(f"{self.current.address}: {text}")

    def _console(self, message: Any) -> None:
        # The browser asks for this by itself where a page names no icon.
        if message.type == "error" and not is_icon(message.location["url"]):
            self._note(f"console error: {message.text}")

    def _request(self, request: Any) -> None:
        if self.current is not None:
            self.current.requests.append(request.url)

    def _response(self, response: Any) -> None:
        if response.status >= 400 and not is_icon(response.url):
            self._note(f"{response.status} for {response.url}")

    def visit(self, address: str, width: int = WIDE) -> Visit:
        """Go to an address below the origin and wait until all is loaded."""
        url = urljoin(self.origin, address)
        self.current = Visit(self.page, address, self.origin)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto(url, wait_until="load")
        self.page.wait_for_timeout(30)  # what runs on load and reports afterwards
        return self.current

    def close(self) -> None:
        self.context.close()


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


THEME = """
scheme => [scheme, undefined].includes(document.documentElement.dataset.theme)
"""


def switch_scheme(page: Any, scheme: str, seconds: float = 20) -> None:
    """Let the reader's system change its colour scheme, and wait until the page has.

    Raises:
        playwright.sync_api.TimeoutError: The page does not follow in time.
    """
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(THEME, arg=scheme, timeout=1000 * seconds)


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
# How light the first, the middle and the last column of pixels are, 0 to 255.
LIGHTNESS = """
async png => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const {width, height} = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  return [1, Math.floor(width / 2), width - 2].map(x => {
    const {data} = context.getImageData(x, 0, 1, height);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2];
    return sum / height / 3;
  });
}
"""
SEEN = 12  # of 255: what an eye sees beside the ground's own colour


def boxes_without_a_sign(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Tables and code whose box does not show at which side there is more to scroll to.

    The page is of no use afterwards: most of it is invisible.
    """
    page.set_viewport_size({"width": width, "height": 844})
    boxes = page.evaluate_handle(SCROLLING).get_properties().values()
    found = []
    for number, box in enumerate((box.as_element() for box in boxes), start=1):
        where = f"{address}: scrolling box {number}"
        for at, x, expected in (
            ("beginning", 0, (False, True)),
            ("end", 1e6, (True, False)),
        ):
            box.evaluate("(box, x) => { box.scrollLeft = x; }", x)
            picture = base64.b64encode(box.screenshot()).decode()
            left, middle, right = page.evaluate(LIGHTNESS, picture)
            shown = (abs(left - middle) > SEEN, abs(right - middle) > SEEN)
            for side, sign, more in zip(
                ("left", "right"), shown, expected, strict=True
            ):
                if sign != more:
                    wrong = "a sign of more" if sign else "no sign of more"
                    found.append(f"{where}: at its {at}, {wrong} at its {side}")
    return found


CUT = """
() => [...document.querySelectorAll("article .cell_output pre")]
  .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 2)
  .map(one => one.textContent.trim().slice(0, 40))
"""


def cut_outputs(page: Any, address: str) -> list[str]:
    """What a cell prints and a wide screen does not show without scrolling."""
    return [f"{address}: cut at the right: {text!r}" for text in page.evaluate(CUT)]


WITHOUT_ALTERNATIVE = r"""
() => {
  const found = [];
  const hidden = element => element.closest("[aria-hidden=true], [role=presentation]");
  const text = ids => (ids || "").split(/\s+/).filter(Boolean)
    .map(id => document.getElementById(id)?.textContent || "").join(" ").trim();
  const describe = element =>
    element.outerHTML.slice(0, 120).replace(/\s+/g, " ");
  for (const image of document.querySelectorAll("img, input[type=image]")) {
    if (hidden(image)) continue;
    const alt = image.getAttribute("alt");
    if (alt === null) found.push("no alt: " + describe(image));
    else if (!alt.trim() && image.closest("article"))
      found.push("empty alt in the text: " + describe(image));
    else if (/\.(png|jpe?g|svg|gif|webp)$/i.test(alt.trim()))
      found.push("alt is the name of a file: " + describe(image));
  }
  for (const picture of document.querySelectorAll("svg")) {
    if (picture.parentElement.closest("svg") || hidden(picture)) continue;
    // The icon of a button that has a name of its own.
    const control = picture.closest("button, a");
    if (control && (control.getAttribute("aria-label") || control.textContent).trim())
      continue;
    const named = (picture.getAttribute("aria-label") || "").trim()
      || text(picture.getAttribute("aria-labelledby"))
      || picture.querySelector(":scope > title")?.textContent.trim();
    if (!named || picture.getAttribute("role") !== "img")
      found.push("svg without role img and a name: " + describe(picture));
  }
  for (const canvas of document.querySelectorAll("canvas, object, embed")) {
    if (!hidden(canvas) && !canvas.textContent.trim()
        && !canvas.getAttribute("aria-label"))
      found.push("no text alternative: " + describe(canvas));
  }
  return found;
}
"""


def without_alternative(page: Any, address: str) -> list[str]:
    """Pictures that say nothing to those who do not see them."""
    return [f"{address}: {text}" for text in page.evaluate(WITHOUT_ALTERNATIVE)]


ARTICLE_TEXT = """
() => {
  const article = (document.querySelector("article") || document.body).cloneNode(true);
  const helpers = "script, style, button, .headerlink, .toggle-hint, noscript, "
    + ".livecells-absent, .explorable-absent, .livecells-bar, .livecell-toolbar, "
    + ".livecell-messages";
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
    for what in page.evaluate(HIDDEN_OUTPUTS):
        found.append(f"{address}: output not visible without scripts: {what}")
    for what in page.evaluate(MISSING_FROM_VIEW):
        found.append(f"{address}: not visible without scripts: {what}")
    return found


# ----------------------------------------------------------------- keyboard

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


def keyboard_faults(page: Any, address: str, steps: int = 15) -> list[str]:
    """Whether the page can be used from the keyboard.

    The first Tab shows a skip link that leads to the main content; every stop shows
    that it has the focus; every summary opens and closes with Enter.
    """
    found = []
    page.keyboard.press("Tab")
    first = page.evaluate(FOCUSED)
    for _ in range(20):  # the link may slide into view
        if first["shown"]:
            break
        page.wait_for_timeout(50)
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
