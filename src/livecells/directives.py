"""Directives for Markdown pages: cells, figures with sliders, options and sizes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import assets
from .options import OPTIONS

__all__ = ["ExplorableFigure", "execute", "register"]

logger = logging.getLogger(__name__)

HERE = Path(__file__).parent
MAKE = "import sys; from livecells.explorable import main; sys.exit(main(sys.argv[1:]))"


def register(app: Any) -> None:
    """Add the directives, their node and what an environment has to remember."""
    app.add_node(ExplorableFigure, html=(_visit_html, _depart))
    app.add_post_transform(FigureAsText)
    app.add_directive("livecell", LiveCell)
    app.add_directive("explorable", ExplorableDirective)
    app.add_directive("livecells-options", OptionsDirective)
    app.add_directive("livecells-sizes", SizesDirective)


def python(app: Any, words: list[str], text: str, folders: list[Path]) -> str:
    """Run Python in a process of its own and return what it printed.

    Raises:
        RuntimeError: it failed or took too long; the message says which.
    """
    limit = app.config.livecells_timeout
    path = [str(folder) for folder in [*folders, HERE.parent]]
    environ = {**os.environ, "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}
    environ["PYTHONPATH"] = os.pathsep.join(
        [*path, *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    try:
        done = subprocess.run(
            [sys.executable, *words],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=environ,
            cwd=app.srcdir,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(
            f"it ran longer than {limit:g} s: mend the loop, or raise livecells_timeout"
        ) from None
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
    return done.stdout


def code_files(app: Any) -> list[Path]:
    """The files on which a result of the book's own code depends."""
    files = sorted(HERE.glob("*.py"))
    for named in app.config.livecells_wheels:
        path = Path(app.srcdir, str(named))
        files += assets.project_files(path) if path.is_dir() else [path]
    return [file for file in files if file.is_file()]


def remembered(app: Any, key: str, files: list[Path], make: Any) -> Any:
    """``make()``, or what it returned for the same ``key`` and ``files``."""
    if not hasattr(app, "livecells_digests"):
        app.livecells_digests = {}
    total = hashlib.sha256(f"{key}\0{sys.version}".encode())
    for file in files:
        if file not in app.livecells_digests:
            app.livecells_digests[file] = hashlib.sha256(file.read_bytes()).digest()
        total.update(f"{file.name}\0".encode() + app.livecells_digests[file])
    store = assets.cache_folder(app) / "results"
    kept = store / f"{total.hexdigest()[:32]}.json"
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        kept.touch()  # the oldest are taken away
        return found
    except (OSError, ValueError):
        pass
    made = make()
    store.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(made), encoding="utf-8")
    fresh.replace(kept)
    return made


def forget_old(store: Path, keep: int = 100) -> None:
    """Take results away that no build has used for long."""
    found = sorted(store.glob("*.json"), key=lambda file: file.stat().st_mtime)
    for file in found[:-keep]:
        file.unlink(missing_ok=True)


# ---------------------------------------------------------------- {livecell}


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
            lambda: json.loads(python(app, [str(HERE / "runner.py")], text, [])),
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
        for mime in ("text/html", "image/svg+xml"):
            if mime in data:
                return [
                    nodes.raw(
                        "", data[mime], format="html", classes=["output", "text_html"]
                    )
                ]
        return [_block(app, data["text/plain"], "text_plain")]
    return []


def _block(app: Any, text: str, kind: str) -> nodes.literal_block:
    language = "myst-ansi" if "myst_nb" in app.extensions else "none"
    return nodes.literal_block(text, text, language=language, classes=["output", kind])


# ---------------------------------------------------------------- {explorable}


class ExplorableFigure(nodes.General, nodes.Element):
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


def _visit_html(self: Any, node: ExplorableFigure) -> None:
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


def _depart(self: Any, node: ExplorableFigure) -> None:
    """Nothing is left open."""


# ---------------------------------------------------------------- for the documentation


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
