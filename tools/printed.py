"""Make one long page of the built site, for paper: what ``make pdf`` prints.

The pages come in the order of the table of contents, in the light theme. Names and
links are rewritten so that a link to another page leads to its place in the same
document. Answers that are folded on a page stand at the end, each with a number.
"""

from __future__ import annotations

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
NAMES = ("id", "for", "aria-labelledby", "aria-describedby", "aria-controls", "headers")
UNWANTED = (
    "a.headerlink, .lab-links, .livecells-absent, .livecell-reason, .toctree-wrapper, "
    "noscript, script, button, iframe, .explorable-controls input, .explorable-absent, "
    ".explorable-notice, .explorable-room, .tag_check > .cell_output, "
    ".tag_hide-input > details.hide, .sd-summary-state-marker"
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
    found = re.search(r"url=(\S+)", str(refresh["content"])) if refresh else None
    return found[1] if found else "index.html"


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
        if path:
            tag[attribute] = posixpath.relpath(target, BASE)
        else:
            tag[attribute] = f"#{page.name}--{anchor}"
    elif target in known:
        tag[attribute] = (
            f"#{known[target]}--{anchor}" if anchor else f"#{known[target]}"
        )
    else:
        del tag[attribute]  # a file beside the pages: paper has none


def loosen(text: str) -> str:
    """Take away the links whose place is not on paper."""
    there = set(re.findall(r'\sid="([^"]+)"', text))

    def keep(found: re.Match[str]) -> str:
        return found[0] if unescape(found[2]) in there else found[1]

    return re.sub(r'(<a\b[^>]*?)\s+href="#([^"]*)"', keep, text)


def open_cells(article: Tag) -> None:
    """Show code and outputs that are folded, without the words on the fold."""
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
    for link in article.select("a.slides-link"):
        line = link.find_parent("dd")
        for tag in (line.find_previous_sibling("dt"), line) if line else ():
            if isinstance(tag, Tag):
                tag.decompose()
    rename(article, page, known)
    answers.begin(page.title)
    take_answers(article, answers)
    open_cells(article)
    demote(article, page.depth - 1)
    body = article.decode_contents()
    return f'<section class="page depth-{page.depth}" id="{page.name}">{body}</section>'


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
        '<nav class="page paper-contents" id="contents"><h1>Contents</h1>'
        f"<ol>{''.join(lines)}</ol></nav>"
    )


def numbered(text: str, numbers: dict[str, int]) -> str:
    """The document with the number of each page in its table of contents."""

    def fill(found: re.Match[str]) -> str:
        return f"{found[1]}{numbers.get(found[2], '')}<"

    return re.sub(r'(data-page="([^"]+)">)000<', fill, text)


def styles(html: Path, pages: list[Page]) -> str:
    """Links to the style sheets of the pages, each once."""
    lines: dict[str, None] = {}
    for page in pages:
        folder = posixpath.dirname(page.address)
        head = (html / page.address).read_text(encoding="utf-8").partition("<body")[0]
        for tag in re.findall(r"<link\b[^>]*>", head):
            link = re.search(r'href="([^"]+)"', tag)
            if 'rel="stylesheet"' not in tag or link is None:
                continue
            path = posixpath.normpath(posixpath.join(folder, link[1]))
            address = posixpath.relpath(path, BASE)
            lines[f'<link rel="stylesheet" href="{address}">'] = None
    return "\n".join(lines)


def paper(title: str, links: str, body: str) -> str:
    """A document from its parts.

    Args:
        title: of the document.
        links: to style sheets.
        body: what it says; links to places that it has not are taken away.
    """
    own = (HERE / "printed.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light" data-mode="light">'
        f'<head><meta charset="utf-8"><title>{escape(title)}</title>{links}'
        f'<style>{own}</style></head><body><main class="bd-content">'
        f'<div class="bd-article">{loosen(body)}</div></main></body></html>'
    )


def book(html: Path, title: str, lead: str) -> str:
    """The whole book as one page.

    Args:
        html: the built site.
        title: of the book.
        lead: a line below the title.

    Raises:
        ToolError: There is no site, or a page of it has no article.
    """
    pages = contents(html)
    links = styles(html, pages)
    known = {page.address: page.name for page in pages}
    answers = Answers()
    parts = [prepare(html, page, known, answers) for page in pages]
    end = answers.html()
    if end:
        pages.append(Page("answers.html", "Answers and solutions", 1))
        parts.append(end.replace('id="answers"', f'id="{pages[-1].name}"'))
    front = (
        f'<section class="title-page"><p class="book-title">{escape(title)}</p>'
        f"<p>{escape(lead)}</p></section>"
    )
    return paper(title, links, "".join([front, listing(pages), *parts]))
