"""Links and anchors of the files as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag

from tests.site.checks.serving import pages, read_page

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
