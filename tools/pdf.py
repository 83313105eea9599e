"""Print the sheets for a class and the built book into ``_build/pdf``.

``python -m tools.pdf [folder]`` prints the site in ``_build/html``, or in a folder. A
headless Chromium does it, the book twice: only the first PDF tells on which page each
chapter begins, and the second says so in its table of contents.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tools import printed, printed_sheets
from tools.browser import chromium
from tools.common import ROOT, ToolError, ended, say
from tools.serving import serving

__all__ = ["main", "page_numbers", "print_book", "printer", "publish"]

PATIENCE = 600_000.0  # ms for all pages of the book on a busy machine
HTML = "text/html"
WIDTH = 605  # px of a page between its margins, see book/_static/paper.css
PLACE = "<!-- on paper -->"  # of the line on the first page that leads to the book


def page_numbers(pdf: Path) -> dict[str, int]:
    """On which page each named place of a PDF lies, counted from 1."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    places = {
        str(name).removeprefix("/"): reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }
    return {name: page + 1 for name, page in places.items() if page is not None}


def publish(book: Path, html: Path, pages: int) -> None:
    """Put the book into the site, and a line that leads to it on the first page.

    A build of the site removes both, so that they are never those of another one.
    """
    first = printed.root_page(html)
    shutil.copy2(book, html)
    address = posixpath.relpath(book.name, posixpath.dirname(first))
    link = f'<a href="{address}">the chapters and labs</a>'
    size = f"{pages} pages, {book.stat().st_size / 1e6:.1f} MB"
    line = f"{PLACE}<p>To print: {link} ({size}).</p>"
    page = html / first
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(f"{PLACE}(<p>.*?</p>)?", line, text), encoding="utf-8")


@contextmanager
def printer(html: Path) -> Iterator[Callable[[str, Path], None]]:
    """What prints a page, as if it lay among those of a site, into a file.

    Args:
        html: the built site, for styles and pictures.

    Raises:
        ToolError: There is no Chromium, or a page is wider than the paper.
    """

    def shoot(text: str, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        tab.route(address, lambda route: route.fulfill(body=text, content_type=HTML))
        tab.goto(address, wait_until="load")
        if (wide := tab.evaluate("document.documentElement.scrollWidth")) > WIDTH:
            raise ToolError(
                f"{target}: {wide} px wide; Chromium would make all smaller"
            )
        how = {"prefer_css_page_size": True, "print_background": True}
        tab.pdf(path=str(target), outline=True, tagged=True, **how)
        tab.unroute(address)

    try:
        with serving(html) as origin, chromium() as browser:
            address = f"{origin}/{printed.BASE}/on-paper.html"
            tab = browser.new_page(java_script_enabled=False, color_scheme="light")
            tab.set_default_timeout(PATIENCE)
            tab.emulate_media(media="print")
            tab.set_viewport_size({"width": WIDTH, "height": 1000})
            yield shoot
    except FileNotFoundError as error:
        raise ToolError(str(error)) from None


def print_book(
    shoot: Callable[[str, Path], None],
    html: Path,
    target: Path,
    title: str,
    authors: str,
) -> int:
    """Print the book, and return how many pages it has.

    Raises:
        ToolError: It cannot be printed, or a page number in it is wrong.
    """
    from pypdf import PdfReader

    text = printed.book(html, title, authors)
    shoot(text, target)
    numbers = page_numbers(target)
    shoot(printed.numbered(text, numbers), target)
    if page_numbers(target) != numbers:
        raise ToolError(f"{target}: a page number of its contents or answers is wrong")
    return len(PdfReader(target).pages)


def main(words: list[str]) -> None:
    """Print the sheets of all chapters, and then the book."""
    html = Path(words[0]).resolve() if words else ROOT / "_build" / "html"
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    out = html.parent / "pdf"
    started = time.monotonic()
    with printer(html) as shoot:
        for name, sheet in printed_sheets.sheets(html, ROOT / "teaching"):
            shoot(sheet, out / f"{name}.pdf")
            say(f"Printed {out / name}.pdf.")
        book = out / "on-time.pdf"
        authors = f"{config['author']}. Text: CC BY 4.0. Code: MIT."
        pages = print_book(shoot, html, book, config["title"], authors)
        publish(book, html, pages)
        took = time.monotonic() - started
        say(f"Printed {book}, {pages} pages, in {took:.0f} s.")


if __name__ == "__main__":
    sys.exit(ended(lambda: main(sys.argv[1:])))
