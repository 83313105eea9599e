"""The labs and extra exercises in JupyterLite, in ``lite`` of the built site.

A lab gets there as a copy that can be run from the first cell to the last. Cells that
run in the page run in it too, and both packages are installed when its kernel starts.
The other cells keep their code and their outputs, but begin with ``%%elsewhere`` and
the sentence that the page has below them. A first cell, in the copy only, makes that a
magic that shows the sentence.

The pages of the labs hold a mark where a link to the copy can stand (see
``book/_ext/lab_links.py``). It becomes a link here, so that a site without JupyterLite
has no link to it.
"""

from __future__ import annotations

import html
import json
import re
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from livecells.sphinx.wheels import describe, make_wheel
from ontime.handout import copy_of as handed_out
from ontime.handout import labs_of
from tools import lite
from tools.common import ROOT, ToolError, ended, say
from tools.site import build

__all__ = ["FOLDER", "add", "copy_of", "links"]

FOLDER = "lite"
NOTE = """\
**This copy of the lab runs in your browser**, with Python and the book's packages on
board. Cells that begin with `%%elsewhere` do not: they say why, and keep the output of
the book until you run them. What you change stays in this browser; *File › Download*
gives you the notebook.
"""
FIRST = """\
from IPython.core.magic import register_cell_magic

@register_cell_magic
def elsewhere(why, code):
    print(why)
"""
KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
MARK = re.compile(r"<!--open-lite ([^\s>]+)((?: \w+)*)-->")
BOOK_LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+\w+/[^)\s]*\)")


def copy_of(notebook: Mapping[str, Any], reasons: Mapping[str, str]) -> dict[str, Any]:
    """The copy of a lab that JupyterLite opens.

    Args:
        notebook: the lab, as JSON holds it.
        reasons: why a cell does not run in a browser, for each tag.

    Raises:
        ToolError: A cell has neither the tag ``live`` nor one with a reason.
    """
    cells = [_cell("markdown", "open-lite-note", NOTE)]
    cells.append(_cell("code", "open-lite-first", FIRST))
    for cell in notebook["cells"]:
        copied = json.loads(json.dumps(cell))
        source = "".join(cell["source"])
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "markdown":
            source = BOOK_LINK.sub(r"*\1*", source)  # the book is no file in there
        elif cell["cell_type"] == "code" and "live" not in tags:
            if "remove-cell" in tags:
                continue  # hands a figure to the pages of the book
            why = next((reasons[tag] for tag in reasons if tag in tags), None)
            if why is None:
                raise ToolError(
                    f"cell {cell['id']} has none of the tags live, "
                    f"{', '.join(reasons)}: give it one."
                )
            source = f"%%elsewhere {why}\n{source}"
        if cell["cell_type"] == "code":
            copied["metadata"]["trusted"] = True  # or its pictures would not be shown
        if "hide-cell" in tags:  # a solution
            hidden = {"source_hidden": True, "outputs_hidden": True}
            copied["metadata"]["jupyter"] = hidden
        copied["source"] = source.splitlines(keepends=True)
        cells.append(copied)
    metadata = {**notebook["metadata"], "kernelspec": KERNEL}
    return {**notebook, "cells": cells, "metadata": metadata}


def _cell(kind: str, name: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
        cell["metadata"] = {"trusted": True}
    return {**cell, "source": source.strip().splitlines(keepends=True)}


def links(page: str) -> str:
    """A page with its mark turned into a link; one without a mark stays as it is."""

    def link(mark: re.Match[str]) -> str:
        address = html.escape(html.unescape(mark[1]))
        words = f"Open in JupyterLite{mark[2]}"
        return f'<a class="lab-link" href="{address}">{words}</a>'

    return MARK.sub(link, page)


def settings(root: Path) -> dict[str, Any]:
    """What ``_config.yml`` says to Sphinx."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)["sphinx"]["config"])


def add(site: Path, root: Path = ROOT) -> int:
    """Put JupyterLite with all labs into a built site, and links to it on its pages.

    Returns:
        How many labs have a link.

    Raises:
        ToolError: Something could not be downloaded or built, or a page has no mark.
    """
    config = settings(root)
    labs = sorted((root / "notebooks").glob("*.ipynb"))
    copies = {lab.name: json.loads(lab.read_text("utf-8")) for lab in labs}
    for lab in labs_of("all", folder=root / "notebooks"):
        copies[f"{lab.name[:2]}_class{lab.name[2:]}"] = handed_out(lab)
    with tempfile.TemporaryDirectory() as scrap:
        files, made = Path(scrap, "files"), Path(scrap, "wheels")
        files.mkdir()
        made.mkdir()
        for name, notebook in copies.items():
            text = json.dumps(copy_of(notebook, config["livecells_reasons"]), indent=1)
            (files / name).write_text(text + "\n", encoding="utf-8")
        wheels = [make_wheel(root / path, made) for path in config["livecells_wheels"]]
        described = describe([(wheel.name, wheel) for wheel in wheels])
        packages = [
            lite.Package(wheel, about["needs"])
            for wheel, about in zip(wheels, described, strict=True)
        ]
        out = site / FOLDER
        lite.build(out, ["lab"], files=files, packages=packages, root=root)
    for lab in labs:
        page = site / "notebooks" / f"{lab.stem}.html"
        text = page.read_text(encoding="utf-8")
        linked = links(text)
        if f"{FOLDER}/lab/index.html?path={lab.name}" not in linked:
            raise ToolError(f"{page} has no place for the link: build the site again.")
        page.write_text(linked, encoding="utf-8")
    return len(labs)


def main() -> None:
    """Build the site if it is not built yet, and add JupyterLite to it."""
    site = build(Path(sys.prefix), ROOT)
    started = time.monotonic()
    count = add(site)
    size = sum(file.stat().st_size for file in site.joinpath(FOLDER).rglob("*"))
    say(
        f"JupyterLite with {count} labs is in {site.relative_to(ROOT)}/{FOLDER} "
        f"({size / 1e6:.0f} MB, {time.monotonic() - started:.0f} s)."
    )


if __name__ == "__main__":
    sys.exit(ended(main))
