"""Print the sheets for a class and the built book into ``_build/pdf``.

``python -m tools.pdf [folder]`` prints the site in ``_build/html``, or in a folder. A
headless Chromium does it, the book twice: only the first PDF tells on which page each
chapter begins, and the second says so in its table of contents.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tools import printed, printed_sheets
from tools.browser import chromium
from tools.common import ROOT, ToolError, ended, say
from tools.serving import serving

__all__ = ["main", "page_numbers", "printer"]

PATIENCE = 600_000.0  # ms for all pages of the book on a busy machine
FOOTER = (
    '<div style="width:100%;padding:0 17mm;font:8px sans-serif;color:#555;'
    'display:flex;justify-content:space-between">'
    '<span class="title"></span><span class="pageNumber"></span></div>'
)


def page_numbers(pdf: Path) -> dict[str, int]:
    """On which page each named place of a PDF lies, counted from 1."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    places = {
        str(name).removeprefix("/"): reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }
    return {name: page + 1 for name, page in places.items() if page is not None}


def _shoot(tab: Any, address: str, text: str, target: Path) -> None:
    """Print one page with an outline, tags, and page numbers."""
    target.parent.mkdir(parents=True, exist_ok=True)
    tab.route(address, lambda route: route.fulfill(body=text, content_type="text/html"))
    tab.goto(address, wait_until="load", timeout=PATIENCE)
    tab.pdf(
        path=str(target),
        outline=True,
        tagged=True,
        prefer_css_page_size=True,
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
    )
    tab.unroute(address)


@contextmanager
def printer(html: Path) -> Iterator[Callable[[str, Path], None]]:
    """What prints a page, as if it lay among those of a site, into a file.

    Args:
        html: the built site, for styles and pictures.

    Raises:
        ToolError: There is no Chromium.
    """
    try:
        with serving(html) as origin, chromium() as browser:
            address = f"{origin}/{printed.BASE}/on-paper.html"
            tab = browser.new_page(java_script_enabled=False, color_scheme="light")
            tab.set_default_timeout(PATIENCE)
            yield lambda text, target: _shoot(tab, address, text, target)
    except FileNotFoundError as error:
        raise ToolError(str(error)) from None


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
        lead = f"{config['author']}. Text: CC BY 4.0. Code: MIT."
        text = printed.book(html, config["title"], lead)
        shoot(text, book)
        shoot(printed.numbered(text, page_numbers(book)), book)
        say(f"Printed {book} in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    sys.exit(ended(lambda: main(sys.argv[1:])))
