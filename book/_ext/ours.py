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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from jinja2 import Environment, FileSystemLoader
from lab_values import LabError, figure, open_lab, place_of
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ontime.figures import ranking

__all__ = ["LABS", "Drawn", "FigureRole", "filled_in"]

logger = logging.getLogger(__name__)

LABS = "notebooks"
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    trim_blocks=True,
)
BAR = re.compile(r"(?<!\\)\|")
NAMED = re.compile(r"\S*\*\S*")


class FigureRole(SphinxRole):
    """A figure in a sentence, which has the role's name as its class."""

    def __init__(self, read: Callable[[BuildEnvironment, str], str]) -> None:
        super().__init__()
        self.read = read  # raises what Drawn catches

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            text = self.read(self.env, self.text)
        except (LabError, OSError, ValueError) as error:
            logger.warning("%s: %s", self.name, error, location=self.get_location())
            text = self.text
        return [nodes.inline(text=text, classes=[self.name])], []


class Drawn(SphinxDirective):
    """What is drawn from the outputs of labs."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            return self.draw()
        except KeyError as error:
            problem: object = f"has no :{error.args[0]}:"
        except (LabError, OSError, ValueError) as error:
            problem = error
        logger.warning("%s: %s", self.name, problem, location=self.get_location())
        return [nodes.paragraph(text=f"The {self.name} cannot be drawn.")]

    def draw(self) -> list[nodes.Node]:
        """Draw it; a KeyError is an option that is missing."""
        raise NotImplementedError

    def rows(self, form: str) -> Iterator[list[str]]:
        """The columns of each line of the content."""
        for line in filter(None, map(str.strip, self.content)):
            yield _columns(line)
        if not any(map(str.strip, self.content)):
            raise LabError(f"has no rows: write {form} in each line")


def filled_in(template: str, **values: Any) -> str:
    """A file of ``templates``, filled in."""
    return TEMPLATES.get_template(template).render(**values)


def lab_of(env: BuildEnvironment, words: str) -> tuple[str, str]:
    """The lab that a page means, whose change draws the page again; and the key."""
    stem, key = place_of(words, env.docname.rpartition("/")[2])
    env.note_dependency(str(labs(env) / f"{stem}.ipynb"))
    return stem, key


def labs(env: BuildEnvironment) -> Path:
    return Path(env.srcdir, LABS)


def value(env: BuildEnvironment, words: str) -> str:
    """A value of the lab, in words."""
    stem, _ = lab_of(env, words.partition(":")[0])
    return figure(labs(env), words, stem)


class OursDirective(Drawn):
    """A picture or a table that the lab has made."""

    has_content = False
    required_arguments = 1

    def draw(self) -> list[nodes.Node]:
        stem, key = lab_of(self.env, self.arguments[0])
        html = open_lab(labs(self.env), stem).html(key)
        return [nodes.raw("", html, format="html")]


class ResultsDirective(Drawn):
    """A table with one row for each named result."""

    option_spec: ClassVar[dict[str, Any]] = {
        "head": directives.unchanged_required,
        "cells": directives.unchanged_required,
    }

    def draw(self) -> list[nodes.Node]:
        """The table in Markdown, each value as a role."""
        head, cells = (_columns(self.options[name]) for name in ("head", "cells"))
        for cell in cells:
            _with_star("the column", cell)
        typed = len(head) - len(cells)
        lines = [_line(head), _line(["---"] * typed + ["--:"] * len(cells))]
        for name, *labels in self.rows("a name and a label"):
            if not re.fullmatch(r"\w+", name):
                raise LabError(f"{name!r} is no name of a row: use letters, digits, _")
            if len(labels) not in (typed, len(head)):
                raise LabError(
                    f"the row {name!r} types {len(labels)} columns, not {typed}: "
                    f":head: has {len(head)} and :cells: fills {len(cells)}"
                )
            instead = labels[typed:] or [""] * len(cells)
            roles = (NAMED.sub(r"{ours}`\g<0>`", each) for each in cells)
            values = (
                text or role.replace("*", name)
                for role, text in zip(roles, instead, strict=True)
            )
            lines.append(_line([*labels[:typed], *values]))
        box = nodes.Element()
        # Two lines of head stand above the rows, which keep their places.
        source = StringList(lines, self.get_source_info()[0])
        self.state.nested_parse(source, self.content_offset - 2, box)
        return list(box.children)


class RankingDirective(Drawn):
    """A dot on a logarithmic axis for each named result."""

    option_spec: ClassVar[dict[str, Any]] = {
        "x": directives.unchanged_required,
        "value": directives.unchanged_required,
        "alt": directives.unchanged_required,
        "times": directives.positive_int,
    }

    def draw(self) -> list[nodes.Node]:
        """The picture as SVG."""
        axis, alt = self.options["x"], self.options["alt"]
        named, _, form = self.options["value"].partition(":")
        _with_star(":value:", named)
        rows = []
        for columns in self.rows("name | label | colour"):
            if len(columns) != 3:
                line = " | ".join(columns)
                raise LabError(f"{line!r} is no row: write name | label | colour")
            name, label, colour = columns
            text = value(self.env, f"{named.replace('*', name)}:.17g")
            rows.append((label, float(text) * self.options.get("times", 1), colour))
        values = "; ".join(f"{label}: {number:{form}}" for label, number, _ in rows)
        alt = f"{alt} ({axis}): {values}."
        svg = ranking(rows, x=axis, alt=alt, form=form).svg
        return [nodes.raw("", svg, format="html")]


def _with_star(what: str, text: str) -> None:
    if "*" not in text:
        raise LabError(f"{what} {text!r} has no *, which the name of a row replaces")


def _columns(text: str) -> list[str]:
    return [part.strip() for part in BAR.split(text)]


def _line(columns: list[str]) -> str:
    return f"| {' | '.join(columns)} |"


def setup(app: Any) -> dict[str, Any]:
    """Register role and directives."""
    app.add_role("ours", FigureRole(value))
    app.add_directive("ours", OursDirective)
    app.add_directive("results", ResultsDirective)
    app.add_directive("ranking", RankingDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
