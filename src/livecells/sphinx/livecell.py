"""The directive ``{livecell}``: a cell in a Markdown page that the build runs."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .results import code_files, python, remembered

__all__ = ["LiveCell", "cell_node", "execute"]

logger = logging.getLogger(__name__)

RUNNER = Path(__file__).parent / "runner.py"


def cell_node(source: str, tag: str, name: str | None, **more: Any) -> nodes.container:
    """A live cell as myst-nb would build it, without its outputs."""
    code = nodes.literal_block(source, source, language="python")
    inside = nodes.container(
        "", code, nb_element="cell_code_source", classes=["cell_input"]
    )
    return nodes.container(
        "",
        inside,
        nb_element="cell_code",
        classes=["cell", f"tag_{tag.replace(' ', '_')}"],
        cell_metadata={"tags": [tag]},
        cell_index=-1,
        livecell_written=True,
        livecell_name=name or "",
        **more,
    )


class LiveCell(SphinxDirective):
    """A live cell in a Markdown page; its output is computed when the book is built.

    Options: ``:id:`` a name that stays when the code changes, ``:hide-input:`` and
    ``:hide-output:`` to fold a part away.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "id": directives.unchanged_required,
        "hide-input": directives.flag,
        "hide-output": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        name = self.options.get("id")
        if name is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise self.error(
                f":id: is {name!r}: take letters, digits, - and _, 64 at most"
            )
        hidden = [p for p in ("input", "output") if f"hide-{p}" in self.options]
        more: dict[str, Any] = {}
        if hidden:
            more["hide_mode"] = "+".join(hidden)
            show = getattr(self.config, "nb_code_prompt_show", "Show code cell {type}")
            hide = getattr(self.config, "nb_code_prompt_hide", "Hide code cell {type}")
            more["prompt_show"], more["prompt_hide"] = show, hide
        source = "\n".join(self.content)
        node = cell_node(source, self.config.livecells_tag, name, **more)
        for part in hidden:
            node["classes"].append(f"tag_hide-{part}")
        self.set_source_info(node)
        for part in node.findall(nodes.Element):
            part.source, part.line = node.source, node.line
        return [node]


def execute(app: Any, cells: list[nodes.container], names: list[str]) -> None:
    """Run the live cells of a page in order and fill those that came from a directive.

    An error in such a cell is a warning of the build.
    """
    if not any(cell.get("livecell_written") for cell in cells):
        return
    request = {
        "limit": app.config.livecells_output_limit,
        "cells": [
            {"id": name, "label": name, "source": next(_code(cell)).astext()}
            for name, cell in zip(names, cells, strict=True)
        ],
    }
    text = json.dumps(request, sort_keys=True)
    written = next(cell for cell in cells if cell.get("livecell_written"))
    try:
        outputs = remembered(
            app,
            text,
            code_files(app),
            lambda: json.loads(python(app, [str(RUNNER)], text, [])),
        )
    except RuntimeError as error:
        logger.warning("live cells: %s", error, location=written)
        return
    for name, cell in zip(names, cells, strict=True):
        if not cell.get("livecell_written"):
            continue
        shown = []
        for output in outputs[name]:
            if output["kind"] == "error":
                logger.warning(
                    "live cell %r fails:\n%s", name, output["text"], location=cell
                )
            elif output["kind"] == "cut":
                logger.warning(
                    "live cell %r prints more than %s characters",
                    name,
                    output["limit"],
                    location=cell,
                )
            shown += output_nodes(app, output)
        if shown:
            cell += nodes.container(
                "", *shown, nb_element="cell_code_output", classes=["cell_output"]
            )


def _code(cell: nodes.container) -> Any:
    return cell.findall(nodes.literal_block)


def output_nodes(app: Any, output: dict[str, Any]) -> list[nodes.Node]:
    """The nodes that myst-nb would make of an output."""
    if output["kind"] == "stream":
        kind = "stream" if output["name"] == "stdout" else "stderr"
        return [_block(app, output["text"], kind)]
    if output["kind"] == "error":
        return [_block(app, output["text"], "traceback")]
    if output["kind"] == "display":
        data = output["data"]
        html = _picture(data) or _markdown(data)
        if html:
            return [nodes.raw("", html, format="html", classes=["output", "text_html"])]
        for mime in ("text/html", "image/svg+xml"):
            if mime in data:
                return [
                    nodes.raw(
                        "", data[mime], format="html", classes=["output", "text_html"]
                    )
                ]
        return [_block(app, data["text/plain"], "text_plain")]
    return []


def _picture(data: dict[str, str]) -> str:
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            alt = escape(data["text/plain"])
            return f'<img alt="{alt}" src="data:{mime};base64,{data[mime]}">'
    return ""


def _markdown(data: dict[str, str]) -> str:
    if "text/markdown" not in data:
        return ""
    from markdown_it import MarkdownIt  # comes with what reads a book's Markdown pages

    html: str = MarkdownIt("commonmark", {"html": False}).render(data["text/markdown"])
    return html


def _block(app: Any, text: str, kind: str) -> nodes.literal_block:
    language = "myst-ansi" if "myst_nb" in app.extensions else "none"
    return nodes.literal_block(text, text, language=language, classes=["output", kind])
