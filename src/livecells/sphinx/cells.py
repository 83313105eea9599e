"""Find the live cells of a page, mark them, and give the page its script."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging

from . import bundle, livecell, results, slider
from .checks import check_options as check
from .imports import missing
from .index import write_index

__all__ = ["cell_ids", "mark", "register"]

logger = logging.getLogger(__name__)

# The second line is shown by livecells.css after some seconds, and its script takes it
# away: a page opened as a file, or a host that blocks scripts, shows it.
NOSCRIPT = (
    '<noscript><p class="livecells-noscript">Scripts are off in this browser: the '
    "cells of this page show the output of the build and do not run.</p></noscript>"
    '<p class="livecells-absent">The cells of this page have not become live. '
    "Was it opened as a file? A server is needed, such as "
    "<code>python -m http.server</code>. The outputs shown are the build's.</p>"
)
REASON = "livecell-reason"
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def register(app: Any) -> None:
    """Connect the handlers of this module."""
    app.connect("config-inited", check_options)
    app.connect("builder-inited", prepare)
    app.connect("doctree-read", mark)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", finish)


def check_options(app: Any, config: Any) -> None:
    """Stop at an option that cannot be meant so, with the value and the fix."""
    check(config)
    # The packages bring Markdown files, which are no pages of the book.
    folder = Path(app.srcdir, config.livecells_node_modules)
    folder = Path(os.path.relpath(folder, app.srcdir))
    if ".." not in folder.parts:
        config.exclude_patterns = [*config.exclude_patterns, f"{folder.as_posix()}/**"]
    if os.environ.get("LIVECELLS_ENABLED") == "0":
        config.livecells_enabled = False


def runs(app: Any) -> bool:
    """Whether this build makes pages that can run."""
    return bool(app.config.livecells_enabled) and app.builder.format == "html"


def prepare(app: Any) -> None:
    """Make the assets, or take them from the last build."""
    app.livecells_assets = bundle.prepare(app) if runs(app) else None


def _is_cell(node: nodes.Node) -> bool:
    return (
        isinstance(node, nodes.container)
        and node.attributes.get("nb_element") == "cell_code"
    )


def _is_live(node: nodes.Element) -> bool:
    return _is_cell(node) and "livecell" in node["classes"]


def _source(cell: nodes.Element) -> str:
    for node in cell.findall(nodes.literal_block):
        return str(node.astext())
    return ""


def _notebook_ids(path: Path) -> dict[int, str]:
    """The ids that a notebook file gives its cells, by position."""
    if path.suffix != ".ipynb":
        return {}  # a text notebook has no ids; its reader invents new ones each time
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {
        position: cell["id"]
        for position, cell in enumerate(cells)
        if isinstance(cell, dict) and isinstance(cell.get("id"), str)
    }


def cell_ids(
    wanted: list[str | None], sources: list[str], taken: Collection[str] = ()
) -> list[str]:
    """A stable, unique id for each cell of a page.

    Args:
        wanted: the ids that the cells bring along, None where there is none.
        sources: the code of the cells, from which a missing id is made.
        taken: ids that the page already uses for something else.
    """
    ids: list[str] = []
    for want, source in zip(wanted, sources, strict=True):
        if want is None or not VALID_ID.fullmatch(want):
            text = source.strip().encode()
            want = "code-" + hashlib.sha256(text).hexdigest()[:8]
        number, unique = 1, want
        while unique in ids or unique in taken:
            number += 1
            unique = f"{want}-{number}"
        ids.append(unique)
    return ids


def _lacks(app: Any, cell: nodes.container, name: str) -> bool:
    """Whether the cell imports what a page cannot have; a warning says what."""
    made = getattr(app, "livecells_assets", None)
    if made is None:
        return False
    lacking = list(missing(_source(cell), made.packages, made.modules, made.without))
    for module, line in lacking:
        logger.warning(
            "live cell %r imports %s in line %s, which a page cannot have: take the "
            "tag away, or name a pure Python wheel in livecells_wheels",
            name,
            module,
            line,
            location=cell,
        )
    return bool(lacking)


def give_reasons(app: Any, doctree: nodes.document) -> None:
    """Say at the foot of a cell's code why it does not run in the page."""
    reasons = app.config.livecells_reasons
    for cell in doctree.findall(nodes.container):
        if not _is_cell(cell) or not _source(cell) or "livecell" in cell["classes"]:
            continue
        tags = cell.get("cell_metadata", {}).get("tags", ())
        text = next((reasons[tag] for tag in reasons if tag in tags), None)
        if text is not None:
            html = f'<p class="{REASON}">{escape(text)}</p>'
            cell[0] += nodes.raw("", html, format="html")  # folded away with the code


def mark(app: Any, doctree: nodes.document) -> None:
    """Make the page's cells live, and say of the others why they are not."""
    mark_live(app, doctree)
    if app.config.livecells_enabled:
        give_reasons(app, doctree)


def mark_live(app: Any, doctree: nodes.document) -> None:
    """Give each live cell of the page its class, its id and, if written in a page, its
    output."""
    tag = app.config.livecells_tag
    # An output may be hidden, but a cell whose code is not on the page cannot run.
    live = [
        cell
        for cell in doctree.findall(nodes.container)
        if _is_cell(cell)
        and tag in cell.get("cell_metadata", {}).get("tags", ())
        and _source(cell)
    ]
    if not live:
        return
    given = _notebook_ids(Path(app.env.doc2path(app.env.docname)))
    wanted = [
        cell.get("livecell_name")
        or cell.get("cell_metadata", {}).get("name")
        or given.get(cell.get("cell_index", -1))
        for cell in live
    ]
    taken = {
        name.removeprefix("cell-")
        for node in doctree.findall(nodes.Element)
        for name in node["ids"]
    }
    names = cell_ids(wanted, [_source(cell) for cell in live], taken)
    livecell.execute(app, live, names)
    if not app.config.livecells_enabled:
        return
    able = [pair for pair in zip(live, names, strict=True) if not _lacks(app, *pair)]
    if not able:
        return
    for cell, name in able:
        cell["classes"].append("livecell")
        cell["ids"].insert(0, f"cell-{name}")
    first, _ = able[0]
    place = first.parent.index(first)
    first.parent.insert(place, nodes.raw("", NOSCRIPT, format="html"))


def add_scripts(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page with live cells or explorables its script, style and settings."""
    made = getattr(app, "livecells_assets", None)
    if made is None or doctree is None:
        return
    has_cells = any(
        "livecell" in n["classes"] for n in doctree.findall(nodes.container)
    )
    has_sliders = any(doctree.findall(slider.ExplorableFigure))
    base = f"livecells/{made.version}/"
    if has_cells or any(REASON in raw.astext() for raw in doctree.findall(nodes.raw)):
        app.add_css_file(base + "livecells.css")
    if not has_cells and not has_sliders:
        return
    root = context["pathto"]("_static/" + base, resource=1)
    settings = made.settings(root, limit=app.config.livecells_output_limit)
    if notebook := _notebook(app, page, context, doctree):
        settings["notebook"] = notebook
    sources = [_source(c) for c in doctree.findall(nodes.container) if _is_live(c)]
    if index := write_index(app, sources):
        settings["index"] = context["pathto"](f"_static/{index}", resource=1)
    text = json.dumps(settings, sort_keys=True).replace("</", "<\\/")
    app.add_js_file(None, body=text, type="application/json", id="livecells-config")
    if has_cells:
        app.add_js_file(base + "livecells.js", type="module")
    if has_sliders:
        app.add_css_file(base + "explorable.css")
        app.add_js_file(base + "explorable.js", type="module")


def _notebook(
    app: Any, page: str, context: dict[str, Any], doctree: nodes.document
) -> dict[str, Any] | None:
    """Where the page's notebook lies, and where its live cells are in it."""
    path = Path(app.env.doc2path(page))
    source = context.get("sourcename")
    if path.suffix != ".ipynb" or not app.config.html_copy_source or not source:
        return None
    places = {
        cell["ids"][0].removeprefix("cell-"): cell["cell_index"]
        for cell in doctree.findall(nodes.container)
        if "livecell" in cell["classes"] and cell.get("cell_index", -1) >= 0
    }
    address = context["pathto"](f"_sources/{source}", resource=1)
    return {"address": address, "name": path.name, "cells": places}


def finish(app: Any, error: Exception | None) -> None:
    """Put the assets beside the pages."""
    made = getattr(app, "livecells_assets", None)
    if error is None and made is not None:
        results.forget_old(bundle.cache_folder(app) / "results")
        made.install(Path(app.outdir) / "_static" / "livecells")
