"""Small books for the tests of the extension, built in this process."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tools.common import ROOT

MODULES = ROOT / "node_modules"
BUILT = ROOT / "_build" / ".livecells"  # what the build of this book keeps
#: The options of this book, and those of them that any book here has, too: what their
#: assets have in common is then made once, by the build of this book.
OPTIONS = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
COMMON = {
    "livecells_node_modules": str(MODULES),
    "livecells_pyodide": str(MODULES / "pyodide"),
    "livecells_without": OPTIONS["livecells_without"],
}

#: The module of a figure with a slider, and a page with it.
MODULE = """
from livecells import Explorable, Frame

def explorable():
    frames = [Frame(f'<svg height="20" aria-hidden="true"><g id="f{n}"/></svg>',
                    f"It is <{n}> wide.") for n in (1, 5, 9)]
    return Explorable("Width & more", "Width", "cm", (1, 5, 9), frames, 5,
                      live="n = 5\\nprint(n * 2)", style=".w{fill:red}")

def broken():
    return 1 / 0
"""
FIGURE = "# Page\n\n```{explorable} mine:explorable\n:id: width\n```\n"


def copy_common(made: Path, cache: Path) -> None:
    """Put what does not depend on a book's own packages into another cache."""
    shutil.copytree(made / "common", cache / "common")
    shutil.copyfile(made / "common.json", cache / "common.json")


def notebook(*cells: dict[str, Any], **more: Any) -> str:
    """A notebook file; see :func:`code` and :func:`text`."""
    return json.dumps(
        {
            "cells": list(cells),
            "metadata": {
                "kernelspec": {"name": "python3", "display_name": "Python 3"},
                "language_info": {"name": "python", "pygments_lexer": "ipython3"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
            **more,
        }
    )


def code(
    source: str,
    id: str | None = None,  # noqa: A002 - the name in the file
    tags: Iterable[str] = ("live",),
    outputs: Iterable[dict[str, Any]] = (),
    **metadata: Any,
) -> dict[str, Any]:
    """A code cell."""
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {"tags": list(tags), **metadata},
        "outputs": list(outputs),
        "source": source,
    }
    return cell if id is None else {**cell, "id": id}


def text(source: str, id: str = "text") -> dict[str, Any]:  # noqa: A002
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, "id": id}


def printed(words: str) -> dict[str, Any]:
    """The output of a print()."""
    return {"output_type": "stream", "name": "stdout", "text": words}


class Built:
    """A finished book."""

    def __init__(self, out: Path, warnings: str) -> None:
        self.out, self.warnings = out, warnings

    def page(self, name: str = "index") -> str:
        """The HTML of a page."""
        return (self.out / f"{name}.html").read_text(encoding="utf-8")

    def settings(self, name: str = "index") -> dict[str, Any]:
        """The settings that the page gives its script."""
        found = re.search(
            r'<script id="livecells-config" type="application/json">(.*?)</script>',
            self.page(name),
            re.S,
        )
        assert found, "the page has no settings"
        return dict(json.loads(found[1]))


class Shelf:
    """Builds books that share one cache, so that the assets are made once."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.count = 0

    def build(
        self,
        files: dict[str, str],
        builder: str = "html",
        parallel: int = 1,
        **config: Any,
    ) -> Built:
        """Build a book of these files."""
        self.count += 1
        source, out = (self.folder / f"{self.count}-{w}" for w in ("source", "out"))
        for name, content in files.items():
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        options = {
            "extensions": ["myst_nb", "livecells"],
            "nb_execution_mode": "off",
            "nb_merge_streams": True,
            "html_theme": "basic",
            "exclude_patterns": ["**.py"],
            # Extensions add to this dict; the default one is shared by all books that
            # one process builds.
            "source_suffix": {".rst": "restructuredtext"},
            "livecells_cache": str(self.cache),
            **COMMON,
            **config,
        }
        warnings = io.StringIO()
        with patch_docutils(str(source)), docutils_namespace():
            app = Sphinx(
                srcdir=source,
                confdir=None,
                outdir=out,
                doctreedir=self.folder / f"{self.count}-doctrees",
                buildername=builder,
                confoverrides=options,
                status=None,
                warning=warnings,
                freshenv=True,
                parallel=parallel,
            )
            app.build(force_all=True)
        heard = re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())
        return Built(out, heard)
