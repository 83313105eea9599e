"""Directives for a book's page about its live cells: their options and their sizes."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ..options import OPTIONS

__all__ = ["OptionsDirective", "SizesDirective"]


class OptionsDirective(SphinxDirective):
    """The options of the extension as a definition list."""

    def run(self) -> list[nodes.Node]:
        listing = nodes.definition_list()
        for option in OPTIONS:
            default = f"{option.default!r}"
            listing += nodes.definition_list_item(
                "",
                nodes.term("", "", nodes.literal(text=f"{option.name} = {default}")),
                nodes.definition("", nodes.paragraph("", "", *_marked(option.text))),
            )
        return [listing]


def _marked(text: str) -> list[nodes.Node]:
    """Text with code between backticks."""
    return [
        nodes.literal(text=part) if place % 2 else nodes.Text(part)
        for place, part in enumerate(text.split("`"))
        if part
    ]


class SizesDirective(SphinxDirective):
    """A table of what the page fetches, when, and how much it is."""

    def run(self) -> list[nodes.Node]:
        bundle = getattr(self.env.app, "livecells_assets", None)
        if bundle is None:
            return [nodes.paragraph(text="In this build the cells do not run.")]
        rows = [("What", "When", "Compressed")]
        rows += [
            (what, when, spoken_size(size)) for what, when, size in bundle.groups()
        ]
        total = sum(file["gzip"] for file in bundle.files.values())
        rows.append(("All of it", "", spoken_size(total)))
        group = nodes.tgroup("", cols=3)
        for width in (40, 40, 20):
            group += nodes.colspec(colwidth=width)
        head, body = nodes.thead(), nodes.tbody()
        for number, texts in enumerate(rows):
            row = nodes.row()
            for text in texts:
                row += nodes.entry("", nodes.paragraph(text=text))
            (body if number else head).append(row)
        group += [head, body]
        return [nodes.table("", group)]


def spoken_size(size: int) -> str:
    """Bytes as a reader wants them: 420 kB, 6.1 MB."""
    if size >= 999_500:
        return f"{size / 1_000_000:.1f} MB"
    return f"{max(round(size / 1000), 1)} kB"
