"""Slides for each chapter, made from its finished page and lab when a book is built.

``slides/01_callbacks.html`` comes from ``book/01_callbacks.html`` and
``notebooks/01_callbacks.html``: nothing is typed twice. What goes on a slide is said in
:mod:`slide_rules`, how much room it takes in :mod:`slide_room`. The slides are shown by
reveal.js, from the npm package, and their cells are live as those of the pages are; a
build without live cells makes no slides.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

import slide_labs
import slide_room
import slide_rules
from bs4 import BeautifulSoup, Tag
from bs4.formatter import HTMLFormatter
from docutils import nodes
from jinja2 import Environment, FileSystemLoader
from slide_room import HEIGHT, LEAD, SMALL, WIDTH, cell_room, heights_of
from slide_rules import Slide, cell_of
from sphinx.util import logging

logger = logging.getLogger(__name__)

HERE = Path(__file__).parent
REVEAL = {
    "dist/reveal.mjs": "reveal.mjs",
    "dist/reveal.css": "reveal.css",
    "dist/plugin/notes.mjs": "notes.mjs",
    "LICENSE": "LICENSE",
}
# Their pages would fetch scripts of the theme that a slide has no use for.
STYLES = re.compile(r"(togglebutton|copybutton|exercise|scoreboard)\.css")


def pairs(app: Any) -> list[str]:
    """The names of the pages that have a lab of the same name."""
    found = app.env.found_docs
    return sorted(
        name
        for page in found
        if (name := page.removeprefix("book/")) != page
        and f"{app.config.ours_labs}/{name}" in found
    )


def reveal_folder(app: Any) -> Path | None:
    """Where reveal.js lies, or None where no slides can be made."""
    if not app.config.livecells_enabled or app.builder.format != "html":
        return None
    folder = Path(app.srcdir, app.config.livecells_node_modules, "reveal.js")
    return folder if all((folder / name).is_file() for name in REVEAL) else None


def link_slides(app: Any, doctree: nodes.document, page: str) -> None:
    """Name the slides in the list of what a chapter's page gives its reader."""
    folder, _, name = page.rpartition("/")
    if folder != "book" or name not in pairs(app) or reveal_folder(app) is None:
        return
    for admonition in doctree.findall(nodes.admonition):
        for found in admonition.findall(nodes.definition_list):
            text = nodes.paragraph("", "Its ")
            link = nodes.reference(
                "",
                "slides",
                refuri=f"../slides/{name}.html",
                internal=True,
                classes=["slides-link"],
            )
            text += [link, nodes.Text(" are made from this page and its lab.")]
            item = nodes.definition_list_item("", nodes.term("", "Teach it"))
            item += nodes.definition("", text)
            found += item
            return


# ------------------------------------------------------------------ one deck


class DeckError(ValueError):
    """A page that no slides can be made of; the message names it."""


class AsWritten(HTMLFormatter):
    """Keeps the order of attributes, so that a run can be compared with the build."""

    def attributes(self, tag: Tag) -> list[tuple[str, Any]]:
        return list((tag.attrs or {}).items())


AS_WRITTEN = AsWritten(HTMLFormatter.REGISTRY["minimal"].entity_substitution)


def html_of(tag: Tag) -> str:
    return str(tag.decode(formatter=AS_WRITTEN))


def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def article_of(page: BeautifulSoup, name: str) -> Tag:
    found = page.select_one("article.bd-article")
    if found is None:
        raise DeckError(f"slides: {name} has no article to make slides of")
    return found


def rewrite(tag: Tag, address: str) -> None:
    """Let the links of a part of a page lead where they led from the page.

    Args:
        tag: the part.
        address: the page's address as seen from the deck, such as ``../book/x.html``.
    """
    folder = posixpath.dirname(address)
    for one in tag.select("a[href], img[src]"):
        name = "src" if one.name == "img" else "href"
        value = str(one[name])
        if value.startswith("#"):
            one[name] = address + value
        elif not re.match(r"[a-z]+:|//", value):
            one[name] = posixpath.normpath(posixpath.join(folder, value))


def clean(tag: Tag) -> None:
    """Take away what belongs to a page and not to a slide: signs and names of links."""
    for one in tag.select("a.headerlink, .livecell-reason"):
        one.decompose()
    kept = "svg, svg *, figure.explorable, figure.explorable *, .livecell"
    inside = {id(one) for one in tag.select(kept)}
    for one in [tag, *tag.select("[id]")]:
        keep = "livecell" in slide_rules.classes(one) or one.name in ("svg", "figure")
        if one.get("id") and id(one) not in inside and not keep:
            del one["id"]


def picture_style(part: Tag, room: float) -> list[str]:
    """How large the picture of a slide is, in room for so many CSS pixels."""
    inside = "svg svg, [aria-hidden] svg, [aria-hidden], table svg, summary svg"
    without = {id(one) for one in part.select(inside)}
    found = [one for one in part.select("svg") if id(one) not in without]
    if part.name == "svg":
        found = [part]
    if "explorable" in slide_rules.classes(part):
        room -= 150
    heights = []
    for svg in found:
        box = str(svg.get("viewbox") or "").split()
        if len(box) == 4 and float(box[2]) > 0 and len(found) == 1:
            tall = min(room, WIDTH * float(box[3]) / float(box[2]))
            return [f"--tall: {tall:.0f}px"]
        height = re.fullmatch(r"([\d.]+)(px)?", str(svg.get("height", "")))
        heights.append(float(height[1]) if height else 0.0)
    if not all(heights) or not heights:
        return []
    zoom = (room - 70 * (len(heights) - 1)) / sum(heights)
    return [f"--zoom: {max(0.5, min(1.6, zoom)):.2f}"]


def heights_as_style(part: Tag) -> None:
    """Firefox zooms a picture's height twice when it is an attribute."""
    for svg in part.select("svg[height]:not([viewBox], [viewbox], [style], svg svg)"):
        if re.fullmatch(r"[\d.]+", str(svg["height"])):
            svg["style"] = f"height: {svg['height']}px"


def lay_out(slide: Slide) -> tuple[str, str]:
    """The classes and the style of a slide, from how much it holds."""
    names, style = [f"slide-{slide.kind}"], []
    room = HEIGHT - LEAD * heights_of(slide.parts[:-1])
    cell = cell_of(slide)
    if cell is not None:
        laid = cell_room(cell, [part for part in slide.parts if part is not cell])
        names += laid.names
        room = laid.room
        style.append(f"--code: {max(SMALL, laid.size):.1f}px")
        style.append(f"--share: {laid.share:.2f}")
    last = slide.parts[-1:] if slide.kind != "agenda" else []
    for part in [cell] if cell else last:
        style += picture_style(part, room - 30)
        if cell is None:  # what a cell shows stays as a run gives it
            heights_as_style(part)
    return " ".join(names), "; ".join(style)


def agenda(slide: Slide) -> str:
    """The sections of the lab, as a list."""
    titles = [slide_rules.heading(slide_room.tags(one)[0]) for one in slide.parts]
    items = "".join(f"<li>{escape(title)}</li>" for title in titles)
    return f'<ul class="agenda">{items}</ul>'


def render(slide: Slide, number: int, before: dict[str, str], above: str) -> str:
    """A slide as reveal.js wants it.

    Args:
        slide: the slide.
        number: how many stand before it.
        before: what `unseen` found.
        above: the title of the slide before it.
    """
    page, _, _ = slide.link.partition("#")
    body = agenda(slide) if slide.kind == "agenda" else ""
    if slide.kind != "agenda":
        for part in [*slide.parts, *slide.notes]:
            rewrite(part, page)
            clean(part)
    names, style = lay_out(slide)
    names += " continues" if slide.title == above else ""
    cell = cell_of(slide)
    waiting = before.get(str(cell.get("id", "")), "") if cell else ""
    hidden = f"<div hidden>{waiting}</div>" if waiting else ""
    body += "".join(map(html_of, slide.parts)) if slide.kind != "agenda" else ""
    notes = "".join(map(html_of, slide.notes))
    level = "h1" if number == 0 else "h2"
    title = escape(slide.title)
    more = f'<p><a href="{escape(slide.link)}">This part in the book</a></p>'
    return (
        f'<section class="{names}" style="{style}" aria-label="{title}">'
        f"<{level}>{title}</{level}>{hidden}"
        f'<div class="slide-body">{body}</div>'
        f'<aside class="notes">{notes}{more}</aside></section>\n'
    )


def unseen(articles: list[Tag], shown: set[str]) -> dict[str, str]:
    """The live cells that no slide shows, by the shown one they precede; no outputs.

    Later cells may need them, so they keep their place in the order of all.
    """
    before: dict[str, str] = {}
    waiting = ""
    for article in articles:
        for cell in article.select("div.livecell[id]"):
            if cell["id"] in shown:
                before[str(cell["id"])], waiting = waiting, ""
            elif not slide_labs.answer_cells(cell):
                for output in cell.select("div.cell_output"):
                    output.decompose()
                waiting += html_of(cell)
    return before


def rename_twins(book: Tag, lab: Tag) -> None:
    """Give the cells of a lab other names where the page has the same."""
    taken = {str(cell["id"]) for cell in book.select("div.livecell[id]")}
    for cell in lab.select("div.livecell[id]"):
        while cell["id"] in taken:
            cell["id"] = f"{cell['id']}-lab"


def settings(*pages: BeautifulSoup) -> str:
    """The settings of the live cells, from the last page that has some."""
    for page in reversed(pages):
        if found := page.select_one("script#livecells-config"):
            kept = json.loads(found.get_text())
            kept.pop("notebook", None)
            return json.dumps(kept, sort_keys=True).replace("</", "<\\/")
    return ""


def deck(html: Path, book: str, lab: str, version: str) -> str:
    """The page with the slides of a chapter.

    Args:
        html: the folder of the built book.
        book: the chapter's page in it.
        lab: the lab's.
        version: of the style and the script.

    Raises:
        DeckError: a page has no article.
    """
    pages = {name: read(html / name) for name in (book, lab)}
    articles = {name: article_of(page, name) for name, page in pages.items()}
    slides = slide_rules.page_slides(articles[book], f"../{book}")
    seen = {str(one) for one in articles[book].select("svg")}
    slides += slide_labs.lab_slides(articles[lab], f"../{lab}", seen)
    rename_twins(articles[book], articles[lab])
    shown = {
        str(cell["id"])
        for slide in slides
        if (cell := cell_of(slide)) and cell.get("id")
    }
    titles = ["", *(slide.title for slide in slides[:-1])]
    before = unseen([articles[book], articles[lab]], shown)
    styles: list[str] = []
    for page in pages.values():
        for link in page.select('link[rel="stylesheet"]'):
            if (address := str(link["href"])) not in styles:
                styles.append(address)
    icon = pages[book].select_one('link[rel~="icon"]')
    template = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, keep_trailing_newline=True
    ).get_template("slides.html")
    scripts = {
        str(one["src"])
        for page in pages.values()
        for one in page.select('script[type="module"][src*="/livecells/"]')
    }
    return template.render(
        title=slides[0].title,
        book=f"../{book}",
        lab=f"../{lab}",
        slides=[
            render(slide, place, before, above)
            for place, (slide, above) in enumerate(zip(slides, titles, strict=True))
        ],
        settings=settings(*pages.values()),
        styles=[one for one in styles if not STYLES.search(one)],
        scripts=sorted(scripts, reverse=True),
        icon=str(icon["href"]) if icon else "",
        version=version,
    )


def make_slides(app: Any, error: Exception | None) -> None:
    """Write the slides of every chapter beside the finished pages."""
    names = [] if error else pairs(app)
    if not names:
        return
    reveal = reveal_folder(app)
    if reveal is None:
        if app.config.livecells_enabled and app.builder.format == "html":
            logger.info("slides: none, since reveal.js is not there: run npm ci")
        return
    html = Path(app.outdir)
    place = html / "_static" / "slides"
    for old, new in REVEAL.items():
        (place / "reveal").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(reveal / old, place / "reveal" / new)
    ours = [path for path in sorted(place.rglob("*")) if path.is_file()]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in ours))
    folder = html / "slides"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in names:
        lab = f"{app.config.ours_labs}/{name}.html"
        text = deck(html, f"book/{name}.html", lab, version.hexdigest()[:8])
        (folder / f"{name}.html").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Link the slides from their pages, and make them once all pages are written."""
    app.connect("doctree-resolved", link_slides)
    app.connect("build-finished", make_slides, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
