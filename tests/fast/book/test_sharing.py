"""What others show of the site: cards, the feed, the sitemap, the heads of pages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import sharing
from docutils import nodes
from docutils.utils import new_document
from ours import filled_in
from sphinx.errors import ExtensionError

from looplab.draw import Line, steps

FONTS = Path(__file__).parents[3] / "book" / "_static" / "fonts"
STEPS = steps(Line("down", [(0, 3), (1, 2)], "orange"), x="s", y="y", alt="It falls.")
PAGE = "<article><h1>{}</h1>{}</article>"


def head(address: str, page: str = "book/04_late_heartbeat", **more: str) -> str:
    config = SimpleNamespace(html_baseurl=address, html_title="On Time")
    sharing.check(None, config)
    doctree = new_document("page")
    doctree += nodes.paragraph("", "Short.")
    doctree += nodes.paragraph("", "Two hundred tasks make everything else late." * 8)
    context = {
        "title": "4 Keep <i>it</i>",
        "docstitle": "On Time",
        "metatags": "",
    } | more
    sharing.tags(SimpleNamespace(config=config), page, "", context, doctree)
    return str(context["metatags"])


def test_the_head_of_a_page() -> None:
    tags = head("")
    assert '"og:title" content="Keep it"' in tags
    assert "Two hundred tasks" in tags
    assert not {"og:url", "og:image"} & set(tags.split('"'))
    assert "http" not in tags
    base = "https://name.example/on-time/"
    tags = head("https://name.example/on-time")
    assert f'content="{base}book/04_late_heartbeat.html"' in tags
    assert f'content="{base}_static/cards/04_late_heartbeat.png"' in tags
    other = head("https://name.example/on-time/", "notebooks/04_late_heartbeat")
    assert f'content="{base}_static/cards/index.png"' in other
    tags = head("", metatags='<meta content="Late &amp; why." name="description" />')
    assert 'og:description" content="Late &amp; why."' in tags
    assert tags.count('name="description"') == 1


@pytest.mark.parametrize("address", ["", "https://name.example/on-time"])
def test_cards_and_lists_are_made_only_for_an_address(
    tmp_path: Path, address: str
) -> None:
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static/fonts").symlink_to(FONTS)
    (tmp_path / "book").mkdir()
    pages = ["book/01_loop", "book/index"]
    for page in pages:
        text = f"<head></head>{PAGE.format('Keep time', STEPS.svg)}"
        (tmp_path / f"{page}.html").write_text(text, encoding="utf-8")
    (tmp_path / "404.html").write_text("<head></head>", encoding="utf-8")
    config = SimpleNamespace(html_baseurl=address)
    sharing.check(None, config)
    titles = {page: nodes.title("", "Keep time") for page in pages}
    env = SimpleNamespace(found_docs=pages, titles=titles)
    app = SimpleNamespace(
        outdir=tmp_path, config=config, env=env, builder=SimpleNamespace(name="html")
    )
    sharing.finish(app, None)
    cards_drawn = {path.name for path in tmp_path.glob("_static/cards/*")}
    assert cards_drawn == ({"01_loop.png", "index.png"} if address else set())
    for name in ("feed.xml", "sitemap.xml"):
        assert (tmp_path / name).exists() is bool(address)
    assert ("Sitemap" in (tmp_path / "robots.txt").read_text()) is bool(address)


@pytest.mark.parametrize("address", ["on-time.example", "ftp://a.example/", "/here/"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ExtensionError, match=r"html\.baseurl") as caught:
        head(address)
    assert address in str(caught.value)


def test_sitemap_and_feed_are_xml_with_whole_addresses() -> None:
    base = "https://name.example/"
    sitemap = ElementTree.fromstring(
        filled_in("sitemap.xml", links=[f"{base}a.html?b&c"])
    )
    assert [loc.text for loc in sitemap.iter() if loc.text and loc.text.strip()] == [
        f"{base}a.html?b&c"
    ]
    chapters = [("book/01_a", "Tasks & loops", "Why & how.")]
    feed = ElementTree.fromstring(
        filled_in("feed.xml", address=base, chapters=chapters)
    )
    item = feed.find("channel/item")
    assert item is not None
    assert item.findtext("title") == "Tasks & loops"
    assert item.findtext("link") == f"{base}book/01_a.html"
    assert item.findtext("description") == "Why & how."
