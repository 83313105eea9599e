"""A deck of slides for each chapter, written by hand in ``teaching/slides``.

A deck is Markdown. A line of ``---`` parts its slides. A slide is a heading, which says
its one sentence, and at most one thing to look at:

``{cell}`def storm():` ``
    the cell of the lab whose code has this text. What it prints is out of sight until
    it has run, or somebody asks for it. ``{cell}`page: def storm():` `` is a cell of
    the chapter's page and ``{cell}`04_going_deeper: def held(` `` one of another lab;
    these do not run on the slide.

``{picture}`04_late_heartbeat: storm_picture` ``
    what a lab has glued; ``{picture}`page: figure.loop-player` `` is a part of the
    chapter's page, by a selector of CSS.

a list, a table, a few lines of code, or a question to vote on::

    :::vote
    * one answer
    * another
    :::

``{ours}`key:.3f` `` is a figure of the lab and ``{published}`A2:1.534 s` `` one of an
article, as on a page. What stands between
``:::notes`` and ``:::`` is for the speaker.

The slides are shown by reveal.js, from its npm package, and their cells are live as
those of the pages are; a build without live cells makes no slides.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from bs4.formatter import HTMLFormatter
from docutils import nodes
from lab_values import LabError, figure, open_lab
from markdown_it import MarkdownIt
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from ours import filled_in
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from scoreboard import open_scoreboard
from scoreboard_verdicts import Scoreboard, ScoreboardError
from sphinx.util import logging
from whole_units import GAP, NO_BREAK

__all__ = ["Deck", "DeckError", "Page", "Slide", "read_deck"]

logger = logging.getLogger(__name__)

SOURCES = "teaching/slides"
REVEAL = {
    "dist/reveal.mjs": "reveal.mjs",
    "dist/reveal.css": "reveal.css",
    "dist/plugin/notes.mjs": "notes.mjs",
    "LICENSE": "LICENSE",
}
NOTES = re.compile(r"^:::notes\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r"\{(cell|picture)\}`(?:(page|\d\d_\w+): )?([^`]+)`")
ANSWERS = {"tag_exercise", "tag_check", "tag_solution"}  # no other cell needs these
# Their pages would fetch scripts of the theme that a slide has no use for.
UNUSED = re.compile(r"togglebutton|copybutton|exercise|score|paper")
# A slide is 1280 by 720 CSS pixels; this is left below a heading of one line.
WIDTH, HEIGHT = 1180, 575
HEADING = 60  # letters of a heading in one line; another line takes this much away:
NEXT_LINE = 40
LETTER, LINE = 0.61, 1.42  # width and height of a letter of code, in its size
LARGEST = 24  # letters of code, in CSS pixels
LONG = 90  # letters of a line that a cell prints; a longer one goes on below


class DeckError(ValueError):
    """A deck that cannot be made; the message names the slide and what would do."""


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide as it is written.

    Attributes:
        kind: "title", "text", "vote", "cell" or "picture".
        title: its heading, in Markdown.
        body: what it shows, in Markdown.
        notes: what the speaker may say, in Markdown.
        where: the place of the cell or picture that it shows, "" for the lab's own.
        shown: the words that name this cell or picture.
    """

    kind: str
    title: str
    body: str
    notes: str
    where: str = ""
    shown: str = ""


def read_deck(text: str) -> list[Slide]:
    """The slides of a deck.

    Raises:
        DeckError: a slide has no heading.
    """
    slides = []
    for place, source in enumerate(re.split(r"^---$", text, flags=re.MULTILINE)):
        heading = re.match(r"\s*##? (.+)\n", source)
        if heading is None:
            raise DeckError(f"slide {place + 1} does not begin with a heading: ## …")
        body = source[heading.end() :]
        notes = "\n".join(NOTES.findall(body))
        body = NOTES.sub("", body).strip()
        role = ROLE.fullmatch(body)
        kind, *shown = role.groups(default="") if role else ("text",)
        kind = "vote" if ":::vote" in body else kind if place else "title"
        slides.append(Slide(kind, heading[1].strip(), body, notes, *shown))
    return slides


# ------------------------------------------------------------------ what is shown


class AsWritten(HTMLFormatter):
    """Keeps the order of attributes, so that a run can be compared with the build."""

    def attributes(self, tag: Tag) -> list[tuple[str, Any]]:
        return list((tag.attrs or {}).items())


AS_WRITTEN = AsWritten(HTMLFormatter.REGISTRY["minimal"].entity_substitution)


def html_of(tag: Tag) -> str:
    return str(tag.decode(formatter=AS_WRITTEN))


class Page:
    """A finished page of the book, of which a deck takes cells and parts.

    Args:
        html: the folder of the built book.
        address: the page in it.

    Raises:
        DeckError: there is no such page, or it has no article.
    """

    def __init__(self, html: Path, address: str) -> None:
        self.address = address
        path = html / address
        if not path.is_file():
            raise DeckError(f"{address} is no page of the book")
        self.whole = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        article = self.whole.select_one("article.bd-article")
        if article is None:
            raise DeckError(f"{address} has no article")
        self.article = article
        for tag in article.select("a.headerlink, .livecell-reason"):
            tag.decompose()
        # Links lead where they led from the page, from the folder of the decks.
        for tag in article.select("a[href], img[src]"):
            name = "src" if tag.name == "img" else "href"
            place = urljoin(f"/{address}", str(tag[name]))
            tag[name] = f"..{place}" if place.startswith("/") else place

    def cell(self, text: str) -> Tag:
        """The cell whose code has this text; a solution is on no slide.

        Raises:
            DeckError: no cell has it, or several have.
        """
        cells = list(self.article.select("div.cell:not(.tag_solution)"))
        cells = [cell for cell in cells if text in code_of(cell)]
        if len(cells) != 1:
            raise DeckError(f"{len(cells)} cells of {self.address} have {text!r}")
        return cells[0]


def code_of(cell: Tag) -> str:
    """The code of a cell; empty where the page does not show it."""
    pre = cell.select_one("div.cell_input pre")
    return pre.get_text().rstrip("\n") if pre else ""


def letters(lines: list[str], down: float, across: float = WIDTH) -> float:
    """How large the letters of some lines of code may be, in CSS pixels."""
    longest = max(map(len, lines), default=1)
    return min(
        LARGEST, down / LINE / max(len(lines), 1), across / LETTER / (longest + 3)
    )


def lay_out(cell: Tag, room: float) -> tuple[str, str]:
    """The class and the style of a slide with a cell, by how much it holds."""
    code = code_of(cell).splitlines()
    output = cell.select_one("div.cell_output")
    room -= 60  # its toolbar
    if output is None:
        return "", f"--code: {letters(code, room):.1f}px"
    if output.select_one("svg, table, figure"):
        size = min(letters(code, room - 230), 20)
        return "with-picture", f"--code: {size:.1f}px; {tall(output, 250)}"
    printed = [
        part
        for line in output.get_text().strip("\n").splitlines()
        for part in wrap(line, LONG, replace_whitespace=False) or [""]
    ]
    below = letters([*code, *printed, ""], room - 20)
    wide, other = (max(map(len, lines), default=1) + 4 for lines in (code, printed))
    share = wide / (wide + other)
    beside = min(
        letters(code, room, WIDTH * share - 24),
        letters(printed, room, WIDTH * (1 - share) - 24),
    )
    if beside <= below:
        return "", f"--code: {below:.1f}px"
    return "side-by-side", f"--code: {beside:.1f}px; --share: {share:.2f}"


def tall(part: Tag, room: float) -> str:
    """The style that gives a picture its height, in room for so many CSS pixels."""
    svg = part.select_one("svg")
    box = str(svg.get("viewbox") or svg.get("viewBox") or "").split() if svg else []
    if len(box) != 4:
        return ""
    return f"--tall: {min(room, WIDTH * float(box[3]) / float(box[2])):.0f}px"


# ------------------------------------------------------------------ one deck


class Deck:
    """The slides of one chapter as reveal.js wants them.

    Args:
        source: the deck, whose name is that of the chapter and of its lab.
        html: the folder of the built book.
        board: the published figures, and where the notebooks lie.

    Raises:
        DeckError: a slide has no heading, or the chapter has no page.
    """

    def __init__(self, source: Path, html: Path, board: Scoreboard) -> None:
        self.html, self.board, self.name = html, board, source.stem
        self.slides = read_deck(source.read_text(encoding="utf-8"))
        self.page = Page(html, f"book/{self.name}.html")
        self.lab = Page(html, f"notebooks/{self.name}.html")
        self.placed: set[str] = set()  # the live cells that have a place in the deck
        self.markdown = MarkdownIt("commonmark").enable("table")
        self.markdown.use(myst_role_plugin).use(container_plugin, "vote")
        self.markdown.renderer.rules |= {"myst_role": self._role, "fence": self._fence}

    def _fence(self, tokens: Any, at: int, *_: Any) -> str:
        lexer = get_lexer_by_name(tokens[at].info.strip() or "text")
        return str(highlight(tokens[at].content, lexer, HtmlFormatter()))

    def _role(self, tokens: Any, at: int, *_: Any) -> str:
        name, words = tokens[at].meta["name"], tokens[at].content
        if name == "published":
            text = self.board.published_figure(words)
        elif name == "ours":
            text = figure(self.board.notebooks, words, self.name)
        else:
            raise DeckError(
                f"{{{name}}} stands in a sentence: a cell or a picture is all that its "
                "slide shows, and a figure is {ours}`key:.3f` or {published}`A2:1.5 s`"
            )
        return f'<span class="{name}">{escape(text)}</span>'

    def shown(self, slide: Slide) -> str:
        """What a slide shows, as HTML; a cell that is not of the lab does not run."""
        if not slide.shown:
            return str(self.markdown.render(slide.body))
        if slide.kind == "picture" and slide.where == "page":
            part = self.page.article.select_one(slide.shown)
            if part is None:
                raise DeckError(f"{self.page.address} has no part {slide.shown!r}")
            return html_of(part)
        if slide.kind == "picture":
            return open_lab(self.board.notebooks, slide.where).html(slide.shown)
        if not slide.where:
            cell = self.lab.cell(slide.shown)
            if "livecell" in cell["class"]:
                self.placed.add(str(cell["id"]))
            return html_of(cell)
        other = self.page
        if slide.where != "page":
            other = Page(self.html, f"notebooks/{slide.where}.html")
        cell = copy(other.cell(slide.shown))
        cell["class"] = [name for name in cell["class"] if name != "livecell"]
        del cell["id"]
        return html_of(cell)

    def read(self, slide: Slide, number: int) -> tuple[str, str, str]:
        """The title, the body and the notes of a slide as HTML.

        Raises:
            DeckError: it shows what is not there; the message names the slide.
        """
        try:
            return (
                GAP.sub(NO_BREAK, self.markdown.renderInline(slide.title)),
                self.shown(slide),
                self.markdown.render(slide.notes),
            )
        except (DeckError, LabError, ScoreboardError) as error:
            where = f"{SOURCES}/{self.name}.md, slide {number} ({slide.title})"
            raise DeckError(f"{where}: {error}") from None

    def laid_out(self, slide: Slide, parts: tuple[str, str, str]) -> dict[str, Any]:
        """What the template needs of a slide, once all slides have been read."""
        title, body, notes = parts
        before, names, style = "", "", ""
        shown = BeautifulSoup(body, "html.parser")
        room = HEIGHT - NEXT_LINE * (len(slide.title) > HEADING)
        if slide.kind == "cell":
            before = "".join(self.unseen(slide))
            names, style = lay_out(shown, room)
        elif slide.kind == "picture":
            style = tall(shown, room)
        return {
            "names": f"slide-{slide.kind} {names}",
            "style": style,
            "label": BeautifulSoup(title, "html.parser").get_text(),
            "title": title,
            "before": before,
            "body": body,
            "notes": notes,
        }

    def unseen(self, slide: Slide) -> Iterator[str]:
        """The live cells of the lab before a slide's own that no slide shows.

        Later cells may need them, so they keep their place, without their outputs.
        """
        cells = self.lab.article.select("div.livecell")
        until = None if slide.where else self.lab.cell(slide.shown)
        if not any(cell is until for cell in cells):
            return
        for cell in cells:
            if cell is until:
                return
            if str(cell["id"]) in self.placed or ANSWERS & set(cell["class"]):
                continue
            self.placed.add(str(cell["id"]))
            bare = BeautifulSoup(html_of(cell), "html.parser")
            for output in bare.select("div.cell_output"):
                output.decompose()
            yield html_of(bare)

    def settings(self) -> str:
        """The settings of the live cells, as the lab has them."""
        config = self.lab.whole.select_one("script#livecells-config")
        if config is None:
            return ""
        kept = json.loads(config.get_text())
        kept.pop("notebook", None)
        return json.dumps(kept, sort_keys=True).replace("</", "<\\/")

    def html_page(self, version: str) -> str:
        """The page with all slides.

        Args:
            version: of the style and the script.

        Raises:
            DeckError: a slide names what is not there.
        """
        read = [self.read(slide, n) for n, slide in enumerate(self.slides, start=1)]
        slides = list(map(self.laid_out, self.slides, read))

        def links(selector: str, name: str) -> list[str]:
            pages = (self.page.whole, self.lab.whole)
            every = [str(tag[name]) for page in pages for tag in page.select(selector)]
            return list(dict.fromkeys(every))

        styles = links('link[rel="stylesheet"]', "href")
        return filled_in(
            "slides.html",
            title=self.slides[0].title,
            book=f"../{self.page.address}",
            lab=f"../{self.lab.address}",
            slides=slides,
            settings=self.settings(),
            styles=[address for address in styles if not UNUSED.search(address)],
            scripts=sorted(
                links('script[type="module"][src*="/livecells/"]', "src"), reverse=True
            ),
            icon=next(iter(links('link[rel~="icon"]', "href")), ""),
            version=version,
        )


# ------------------------------------------------------------------ in a build


def sources(app: Any) -> list[Path]:
    """The decks of the chapters; none where no slides can be made."""
    if not app.config.livecells_enabled or app.builder.format != "html":
        return []
    if not all((reveal(app) / name).is_file() for name in REVEAL):
        return []
    decks = sorted(Path(app.srcdir, SOURCES).glob("*.md"))
    return [path for path in decks if f"book/{path.stem}" in app.env.found_docs]


def reveal(app: Any) -> Path:
    return Path(app.srcdir, app.config.livecells_node_modules, "reveal.js")


def link_slides(app: Any, doctree: nodes.document, page: str) -> None:
    """Name the slides in the list of what a chapter's page gives its reader."""
    name = page.removeprefix("book/")
    if name == page or name not in {path.stem for path in sources(app)}:
        return
    boxes = doctree.findall(nodes.admonition)
    lists = (terms for box in boxes for terms in box.findall(nodes.definition_list))
    for terms in lists:
        where = {"refuri": f"../slides/{name}.html", "classes": ["slides-link"]}
        link = nodes.reference("", "The slides", internal=True, **where)
        plan = nodes.Text(" follow the plan of ninety minutes.")
        definition = nodes.definition("", nodes.paragraph("", "", link, plan))
        terms += nodes.definition_list_item("", nodes.term("", "Teach it"), definition)
        return


def make_slides(app: Any, error: Exception | None) -> None:
    """Write the slides of every chapter beside the finished pages."""
    decks = [] if error else sources(app)
    if not decks:
        return
    html = Path(app.outdir)
    place = html / "_static" / "slides"
    for old, new in REVEAL.items():
        (place / "reveal").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(reveal(app) / old, place / "reveal" / new)
    ours = [path for path in sorted(place.rglob("*")) if path.is_file()]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in ours))
    folder = html / "slides"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    board = open_scoreboard(app.srcdir)
    for source in decks:
        try:
            text = Deck(source, html, board).html_page(version.hexdigest()[:8])
        except DeckError as problem:
            logger.warning("slides: %s", problem)
            continue
        (folder / f"{source.stem}.html").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Link the slides from their pages, and make them once all pages are written."""
    app.connect("doctree-resolved", link_slides)
    app.connect("build-finished", make_slides, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
