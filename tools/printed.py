"""Make one long page of the built site, for paper: what ``make pdf`` prints.

The pages come in the order of the table of contents, in the light theme. Names and
links are rewritten so that a link to another page leads to its place in the same
document. Answers that are folded on a page stand at the end, each with a number.
"""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup, Tag

from tools.common import ToolError
from tools.printed_answers import Answers, classes, take_answers, words

__all__ = ["Page", "article_of", "book", "contents", "numbered", "paper"]

BASE = "book"  # the folder that the long page pretends to lie in
HERE = Path(__file__).parent
LONG = 14  # lines of code; what has more may be divided between two pages
NAMES = ("id", "for", "aria-labelledby", "aria-describedby", "aria-controls", "headers")
UNWANTED = (
    "a.headerlink, .lab-links, .livecells-absent, .livecell-reason, .toctree-wrapper, "
    "noscript, script, button, iframe, .explorable-controls input, .explorable-absent, "
    ".explorable-notice, .explorable-room, .tag_check, .scoreboard-filter, "
    ".tag_hide-input > details.hide, .sd-summary-state-marker, table.cards details, "
    "#teach, #grade, .loop-player:has(> .lp-strip) > :not(.lp-strip, figcaption, style)"
)
# What is of no use without a screen, or is looked up rather than read.
ON_SCREEN = re.compile(
    "book/(live_cells|explore|looplab|ontime|clock_rules|in_your_own|lint_rules)|CHANGELOG"
)


@dataclass(frozen=True)
class Page:
    """A page of the site.

    Attributes:
        address: below the site's folder.
        title: as the table of contents has it.
        depth: 1 for a chapter, 2 for a lab below it.
        part: the caption above it.
    """

    address: str
    title: str
    depth: int
    part: str = ""

    @property
    def name(self) -> str:
        """What the names of this page begin with in the long one."""
        return "p-" + re.sub(r"\W+", "-", self.address.removesuffix(".html"))


def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def root_page(html: Path) -> str:
    """The address of the first page: where ``index.html`` sends its reader."""
    index = html / "index.html"
    if not index.is_file():
        raise ToolError(f"{html} holds no site: there is no index.html; run make build")
    refresh = read(index).select_one('meta[http-equiv="Refresh" i]')
    address = re.search(r"url=(\S+)", str(refresh["content"])) if refresh else None
    return address[1] if address else "index.html"


def contents(html: Path) -> list[Page]:
    """The pages in the order of the table of contents, from the sidebar of the first.

    Raises:
        ToolError: There is no site, or its first page has no table of contents.
    """
    root = root_page(html)
    nav = read(html / root).select_one("nav.bd-links")
    if nav is None:
        raise ToolError(f"{root} has no table of contents: the theme has changed")
    pages: list[Page] = []
    part = ""
    for tag in nav.select("p.caption, a.reference.internal"):
        if tag.name == "p":
            part = words(tag)
            continue
        path = str(tag["href"]).partition("#")[0] or posixpath.basename(root)
        address = posixpath.normpath(posixpath.join(posixpath.dirname(root), path))
        depth = 2 if tag.find_parent(class_="toctree-l2") else 1
        pages.append(Page(address, words(tag), depth, part))
    return pages


def article_of(html: Path, page: Page) -> Tag:
    """What a page says, without its frame."""
    article = read(html / page.address).select_one("article.bd-article")
    if article is None:
        raise ToolError(f"{page.address} has no article: it cannot be printed")
    return article


# --------------------------------------------------------------- names and links


def rename(article: Tag, page: Page, known: dict[str, str]) -> None:
    """Give every name of a page its page's own beginning, and let links follow.

    Args:
        article: the page's article.
        page: where it comes from.
        known: address -> beginning of the names, of the pages in the document.
    """
    start = page.name
    for tag in [article, *article.find_all(True)]:
        for attribute in NAMES:
            value = tag.get(attribute)
            if value:
                each = value if isinstance(value, list) else str(value).split()
                tag[attribute] = " ".join(f"{start}--{name}" for name in each)
        for attribute, value in list(tag.attrs.items()):
            if isinstance(value, str) and "url(#" in value:
                tag[attribute] = value.replace("url(#", f"url(#{start}--")
        if tag.name == "style" and tag.string:
            tag.string = tag.string.replace("url(#", f"url(#{start}--")
        for attribute in ("href", "xlink:href", "src"):
            value = tag.get(attribute)
            if isinstance(value, str):
                _link(tag, attribute, value, page, known)


def _link(
    tag: Tag, attribute: str, value: str, page: Page, known: dict[str, str]
) -> None:
    if re.match(r"[a-z]+:|//", value):
        return
    path, _, anchor = value.partition("#")
    anchor = unquote(anchor)
    folder = posixpath.dirname(page.address)
    target = posixpath.normpath(posixpath.join(folder, path)) if path else page.address
    if tag.name != "a":
        there = posixpath.relpath(target, BASE) if path else f"#{page.name}--{anchor}"
        tag[attribute] = there
    elif target in known:
        tag[attribute] = f"#{known[target]}" + (f"--{anchor}" if anchor else "")
    else:
        del tag[attribute]  # a file beside the pages: paper has none


def loosen(text: str) -> str:
    """Take away the links whose place is not on paper."""
    there = set(re.findall(r'\sid="([^"]+)"', text))

    def keep(link: re.Match[str]) -> str:
        return link[0] if unescape(link[2]) in there else link[1]

    return re.sub(r'(<a\b[^>]*?)\s+href="#([^"]*)"', keep, text)


def open_cells(article: Tag) -> None:
    """Show code and outputs that are folded, without the words on the fold."""
    for code in article.select(".cell_input"):
        if code.get_text().count("\n") > LONG:
            code["class"] = [*classes(code), "long"]
    for fold in article.select("details.hide"):
        for summary in fold.find_all("summary", recursive=False):
            summary.decompose()
        fold.name = "div"
        fold.attrs = {}


def demote(article: Tag, by: int) -> None:
    """Make headings stand lower in the outline; they look as before."""
    for tag in article.find_all(["h1", "h2", "h3", "h4", "h5"]):
        level = int(tag.name[1])
        tag["class"] = [*classes(tag), f"as-h{level}"]
        tag.name = f"h{max(1, min(level + by, 6))}"


# ------------------------------------------------------------------ the document


def prepare(html: Path, page: Page, known: dict[str, str], answers: Answers) -> str:
    """One page of the site as a part of the long page."""
    article = article_of(html, page)
    for tag in article.select(UNWANTED):
        if not tag.decomposed:
            tag.decompose()
    rename(article, page, known)
    answers.begin(page.title)
    take_answers(article, answers)
    open_cells(article)
    demote(article, page.depth - 1)
    body = article.decode_contents()
    return f'<div class="page depth-{page.depth}" id="{page.name}">{body}</div>'


def listing(pages: list[Page]) -> str:
    """The table of contents, without the numbers of pages; see :func:`numbered`."""
    lines: list[str] = []
    part = ""
    for page in pages:
        if page.part != part:
            part = page.part
            lines.append(f'<li class="part">{escape(part)}</li>')
        lines.append(
            f'<li class="depth-{page.depth}"><a href="#{page.name}">'
            f"<span>{escape(page.title)}</span>"
            f'<span class="number" data-page="{page.name}">000</span></a></li>'
        )
    return (
        '<nav class="paper-contents" id="contents"><h1>Contents</h1>'
        f"<ol>{''.join(lines)}</ol><p>The site has more: figures with a slider, "
        "and the reference of the tools.</p></nav>"
    )


def numbered(text: str, numbers: dict[str, int]) -> str:
    """The document with the number of each page in its table of contents."""

    def fill(place: re.Match[str]) -> str:
        return f"{place[1]}{numbers.get(place[2], '')}<"

    return re.sub(r'(data-page="([^"]+)">)000<', fill, text)


def styles(html: Path, pages: list[Page]) -> str:
    """Links to the style sheets of the pages, each once."""
    paths: dict[str, None] = {}
    for page in pages:
        head = (html / page.address).read_text(encoding="utf-8").partition("<body")[0]
        for link in BeautifulSoup(head, "html.parser").select("link[rel=stylesheet]"):
            path = posixpath.join(posixpath.dirname(page.address), str(link["href"]))
            paths[posixpath.relpath(path, BASE)] = None
    return "".join(f'<link rel="stylesheet" href="{path}">' for path in paths)


def paper(title: str, links: str, body: str) -> str:
    """A document from its parts, without the links that lead to none of them."""
    own = (HERE / "printed.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light" data-mode="light">'
        f'<head><meta charset="utf-8"><title>{escape(title)}</title>{links}'
        f'<style>{own}</style></head><body><main class="bd-content">'
        f'<div class="bd-article">{loosen(body)}</div></main></body></html>'
    )


def cover(html: Path, title: str, authors: str) -> str:
    """The first page of the book, with the first picture of the site."""
    article = article_of(html, Page(root_page(html), title, 1))
    lead, picture = article.select_one(".on-time-lead"), article.select_one(".lp-strip")
    return (
        f'<section class="cover"><p class="book-title">{escape(title)}</p>'
        f"<p>{escape(words(lead)) if lead else ''}</p>"
        f'<div class="loop-player">{picture or ""}</div>'
        f"<small>{escape(authors)}</small></section>"
    )


def book(html: Path, title: str, authors: str) -> str:
    """The chapters and labs as one page.

    Args:
        html: the built site.
        title: of the book.
        authors: a line at the foot of the cover.

    Raises:
        ToolError: There is no site, or a page of it has no article.
    """
    first = root_page(html)
    pages = [
        page
        for page in contents(html)
        if page.address != first and not ON_SCREEN.match(page.address)
    ]
    links = styles(html, pages)
    known = {page.address: page.name for page in pages}
    answers = Answers()
    parts: list[tuple[str, str]] = []
    above: str | None = None
    for page in pages:
        chapter = page.depth == 1 and page.title[0].isdigit()
        if chapter or (page.depth == 1 and page.part != above):
            parts.append(((not chapter and page.part) or page.title, ""))
        above = page.part
        title_of_part, body = parts.pop()
        body += prepare(html, page, known, answers)
        parts.append((title_of_part, body))
    if end := answers.html():
        pages.append(Page("answers.html", "Answers and solutions", 1))
        parts.append((pages[-1].title, end))
    parts.insert(0, ("Contents", listing(pages)))
    text = cover(html, title, authors)
    for number, (head, body) in enumerate(parts):
        rule = f"@page part{number} {{ @top-left {{ content: {json.dumps(head)} }} }}"
        text += (
            f'<style>{rule}</style><section style="page: part{number}">{body}</section>'
        )
    return paper(title, links, text)
