"""The scoreboard page: directive ``scoreboard`` and roles ``published``, ``param``.

``{scoreboard}`` draws one picture of all figures, and every row of
``published.toml`` with our figures, read from the notebooks' outputs at build time.
Nothing of ours is typed.

``{published}`A2:1.534 s` `` writes "1.534 s" and warns (which fails a build with
warnings as errors) unless that figure is in the row A2 of ``published.toml``.

``{param}`10 ms` `` marks a number that is a setting of an experiment rather than
a result. It writes its text; the guard of the prose accepts it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from html_elements import Html, add_html_node, element
from scoreboard_data import Claim, Row, ScoreboardError, Source, published_number
from scoreboard_picture import picture
from scoreboard_verdicts import (
    BUSY,
    DIFFERS,
    MODEL,
    NOT_YET,
    NOTHING,
    REPRODUCED,
    Judgement,
    Scoreboard,
)
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

logger = logging.getLogger(__name__)

#: A sign beside the word, so that a verdict does not rest on colour.
SIGNS = {
    REPRODUCED: "✓",
    MODEL: "✓",
    BUSY: "…",
    DIFFERS: "≠",
    NOTHING: "–",
    NOT_YET: "…",
}
CLASSES = {
    REPRODUCED: "reproduced",
    MODEL: "reproduced",
    BUSY: "not-yet",
    DIFFERS: "differs",
    NOTHING: "not-yet",
    NOT_YET: "not-yet",
}
#: It needs no script: the style of the page reads whether it is ticked.
FILTER = (
    '<p class="scoreboard-filter"><label><input type="checkbox"> '
    "Only the rows that differ</label></p>"
)
COLUMNS = ("Experiment", "Published", "Model", "Real", "Verdict", "Why")
#: The columns of our figures, and whether what stands there ran on a real loop.
OURS = {"Model": False, "Real": True}


def open_scoreboard(config: Any, srcdir: str | Path) -> Scoreboard:
    """Make the scoreboard from the paths in the configuration."""
    return Scoreboard(
        Path(srcdir, config.scoreboard_published),
        Path(srcdir, config.scoreboard_notebooks),
        Path(srcdir, config.scoreboard_references),
    )


class ScoreboardDirective(SphinxDirective):
    """One table an article, with a computed summary above them."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        where = self.get_location()
        try:
            board = open_scoreboard(self.config, self.env.srcdir)
            for path in board.dependencies:
                self.env.note_dependency(str(path))
            problems = board.problems()
        except (OSError, ScoreboardError) as error:
            logger.warning("scoreboard: %s", error, location=where)
            return [nodes.paragraph(text="The scoreboard cannot be drawn.")]
        for problem in problems:
            logger.warning("scoreboard: %s", problem, location=where)
        summary = nodes.paragraph(classes=["scoreboard-summary"])
        summary += nodes.strong(text=board.summary)
        drawn = f'<figure class="scoreboard-figure">{picture(board)}</figure>'
        out: list[nodes.Node] = [summary, nodes.raw("", drawn, format="html")]
        out.append(nodes.raw("", FILTER, format="html"))
        for source in board.sources:
            out += self.draw_source(board, source)
        return out

    def draw_source(self, board: Scoreboard, source: Source) -> list[nodes.Node]:
        judged = [j for j in board.judgements if j.row.source == source.key]
        titles = (element("th", t, scope="col", role="columnheader") for t in COLUMNS)
        head = element("thead", element("tr", *titles, role="row"), role="rowgroup")
        rows = (self.draw_row(board, item) for item in judged)
        caption = element("caption", f"{source.letter}. {source.title}")
        # Roles said aloud: the cards of a narrow screen are no longer laid out as
        # a table, and without them a browser would then no longer call it one.
        table = element(
            "table",
            caption,
            head,
            element("tbody", *rows, role="rowgroup"),
            classes=("cards", "scoreboard"),
            role="table",
        )
        machines = {board.machine(j.row, key) for j in judged for key in j.row.keys}
        machines -= {""}
        if not machines:
            return [table]
        text = f"Measured on: {'; '.join(sorted(machines))}."
        return [table, nodes.paragraph(text=text, classes=["scoreboard-machine"])]

    def draw_row(self, board: Scoreboard, judgement: Judgement) -> Html:
        row = judgement.row
        published = self.cell("Published")
        published += nodes.Text(f"{row.figures[0]} ")
        published += self.cite(row.source)
        word = element(
            "strong",
            element("span", f"{SIGNS[judgement.status]} ", aria_hidden="true"),
            judgement.status,
            classes=("verdict", CLASSES[judgement.status]),
        )
        header = element(
            "th",
            self.link(row),
            f" {row.run}",
            scope="row",
            role="rowheader",
            ids=f"scoreboard-{row.id.lower()}",
        )
        why, more = reason(judgement)
        reasons = self.cell("Why", why)
        if judgement.status != NOT_YET:
            reasons += self.compared(board, row, more)
        return element(
            "tr",
            header,
            published,
            *(self.ours(board, row, label) for label in OURS),
            self.cell("Verdict", word),
            reasons,
            role="row",
        )

    def link(self, row: Row) -> nodes.Node:
        """The id, as a link to the chapter once that is written.

        A further notebook of a chapter begins with the same number as its page.
        """
        number = row.stem.partition("_")[0]
        docs = sorted(self.env.found_docs)
        pages = [doc for doc in docs if doc == f"book/{row.stem}"] or [
            doc for doc in docs if doc.startswith(f"book/{number}_")
        ]
        if not pages:
            return nodes.inline(text=row.id)
        link = addnodes.pending_xref(
            "",
            nodes.inline(text=row.id),
            refdoc=self.env.docname,
            refdomain="std",
            refexplicit=True,
            reftarget=f"/{pages[0]}",
            reftype="doc",
            refwarn=True,
        )
        return nodes.inline("", "", link)

    def cell(self, label: str, *children: str | nodes.Node) -> Html:
        return element("td", *children, role="cell", data_label=label)

    def ours(self, board: Scoreboard, row: Row, label: str) -> Html:
        """The first figure of a column; the others are under the fold."""
        claims = [claim for claim in row.claims if claim.real == OURS[label]]
        figures = [figure for claim in claims if (figure := figured(board, row, claim))]
        return self.cell(label, *figures[:1])

    def compared(self, board: Scoreboard, row: Row, more: str) -> Html:
        """Folded away: the rest of the reason, every figure, and the tolerances."""
        lines = [element("li", more)] if more else []
        if row.figures[1:]:
            also = "; ".join(map(str, row.figures[1:]))
            lines.append(element("li", f"published as well: {also}"))
        for claim in row.claims:
            text = figured(board, row, claim) or claim.what or claim.keys[0]
            if claim.judged:
                text += f": {board.rule(claim)}"
                text += f": {claim.why}" if claim.why else ""
            lines.append(element("li", text))
        summary = element("summary", "All figures, and how they were compared")
        return element("details", summary, element("ul", *lines, classes=("rules",)))

    def cite(self, key: str) -> nodes.Node:
        """A link to the bibliography, where that extension is loaded."""
        if "sphinxcontrib.bibtex" not in self.env.app.extensions:
            return nodes.inline(text=f"[{key}]")
        cited, messages = self.parse_inline(f"{{cite:p}}`{key}`")
        return nodes.inline("", "", *cited, *messages)


def figured(board: Scoreboard, row: Row, claim: Claim) -> str:
    """A claim's figures with what they are; "" where its lab has none."""
    shown = board.shown(row, claim)
    return f"{shown} ({claim.what})" if shown and claim.what else shown


def reason(judgement: Judgement) -> tuple[str, str]:
    """One sentence that says why the verdict is what it is, and what else there is."""
    if judgement.status in {DIFFERS, NOTHING}:
        first, _, more = judgement.row.because.partition(". ")
        return first.rstrip("."), more
    if judgement.status == BUSY:
        return "other programs used the cores while it was measured", ""
    if judgement.status == NOT_YET:
        return "its lab is not written", ""
    first, _, more = judgement.row.agrees.partition(". ")
    return first.rstrip("."), more


class PublishedRole(SphinxRole):
    """A published figure in prose, checked against the data file."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        id_, colon, text = self.text.partition(":")
        id_, text = id_.strip(), text.strip()
        try:
            board = open_scoreboard(self.config, self.env.srcdir)
        except (OSError, ScoreboardError) as error:
            logger.warning("scoreboard: %s", error, location=self.get_location())
            return [nodes.inline(text=text)], []
        self.env.note_dependency(str(board.published))
        row = board.row(id_) if colon else None
        problem = ""
        if row is None:
            problem = f"{self.text!r} names no row; write {{published}}`A2:1.534 s`"
        elif not published_number(row, text):
            listed = "; ".join(map(str, row.figures))
            problem = (
                f"{text!r} is not a published figure of {id_}, which are: {listed}"
            )
        if problem:
            logger.warning("published: %s", problem, location=self.get_location())
        return [nodes.inline(text=text, classes=["published"])], []


class ParamRole(SphinxRole):
    """A setting of an experiment: its text as it stands."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.inline(text=self.text, classes=["param"])], []


def setup(app: Any) -> dict[str, Any]:
    """Register directive, roles and the paths of the data files."""
    add_html_node(app)
    app.add_config_value("scoreboard_published", "book/published.toml", "env")
    app.add_config_value("scoreboard_notebooks", "notebooks", "env")
    app.add_config_value("scoreboard_references", "book/references.bib", "env")
    app.add_directive("scoreboard", ScoreboardDirective)
    app.add_role("published", PublishedRole())
    app.add_role("param", ParamRole())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
