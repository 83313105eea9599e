"""Say of each text how wide it is, and whether its lines are columns.

A text is what a cell prints, or a block of a page in the language ``text``. A style
can then let a line of words wrap, and keep the lines of a table whole. The page says
the same of what a run prints (``page/texts.js``), in the very same form.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["SizeTexts", "SizedText", "columns", "depart", "is_table", "visit"]

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
TWO_GAPS = re.compile(r"(?:\S {2,}(?=\S).*?){2}")
WIDEST = 95  # columns; a table that is wider wraps like words


class SizedText(nodes.literal_block):  # type: ignore[misc]
    """A text that says its size when it is written."""


def columns(text: str) -> int:
    """The length of the longest line."""
    return max(len(line.rstrip()) for line in ANSI.sub("", text).split("\n"))


def is_table(text: str) -> bool:
    """Whether lines of the text are columns: two of them have two gaps each."""
    rows = sum(bool(TWO_GAPS.search(line)) for line in ANSI.sub("", text).split("\n"))
    return rows > 1 and columns(text) <= WIDEST


class SizeTexts(SphinxPostTransform):
    """Put our own node in the place of each text."""

    default_priority = 900  # when myst-nb has made them
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the texts of a page."""
        if not self.config.livecells_enabled:
            return  # the page is what it would be without this extension
        for block in list(self.document.findall(nodes.literal_block)):
            if "output" in block["classes"] or block.get("language") == "text":
                text = block.astext()
                sized = SizedText(block.rawsource, text, **block.attributes)
                if is_table(text):
                    sized["classes"].append("livecell-table")
                block.replace_self(sized)


def visit(self: Any, node: SizedText) -> None:
    """Write it as any literal block, with its size as a style."""
    at = len(self.body)
    try:
        self.visit_literal_block(node)
    finally:  # with code to be coloured it ends in SkipNode
        style = f' style="--livecell-columns: {columns(node.astext())};">'
        self.body[at] = self.body[at].replace(">", style, 1)


def depart(self: Any, node: SizedText) -> None:
    """End it as any literal block."""
    self.depart_literal_block(node)
