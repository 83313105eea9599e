"""Our figures on a page: role ``ours``; directives ``ours``, ``results``, ``ranking``.

All of them read the outputs of the page's own lab, the notebook of the same stem: for
``book/04_late_heartbeat.md`` it is ``notebooks/04_late_heartbeat.ipynb``. Another lab
is named before a slash: ``01_nest_asyncio/ratio``.

``{ours}`A2_lateness:.3f` `` writes a value, in a format of Python. A text and a whole
number need no format.

``{ours} wake_picture``, as a directive, shows a picture or a table that the lab made.

``{results}`` draws a table with a row for each named result::

    ```{results}
    :head: way of reading | seconds | CPU seconds
    :cells: C7_*_real:.3f | C7_*_cpu_real:.3f

    plain | plainly, on the loop
    pool  | each file through a pool of four
    ```

A row is a name and the columns that are typed. The columns of ``cells`` follow, where
the row's name stands for ``*``; in a cell with words, such as ``*_low to *_high``, each
word with a ``*`` is a value. A row that types all columns leaves those empty that the
lab fills, and says in the others what stands there instead: ``–`` for what cannot be.

``{ranking}`` draws the named results as dots on a logarithmic axis, one a row::

    ```{ranking}
    :x: a message there and back, ms
    :value: message_*:.3f
    :alt: The time of a message for each way to wait

    poll  | poll      | orange
    queue | the queue | blue
    ```

A row is a name, a label and a colour of the book. ``times: 100`` multiplies the values,
which makes shares per cent. The values are said in the text alternative, too.

A value that is missing is a warning, which fails a build with warnings as errors. It
names the page, the lab, the key and the keys near it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from lab_values import Lab, LabError, find_lab, read_lab
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ontime.figures import ranking

logger = logging.getLogger(__name__)

BAR = re.compile(r"(?<!\\)\|")
NAMED = re.compile(r"\S*\*\S*")
ROW_NAME = re.compile(r"\w+")


def open_lab(env: BuildEnvironment, words: str) -> tuple[Lab, str]:
    """The lab that a page means, and the words without the lab's name.

    The page is drawn again when the lab changes, or appears.

    Raises:
        LabError: There is no such lab.
    """
    stem, slash, rest = words.rpartition("/")
    if not slash:
        stem = env.docname.rpartition("/")[2]
    folder = Path(env.srcdir, env.config.ours_labs)
    env.note_dependency(str(folder / f"{stem}.ipynb"))
    try:
        path = find_lab(folder, stem)
    except LabError as error:
        if slash:
            raise
        raise LabError(
            f"{error}; this page has no lab of its own, so name one before a slash: "
            f"04_late_heartbeat/{rest}"
        ) from None
    return read_lab(path), rest


class OursRole(SphinxRole):
    """A value of the lab in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        words, _, spec = self.text.partition(":")
        try:
            lab, key = open_lab(self.env, words.strip())
            text = lab.text(key, spec.strip())
        except LabError as error:
            logger.warning("ours: %s", error, location=self.get_location())
            text = self.text
        return [nodes.inline(text=text, classes=["ours"])], []


class OursDirective(SphinxDirective):
    """A picture or a table that the lab has made."""

    has_content = False
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            lab, key = open_lab(self.env, self.arguments[0])
            html = lab.html(key)
        except LabError as error:
            logger.warning("ours: %s", error, location=self.get_location())
            return [nodes.paragraph(text=f"There is no {self.arguments[0]}.")]
        return [nodes.raw("", html, format="html")]


class ResultsDirective(SphinxDirective):
    """A table with one row for each named result."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "head": directives.unchanged_required,
        "cells": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        try:
            lines = self.draw()
        except LabError as error:
            logger.warning("results: %s", error, location=self.get_location())
            return [nodes.paragraph(text="The results cannot be drawn.")]
        box = nodes.Element()
        # Two lines of head stand above the rows, which keep their places.
        source = StringList(lines, self.get_source_info()[0])
        self.state.nested_parse(source, self.content_offset - 2, box)
        return list(box.children)

    def draw(self) -> list[str]:
        """The table in Markdown, each value as a role."""
        for option in ("head", "cells"):
            if option not in self.options:
                raise LabError(f"has no :{option}:, the columns divided by |")
        head, cells = (_columns(self.options[name]) for name in ("head", "cells"))
        for cell in cells:
            if "*" not in cell:
                raise LabError(
                    f"the column {cell!r} of :cells: has no *, which the name of a "
                    "row replaces"
                )
        typed = len(head) - len(cells)
        lines = [_line(head), _line(["---"] * typed + ["--:"] * len(cells))]
        for line in filter(None, map(str.strip, self.content)):
            name, *labels = _columns(line)
            if not ROW_NAME.fullmatch(name):
                raise LabError(f"{name!r} is no name of a row: use letters, digits, _")
            filled = labels[typed:] or [""] * len(cells)
            if len(labels) not in (typed, len(head)):
                raise LabError(
                    f"the row {name!r} types {len(labels)} columns, not {typed}: "
                    f":head: has {len(head)} and :cells: fills {len(cells)}"
                )
            values = (
                instead or _named(cell, name)
                for cell, instead in zip(cells, filled, strict=True)
            )
            lines.append(_line([*labels[:typed], *values]))
        if len(lines) == 2:
            raise LabError("has no rows: write a name and a label in each line")
        return lines


class RankingDirective(SphinxDirective):
    """A dot on a logarithmic axis for each named result."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "x": directives.unchanged_required,
        "value": directives.unchanged_required,
        "alt": directives.unchanged_required,
        "times": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        try:
            svg = self.draw()
        except (LabError, ValueError) as error:
            logger.warning("ranking: %s", error, location=self.get_location())
            return [nodes.paragraph(text="The results cannot be drawn.")]
        return [nodes.raw("", svg, format="html")]

    def draw(self) -> str:
        """The picture as SVG."""
        for option in ("x", "value", "alt"):
            if option not in self.options:
                raise LabError(f"has no :{option}:")
        named, _, form = self.options["value"].partition(":")
        if "*" not in named:
            raise LabError(
                f":value: is {named!r} and has no *, which the name of a row replaces"
            )
        rows = []
        for line in filter(None, map(str.strip, self.content)):
            columns = _columns(line)
            if len(columns) != 3:
                raise LabError(f"{line!r} is no row: write name | label | colour")
            name, label, colour = columns
            lab, key = open_lab(self.env, named.replace("*", name))
            value = float(lab.text(key, ".17g")) * self.options.get("times", 1)
            rows.append((label, value, colour))
        if not rows:
            raise LabError("has no rows: write name | label | colour in each line")
        values = "; ".join(f"{label}: {value:{form}}" for label, value, _ in rows)
        alt = f"{self.options['alt']} ({self.options['x']}): {values}."
        return ranking(rows, x=self.options["x"], alt=alt, form=form).svg


def _columns(text: str) -> list[str]:
    return [part.strip() for part in BAR.split(text)]


def _line(columns: list[str]) -> str:
    return f"| {' | '.join(columns)} |"


def _named(cell: str, name: str) -> str:
    return NAMED.sub(lambda word: f"{{ours}}`{word[0].replace('*', name)}`", cell)


def setup(app: Any) -> dict[str, Any]:
    """Register role and directives, and the folder of the labs."""
    app.add_config_value("ours_labs", "notebooks", "env")
    app.add_role("ours", OursRole())
    app.add_directive("ours", OursDirective)
    app.add_directive("results", ResultsDirective)
    app.add_directive("ranking", RankingDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
