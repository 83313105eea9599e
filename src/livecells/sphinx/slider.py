"""The directive ``{explorable}``: a figure with a slider, drawn by the build."""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from .livecell import cell_node
from .results import code_files, python, remembered

__all__ = ["ExplorableDirective", "ExplorableFigure", "FigureAsText", "depart", "visit"]

MAKE = (
    "import sys; from livecells.sphinx.explorable import main; "
    "sys.exit(main(sys.argv[1:]))"
)


class ExplorableFigure(nodes.General, nodes.Element):  # type: ignore[misc]
    """A figure with a slider; ``built`` holds what its function returned."""


class FigureAsText(SphinxPostTransform):
    """Where there is no slider, the summary of the first picture takes its place."""

    default_priority = 10

    def run(self, **_: Any) -> None:
        if self.app.builder.format == "html":
            return
        for node in list(self.document.findall(ExplorableFigure)):
            built = node["built"]
            text = f"{built['title']}. {built['summaries'][built['place']]}"
            node.replace_self(nodes.paragraph(text, text))


class ExplorableDirective(SphinxDirective):
    """A figure with a slider: ``module:function`` returns an ``Explorable``.

    Options: ``:id:`` the name of the figure on its page, ``:no-live:`` leaves out the
    live cell.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "id": directives.unchanged_required,
        "no-live": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        app = self.env.app
        wanted = self.arguments[0]
        folder = Path(self.env.srcdir, self.config.livecells_explorables)
        if not folder.is_dir():
            raise self.error(
                f"livecells_explorables is {self.config.livecells_explorables!r}, and "
                f"there is no folder {folder}: name the one with the functions"
            )
        name = self.options.get("id") or re.sub(r"\W+", "-", wanted).strip("-")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,50}", name):
            raise self.error(
                f":id: is {name!r}: take a letter, then letters and digits"
            )
        files = sorted(folder.rglob("*.py"))
        for file in files:
            self.env.note_dependency(str(file))
        words = ["-c", MAKE, wanted]
        try:
            built = remembered(
                app,
                wanted,
                files + code_files(app),
                lambda: json.loads(python(app, words, "", [folder])),
            )
        except RuntimeError as error:
            raise self.error(f"explorable {wanted}: {error}") from None
        node = ExplorableFigure(built=built, name=name)
        self.set_source_info(node)
        out: list[nodes.Node] = [node]
        if built["live"] and "no-live" not in self.options:
            node["live"] = f"{name}-live"
            cell = cell_node(built["live"], self.config.livecells_tag, node["live"])
            cell["classes"].append("explorable-live")
            cell.source, cell.line = node.source, node.line
            out.append(cell)
        return out


def visit(self: Any, node: ExplorableFigure) -> None:
    self.body.append(
        _figure(self, node)
        if self.builder.config.livecells_enabled
        else _picture_alone(node)
    )


def _style(built: dict[str, Any]) -> str:
    return f"<style>{built['style']}</style>" if built["style"] else ""


def _picture(built: dict[str, Any], name: str) -> str:
    title = escape(built["title"])
    return (
        f'<div class="explorable-picture" role="img" aria-label="{title}" '
        f'aria-describedby="{name}-summary">{built["picture"]}</div>'
    )


def _picture_alone(node: ExplorableFigure) -> str:
    """The figure in a book whose pages do not run: its first picture."""
    built, name = node["built"], node["name"]
    text, summary = (built[part][built["place"]] for part in ("texts", "summaries"))
    return (
        f'<figure class="explorable" id="explorable-{name}">{_style(built)}'
        f"<figcaption>{escape(built['title'])}: {escape(text)}</figcaption>"
        f'{_picture(built, name)}<p id="{name}-summary">{escape(summary)}</p>'
        "</figure>\n"
    )


def _figure(self: Any, node: ExplorableFigure) -> str:
    """The figure with its slider; the other pictures are written beside the pages."""
    built, name = node["built"], node["name"]
    text, summary = (built[part][built["place"]] for part in ("texts", "summaries"))
    data = built["json"].encode()
    file = f"{name}.{hashlib.sha256(data).hexdigest()[:10]}.json"
    place = Path(self.builder.outdir, "_static", "livecells", "explorables")
    place.mkdir(parents=True, exist_ok=True)
    (place / file).write_bytes(data)
    live = f' data-live="cell-{node["live"]}"' if node.get("live") else ""
    width = max(map(len, built["texts"]))
    longest = max(built["summaries"], key=len)
    return (
        f'<figure class="explorable" id="explorable-{name}" data-frames="{file}"{live}>'
        f"{_style(built)}"
        f'<figcaption class="explorable-title">{escape(built["title"])}</figcaption>'
        '<div class="explorable-controls">'
        f'<label for="{name}-slider">{escape(built["parameter"])}</label>'
        f'<input type="range" id="{name}-slider" min="0" step="1" autocomplete="off"'
        f' max="{len(built["texts"]) - 1}" value="{built["place"]}"'
        f' aria-valuetext="{escape(text)}. {escape(summary)}">'
        f'<output for="{name}-slider" style="min-width:{width}ch">{escape(text)}'
        "</output></div>"
        '<noscript><p class="explorable-off">Scripts are off: the slider is not shown, '
        f"and the picture stays at {escape(text)}.</p></noscript>"
        f"{_picture(built, name)}"
        # The longest summary, unseen, keeps the page from jumping.
        f'<div class="explorable-summary"><p id="{name}-summary">{escape(summary)}</p>'
        f'<p class="explorable-room" aria-hidden="true">{escape(longest)}</p></div>'
        '<p class="explorable-absent">The slider does nothing here: its script has not '
        "run. Was the page opened as a file?</p>"
        '<p class="explorable-notice" role="status"></p></figure>\n'
    )


def depart(self: Any, node: ExplorableFigure) -> None:
    """Nothing is left open."""
