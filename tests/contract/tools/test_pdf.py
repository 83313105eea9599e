"""``make pdf``: the book and its exercises on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fast.tools.test_pdf import WHY, html
from tests.site.conftest import need
from tools import pdf, printed
from tools.browser import find_chromium
from tools.common import ToolError

__all__ = ["html"]  # a fixture


def test_without_chromium_one_line_says_so(
    html: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "/no/such/browser")
    with pytest.raises(ToolError, match="no Chromium was found"):
        pdf.main([str(html)])


@pytest.fixture
def printed_pdf(html: Path, tmp_path: Path) -> Path:
    pytest.importorskip("pypdf")
    if find_chromium() is None:
        need("no Chromium was found")
    target = tmp_path / "out" / "tiny.pdf"
    text = printed.book(html, "Tiny", "By us")
    with pdf.printer(html) as shoot:
        shoot(text, target)
        shoot(printed.numbered(text, pdf.page_numbers(target)), target)
    return target


def test_the_pdf_has_outline_numbers_and_inner_links(printed_pdf: Path) -> None:
    from pypdf import PdfReader

    reader = PdfReader(printed_pdf)
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    # The title, the contents, four pages, and the answers.
    assert len(texts) == 7
    assert "Tiny" in texts[0]
    for number, text in enumerate(texts, start=1):
        assert str(number) in text.split()[-2:]

    def titles(items: list[object], depth: int = 0) -> list[tuple[int, str]]:
        lines = []
        for item in items:
            if isinstance(item, list):
                lines += titles(item, depth + 1)
            else:
                lines.append((depth, str(item["/Title"])))  # type: ignore[index]
        return lines

    assert titles(reader.outline) == [
        (0, "Contents"),
        (0, "The book"),
        (0, "1. Late"),
        (1, WHY),  # a space at each end of a line
        (1, "Quiz"),
        (1, "Lab: late"),
        (2, "Exercises"),
        (3, "1. Guess"),
        (1, "More exercises"),
        (2, "Third"),
        (0, "Answers and solutions"),
        (1, "1. Late"),
        (1, "Lab: late"),
    ]
    # The contents name the pages on which the parts begin.
    for title, number in (("The book", 3), ("1. Late", 4), ("Lab: late", 5)):
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
    numbers = pdf.page_numbers(printed_pdf)
    assert {str(link["/Dest"]).removeprefix("/") for link in inner} <= set(numbers)
    assert numbers["p-book-01_late--why"] == 4
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
