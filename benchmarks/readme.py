"""The tables of ``benchmarks/README.md``.

Each benchmark writes its tables into a Markdown file of its own and has them follow
into the page, between two markers; the prose around them is written by hand::

    <!-- from: loops.md -->
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).with_name("README.md")
PART = re.compile(r"(<!-- from: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def line(cells: Sequence[str]) -> str:
    """A line of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write(table: Path, text: str) -> None:
    """Write the tables of a benchmark, and put them where the page has its marker."""
    table.write_text(text, encoding="utf-8")

    def renew(part: re.Match[str]) -> str:
        if (PAGE.parent / part[2]).resolve() != table.resolve():
            return part[0]
        return f"{part[1]}\n{text.strip()}\n\n{part[4]}"

    page = PART.sub(renew, PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8", newline="\n")
