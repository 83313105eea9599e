"""What others show of the site: search engines, messengers, readers of feeds.

Each page says its title and what it is about. What needs the whole address of a page
(a card for each chapter and the landing page (`cards`), the canonical address, the
sitemap, the feed) is made only where ``html.baseurl`` of ``_config.yml`` names the
site: a wrong address would send a reader elsewhere.

``404.html`` is what a server shows for a page that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cards
from docutils import nodes
from ours import filled_in
from sphinx.errors import ExtensionError

CARDS = "_static/cards"
CHAPTER = re.compile(r"book/\d\d_\w+")
LANDING = "book/index"
ABOUT = re.compile(r'<meta content="([^"]*)" name="description"')
LONG = 200  # letters of a description
LOST = """<h1>This page is not here</h1>
<p>The address may be mistyped, or the page has moved. The search finds every
section of the book, and the <a href="book/index.html">first page</a> leads to all
chapters.</p>"""


def check(_: Any, config: Any) -> None:
    """Stop at an address that is none."""
    address = config.html_baseurl
    parts = urlsplit(address)
    if address and not (parts.scheme in ("http", "https") and parts.netloc):
        raise ExtensionError(
            f"html.baseurl is {address!r}, which is no address: write it as "
            "https://name.example/folder/, or leave it empty"
        )
    config.html_baseurl = f"{address.rstrip('/')}/" if address else ""


def about(metatags: str, doctree: nodes.document) -> str:
    """What a page is about, in a sentence: as it says itself, or as it begins."""
    if description := ABOUT.search(metatags):
        return unescape(description[1])
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > LONG:
            text = f"{text[:LONG].rpartition(' ')[0]} …"
        if len(text) > 40:
            return text
    return ""


def tags(app: Any, page: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    """Put what is said of a page into its head."""
    if doctree is None:
        return
    if context["title"] == context["docstitle"]:
        context["docstitle"] = ""  # or the landing page would be "On Time — On Time"
    title = unescape(re.sub(r"<[^>]*>", "", context["title"]))
    is_chapter = CHAPTER.fullmatch(page)
    context["metatags"] += filled_in(
        "head.html",
        title=re.sub(r"^\d+ ", "", title),
        kind="article" if is_chapter else "website",
        site=app.config.html_title,
        about=about(context["metatags"], doctree),
        described=ABOUT.search(context["metatags"]),
        address=app.config.html_baseurl,
        page=page,
        card=f"{CARDS}/{Path(page if is_chapter else LANDING).name}.png",
        width=cards.WIDTH,
        height=cards.HEIGHT,
    )


def extra(_: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The page for an address that leads nowhere."""
    yield "404", {"title": "This page is not here", "body": LOST}, "page.html"


def finish(app: Any, error: Exception | None) -> None:
    """Write what machines read, once all pages are there; draw the cards it names."""
    if error or app.builder.name != "html":
        return
    html, address = Path(app.outdir), app.config.html_baseurl
    robots = ["User-agent: *", "Allow: /"]
    if address:
        robots += [f"Sitemap: {address}sitemap.xml"]
        pages = sorted(app.env.found_docs)
        chapters = [page for page in pages if CHAPTER.fullmatch(page)]
        texts = {
            page: (html / f"{page}.html").read_text(encoding="utf-8")
            for page in [LANDING, *chapters]
        }
        draw_cards(html, texts)
        feed = []
        for page in chapters:
            words = ABOUT.search(texts[page])
            described = words and unescape(words[1])
            feed.append((page, app.env.titles[page].astext(), described))
        slides = [f"slides/{path.stem}" for path in (html / "slides").glob("*.html")]
        links = [f"{address}{page}.html" for page in [*pages, *sorted(slides)]]
        sitemap = filled_in("sitemap.xml", links=links)
        (html / "sitemap.xml").write_text(sitemap, encoding="utf-8")
        rss = filled_in("feed.xml", address=address, chapters=feed)
        (html / "feed.xml").write_text(rss, encoding="utf-8")
        # A server shows it for addresses at any depth, and its links are relative.
        lost = html / "404.html"
        text = lost.read_text(encoding="utf-8").replace('href="#', 'href="404.html#')
        base = f'<base href="{urlsplit(address).path}" />'
        lost.write_text(text.replace("<head>", f"<head>{base}", 1), encoding="utf-8")
    (html / "robots.txt").write_text("\n".join([*robots, ""]), encoding="utf-8")


def draw_cards(html: Path, texts: dict[str, str]) -> None:
    """Write the card of each page, given as HTML by its name, into the site."""
    (html / CARDS).mkdir(parents=True, exist_ok=True)
    with cards.fonts(html / "_static" / "fonts") as font_files:
        for page, text in texts.items():
            number = re.match(r"book/0?(\d+)", page)
            above = "On Time" + (f" · chapter {number[1]}" if number else "")
            card = cards.draw(text, above, font_files)
            if card is None:
                raise ExtensionError(f"{page} has no title or no picture for its card")
            (html / CARDS / f"{Path(page).name}.png").write_bytes(card)


def setup(app: Any) -> dict[str, Any]:
    """Say what pages are about, and write the rest at the end, after the slides."""
    app.connect("config-inited", check)
    app.connect("html-page-context", tags)
    app.connect("html-collect-pages", extra)
    app.connect("build-finished", finish, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
