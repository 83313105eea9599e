"""Keep on one line what is read as one: a number and its unit, a figure of a table, a
word of code. A table says whether its first column needs room."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["WholeUnits", "WholeWords"]

NO_BREAK = "\N{NO-BREAK SPACE}"
GAP = re.compile(
    r"(?:(?<=\d)|(?<=,)|(?<=\bin))\s(?=(?:s|ms|µs|ns|%|KB|MB|GB)(?![\w-]))"
)
FIGURE = re.compile(r"[<≈−-]?\s?\d.{,18}")  # of a table: "187 ns to 287 ns"
SPACE = re.compile(r"\s")
WORDS = 16  # letters; a first column with more of them needs room on a phone

LONGEST = 28  # letters of code that fit into a line on a phone, in a list or a box
JOINT = re.compile(r"(?<=[(,./=])(?=\w)")


class WholeUnits(SphinxPostTransform):
    """Put no-break spaces into the prose of a page; code stays as it is."""

    default_priority = 900  # when all text is there
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the blocks of a document."""
        for block in self.document.findall(nodes.TextElement):
            if not isinstance(block, (nodes.Inline, nodes.FixedTextElement)):
                _join(block, GAP)
        for entry in self.document.findall(nodes.entry):
            if FIGURE.fullmatch(entry.astext()):
                _join(entry, SPACE)
        for table in self.document.findall(nodes.table):
            rows = [row for row in table.findall(nodes.row) if len(row)]
            if max((len(row[0].astext()) for row in rows), default=0) > WORDS:
                table["classes"].append("words-first")


class WholeWords(SphinxPostTransform):
    """Let a long word of code break at a joint only; a style keeps the others whole.

    A word without a joint has the class ``long``: it may break anywhere.
    """

    default_priority = 900
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the code in the prose of a document."""
        for code in list(self.document.findall(nodes.literal)):
            pieces = _pieces(code.astext())
            if any(len(word) > LONGEST for piece in pieces for word in piece.split()):
                code["classes"].append("long")
            plain = [type(child) for child in code] == [nodes.Text]
            if len(pieces) > 1 and plain and "language" not in code:
                code.clear()
                for place, piece in enumerate(pieces):
                    if place:
                        code += nodes.raw("", "<wbr>", format="html")
                    code += nodes.Text(piece)


def _pieces(text: str) -> list[str]:
    """The text, cut at the joints of words that are too long."""
    pieces = [""]
    for word in re.split(r"(\s+)", text):
        first, *rest = JOINT.split(word) if len(word) > LONGEST else [word]
        pieces[-1] += first
        pieces += rest
    return pieces


def _join(block: nodes.Element, gap: re.Pattern[str]) -> None:
    texts = list(block.findall(nodes.Text))
    whole = "".join(texts)
    joined, place = gap.sub(NO_BREAK, whole), 0
    for text in texts:
        words = joined[place : place + len(text)]
        place += len(text)
        code = isinstance(text.parent, (nodes.literal, nodes.math, nodes.raw))
        if words != str(text) and not code:
            text.parent.replace(text, nodes.Text(words))


def setup(app: Any) -> dict[str, Any]:
    """Join what belongs together once a page is whole."""
    app.add_post_transform(WholeUnits)
    app.add_post_transform(WholeWords)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
