"""``make pdf``: the book and its exercises on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fast.tools.test_pdf import html
from tests.site.conftest import need, site
from tools import pdf, printed
from tools.browser import find_chromium
from tools.common import ToolError

__all__ = ["html", "site"]  # fixtures


@pytest.fixture(autouse=True)
def chromium() -> None:
    if find_chromium() is None:
        need("no Chromium was found")


def test_the_pdf_has_outline_numbers_and_inner_links(
    html: Path, tmp_path: Path
) -> None:
    from pypdf import PdfReader

    book = tmp_path / "out" / "tiny.pdf"
    with pdf.printer(html) as shoot:
        pdf.print_book(shoot, html, book, "Tiny", "By us")
    reader = PdfReader(book)
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    # The cover, the contents, a page, a chapter with its labs, and the answers.
    chapter = "1. Late"
    heads = ["Contents", "For whom", chapter, chapter, "Answers and solutions"]
    assert texts[0] == "Tiny In time By us"
    for number, (head, text) in enumerate(zip(heads, texts[1:], strict=True), start=2):
        assert text.startswith((head, f"{number}{head}", f"{number} {head}"))
        assert re.search(rf"\b{number}\b", text)
    assert "END" in texts[3]  # of a long line of code

    outline = [item["/Title"] for item in reader.outline if not isinstance(item, list)]
    assert outline == [heads[0], heads[1], heads[2], heads[4]]
    # The contents name the pages on which the parts begin.
    for title, number in (("For whom", 3), ("1. Late", 4), ("Lab: late", 4)):
        assert re.search(rf"{re.escape(title)} ?{number}\b", texts[1])
        assert title in texts[number - 1]
    links = [
        annotation.get_object()
        for page in reader.pages
        for annotation in page.get("/Annots", [])
    ]
    inner = [link for link in links if "/Dest" in link]
    outer = [str(link["/A"]["/URI"]) for link in links if "/URI" in link.get("/A", {})]
    assert outer == ["https://example.org/"]
    numbers = pdf.page_numbers(book)
    assert {str(link["/Dest"]).removeprefix("/") for link in inner} <= set(numbers)
    assert numbers["p-book-01_late--why"] == 4
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_what_is_wider_than_the_paper_is_refused(html: Path, tmp_path: Path) -> None:
    wide = '<!DOCTYPE html><body style="margin: 0"><p style="width: 900px">Wide'
    with pdf.printer(html) as shoot, pytest.raises(ToolError, match="900 px wide"):
        shoot(wide, tmp_path / "wide.pdf")


@pytest.mark.slow
def test_the_whole_book_on_paper(site: Path, tmp_path: Path) -> None:
    """At most 350 pages, each part under its title, no page number wrong."""
    from pypdf import PdfReader

    book = tmp_path / "book.pdf"
    with pdf.printer(site) as shoot:
        pages = pdf.print_book(shoot, site, book, "On Time", "By us")
    assert pages <= 350
    texts = [" ".join(page.extract_text().split()) for page in PdfReader(book).pages]
    numbers = pdf.page_numbers(book)
    places = [name for name in numbers if name.startswith("asked-")]
    assert len(places) > 400
    for asked in places:
        answer = asked.replace("asked", "answer")
        for place, other in ((asked, answer), (answer, asked)):
            link = rf"\w+ {asked.removeprefix('asked-')}, page {numbers[other]}\b"
            assert re.search(link, texts[numbers[place] - 1]), (place, link)
    chapters = [page for page in printed.contents(site) if page.title[0].isdigit()]
    assert len(chapters) == 8
    for chapter in chapters:
        number = numbers[chapter.name]
        assert texts[number - 1].startswith(f"{chapter.title} {number} ")
