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
import posixpath
import re
import shutil
from copy import copy
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.formatter import HTMLFormatter
from docutils import nodes
from jinja2 import Environment, FileSystemLoader
from lab_values import LabError, find_lab, read_lab
from markdown_it import MarkdownIt
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from scoreboard import open_scoreboard
from scoreboard_data import published_number
from scoreboard_verdicts import Scoreboard
from sphinx.util import logging
from whole_units import GAP, NO_BREAK

__all__ = ["DeckError", "Page", "Slide", "deck", "read_deck"]

logger = logging.getLogger(__name__)

HERE = Path(__file__).parent
SOURCES = "teaching/slides"
REVEAL = {
    "dist/reveal.mjs": "reveal.mjs",
    "dist/reveal.css": "reveal.css",
    "dist/plugin/notes.mjs": "notes.mjs",
    "LICENSE": "LICENSE",
}
NOTES = re.compile(r"^:::notes\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
ELSEWHERE = re.compile(r"(page|\d\d_\w+): ")
ROLE = re.compile(r"\{(cell|picture)\}`([^`]+)`")
ANSWERS = {"tag_exercise", "tag_check", "tag_solution"}  # no other cell needs these
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
    """

    kind: str
    title: str
    body: str
    notes: str

    @property
    def shown(self) -> tuple[str, str] | None:
        """The cell or picture that it shows, such as ("cell", "def storm():")."""
        role = ROLE.fullmatch(self.body)
        return (role[1], role[2]) if role else None


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
        shown = ROLE.fullmatch(body)
        kind = shown[1] if shown else "vote" if ":::vote" in body else "text"
        kind = kind if place else "title"
        slides.append(Slide(kind, heading[1].strip(), body, notes))
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
    """A finished page of the book, of which a deck takes cells and parts."""

    def __init__(self, html: Path, address: str) -> None:
        """Read the page.

        Args:
            html: the folder of the built book.
            address: the page in it.

        Raises:
            DeckError: there is no such page, or it has no article.
        """
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
        self._lead_on()

    def _lead_on(self) -> None:
        """Let links lead where they led from the page, from the folder of the decks."""
        folder = posixpath.dirname(f"../{self.address}")
        for tag in self.article.select("a[href], img[src]"):
            name = "src" if tag.name == "img" else "href"
            value = str(tag[name])
            if value.startswith("#"):
                tag[name] = f"../{self.address}{value}"
            elif not re.match(r"[a-z]+:|//", value):
                tag[name] = posixpath.normpath(posixpath.join(folder, value))

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

    def part(self, selector: str) -> Tag:
        """The first part that a selector of CSS finds.

        Raises:
            DeckError: there is none.
        """
        part = self.article.select_one(selector)
        if part is None:
            raise DeckError(f"{self.address} has no part {selector!r}")
        return part


def code_of(cell: Tag) -> str:
    """The code of a cell; empty where the page does not show it."""
    pre = cell.select_one("div.cell_input pre")
    return pre.get_text().rstrip("\n") if pre else ""


def is_live(cell: Tag) -> bool:
    """Whether a cell runs in the page."""
    return "livecell" in (cell.get("class") or ())


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
    svg = part if part.name == "svg" else part.select_one("svg")
    box = str(svg.get("viewbox") or svg.get("viewBox") or "").split() if svg else []
    if len(box) != 4:
        return ""
    return f"--tall: {min(room, WIDTH * float(box[3]) / float(box[2])):.0f}px"


# ------------------------------------------------------------------ one deck


class Writer:
    """Writes the slides of one chapter as reveal.js wants them."""

    def __init__(self, html: Path, board: Scoreboard, name: str) -> None:
        """Open the chapter.

        Args:
            html: the folder of the built book.
            board: the published figures, and where the notebooks lie.
            name: of the chapter's page, its lab and its deck.
        """
        self.html, self.board, self.name = html, board, name
        self.labs = board.notebooks
        self.page = Page(html, f"book/{name}.html")
        self.lab = Page(html, f"{self.labs.name}/{name}.html")
        self.placed: set[str] = set()  # the live cells that have a place in the deck
        self.markdown = MarkdownIt("commonmark").enable("table")
        self.markdown.use(myst_role_plugin).use(container_plugin, "vote")
        self.markdown.renderer.rules |= {"myst_role": self._role, "fence": self._fence}

    def _fence(self, tokens: Any, at: int, *_: Any) -> str:
        lexer = get_lexer_by_name(tokens[at].info.strip() or "text")
        return str(highlight(tokens[at].content, lexer, HtmlFormatter()))

    def _role(self, tokens: Any, at: int, *_: Any) -> str:
        name, content = tokens[at].meta["name"], tokens[at].content
        if name == "published":
            name, _, text = content.partition(":")
            row = self.board.row(name)
            if row is None or not published_number(row, text):
                raise DeckError(f"{content!r} is no published figure")
            return f'<span class="published">{escape(text)}</span>'
        if name != "ours":
            raise DeckError(
                f"{{{name}}} stands in a sentence: a cell or a picture is all that its "
                "slide shows, and a figure is {ours}`key:.3f` or {published}`A2:1.5 s`"
            )
        lab, slash, words = content.rpartition("/")
        key, _, spec = words.partition(":")
        value = read_lab(find_lab(self.labs, lab if slash else self.name))
        return f'<span class="ours">{escape(value.text(key, spec))}</span>'

    def cell(self, words: str) -> Tag:
        """The cell that a slide names; one that is not of the lab does not run."""
        place = ELSEWHERE.match(words)
        if place is None:
            cell = self.lab.cell(words)
            if is_live(cell):
                self.placed.add(str(cell["id"]))
            return cell
        other = self.page
        if place[1] != "page":
            other = Page(self.html, f"{self.labs.name}/{place[1]}.html")
        cell = copy(other.cell(words[place.end() :]))
        cell["class"] = [name for name in cell["class"] if name != "livecell"]
        del cell["id"]
        return cell

    def body(self, slide: Slide) -> str:
        """What a slide shows, as HTML."""
        if slide.shown is None:
            return str(self.markdown.render(slide.body))
        kind, words = slide.shown
        return html_of(self.cell(words)) if kind == "cell" else self.picture(words)

    def picture(self, words: str) -> str:
        """A part of the page, or what a lab has glued, as HTML."""
        place, _, what = words.partition(": ")
        if place == "page":
            return html_of(self.page.part(what))
        return read_lab(find_lab(self.labs, place)).html(what)

    def read(self, slide: Slide, number: int) -> tuple[str, str, str]:
        """The title, the body and the notes of a slide as HTML.

        Raises:
            DeckError: it shows what is not there; the message names the slide.
        """
        try:
            return (
                GAP.sub(NO_BREAK, self.markdown.renderInline(slide.title)),
                self.body(slide),
                self.markdown.render(slide.notes),
            )
        except (DeckError, LabError) as error:
            where = f"{SOURCES}/{self.name}.md, slide {number + 1} ({slide.title})"
            raise DeckError(f"{where}: {error}") from None

    def write(self, slide: Slide, number: int, parts: tuple[str, str, str]) -> str:
        """A slide as a section of HTML, once all slides have been read."""
        title, body, notes = parts
        before = self.unseen(slide)
        names, style = "", ""
        room = HEIGHT - NEXT_LINE * (len(slide.title) > HEADING)
        if slide.kind == "cell":
            names, style = lay_out(BeautifulSoup(body, "html.parser"), room)
        elif slide.kind == "picture":
            style = tall(BeautifulSoup(body, "html.parser"), room)
        level = "h2" if number else "h1"
        plain = escape(BeautifulSoup(title, "html.parser").get_text())
        hidden = f"<div hidden>{before}</div>" if before else ""
        return (
            f'<section class="slide-{slide.kind} {names}" style="{style}" '
            f'aria-label="{plain}"><{level}>{title}</{level}>{hidden}'
            f'<div class="slide-body">{body}</div>'
            f'<aside class="notes">{notes}</aside></section>\n'
        )

    def unseen(self, slide: Slide) -> str:
        """The live cells of the lab before a slide's own that no slide shows.

        Later cells may need them, so they keep their place, without their outputs.
        """
        kind, words = slide.shown or ("", "")
        if kind != "cell" or ELSEWHERE.match(words):
            return ""
        until = self.lab.cell(words)
        if not is_live(until):
            return ""
        waiting = []
        for cell in self.lab.article.select("div.livecell"):
            if cell is until:
                break
            if str(cell["id"]) in self.placed or ANSWERS & set(cell["class"]):
                continue
            self.placed.add(str(cell["id"]))
            bare = BeautifulSoup(html_of(cell), "html.parser")
            for output in bare.select("div.cell_output"):
                output.decompose()
            waiting.append(html_of(bare))
        return "".join(waiting)

    def settings(self) -> str:
        """The settings of the live cells, as the lab has them."""
        config = self.lab.whole.select_one("script#livecells-config")
        if config is None:
            return ""
        kept = json.loads(config.get_text())
        kept.pop("notebook", None)
        return json.dumps(kept, sort_keys=True).replace("</", "<\\/")

    def deck(self, slides: list[Slide], version: str) -> str:
        """The page with all slides."""
        parts = [self.read(slide, place) for place, slide in enumerate(slides)]
        pages = (self.page.whole, self.lab.whole)
        styles = [
            str(link["href"])
            for page in pages
            for link in page.select('link[rel="stylesheet"]')
            # Their pages would fetch scripts of the theme that a slide has no use for.
            if not re.search(
                r"(togglebutton|copybutton|exercise|score|paper)", link["href"]
            )
        ]
        scripts = {
            str(script["src"])
            for page in pages
            for script in page.select('script[type="module"][src*="/livecells/"]')
        }
        icon = self.page.whole.select_one('link[rel~="icon"]')
        template = Environment(
            loader=FileSystemLoader(HERE), autoescape=True, keep_trailing_newline=True
        ).get_template("slides.html")
        return template.render(
            title=slides[0].title,
            book=f"../{self.page.address}",
            lab=f"../{self.lab.address}",
            slides=[
                self.write(slide, place, read)
                for place, (slide, read) in enumerate(zip(slides, parts, strict=True))
            ],
            settings=self.settings(),
            styles=list(dict.fromkeys(styles)),
            scripts=sorted(scripts, reverse=True),
            icon=str(icon["href"]) if icon else "",
            version=version,
        )


def deck(source: Path, html: Path, board: Scoreboard, version: str) -> str:
    """The page with the slides of a chapter.

    Args:
        source: the deck, whose name is that of the chapter.
        html: the folder of the built book.
        board: the published figures, and where the notebooks lie.
        version: of the style and the script.

    Raises:
        DeckError: the deck names what is not there.
    """
    slides = read_deck(source.read_text(encoding="utf-8"))
    return Writer(html, board, source.stem).deck(slides, version)


# ------------------------------------------------------------------ in a build


def sources(app: Any) -> dict[str, Path]:
    """The decks, by the name of their chapter; none where no slides can be made."""
    if not app.config.livecells_enabled or app.builder.format != "html":
        return {}
    if not all((reveal(app) / name).is_file() for name in REVEAL):
        return {}
    decks = sorted(Path(app.srcdir, SOURCES).glob("*.md"))
    docs = app.env.found_docs
    return {path.stem: path for path in decks if f"book/{path.stem}" in docs}


def reveal(app: Any) -> Path:
    return Path(app.srcdir, app.config.livecells_node_modules, "reveal.js")


def link_slides(app: Any, doctree: nodes.document, page: str) -> None:
    """Name the slides in the list of what a chapter's page gives its reader."""
    name = page.removeprefix("book/")
    if name == page or name not in sources(app):
        return
    for admonition in doctree.findall(nodes.admonition):
        for terms in admonition.findall(nodes.definition_list):
            text = nodes.paragraph()
            text += nodes.reference(
                "",
                "The slides",
                refuri=f"../slides/{name}.html",
                internal=True,
                classes=["slides-link"],
            )
            text += nodes.Text(" follow the plan of ninety minutes.")
            item = nodes.definition_list_item("", nodes.term("", "Teach it"))
            item += nodes.definition("", text)
            terms += item
            return


def make_slides(app: Any, error: Exception | None) -> None:
    """Write the slides of every chapter beside the finished pages."""
    decks = {} if error else sources(app)
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
    board = open_scoreboard(app.config, app.srcdir)
    for name, source in decks.items():
        try:
            text = deck(source, html, board, version.hexdigest()[:8])
        except DeckError as problem:
            logger.warning("slides: %s", problem)
            continue
        (folder / f"{name}.html").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Link the slides from their pages, and make them once all pages are written."""
    app.connect("doctree-resolved", link_slides)
    app.connect("build-finished", make_slides, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
