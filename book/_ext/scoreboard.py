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
from ours import LABS, Drawn, FigureRole
from scoreboard_picture import picture
from scoreboard_verdicts import (
    BUSY,
    DIFFERS,
    MODEL,
    NOT_YET,
    NOTHING,
    REPRODUCED,
    Claim,
    Judgement,
    Row,
    Scoreboard,
    Source,
)
from sphinx import addnodes

#: The class of a verdict, and a sign beside the word: it does not rest on colour.
LOOKS = {
    REPRODUCED: ("reproduced", "✓"),
    MODEL: ("reproduced", "✓"),
    BUSY: ("not-yet", "…"),
    DIFFERS: ("differs", "≠"),
    NOTHING: ("not-yet", "–"),
    NOT_YET: ("not-yet", "…"),
}
#: It needs no script: the style of the page reads whether it is ticked.
FILTER = (
    '<p class="scoreboard-filter"><label><input type="checkbox"> '
    "Only the rows that differ</label></p>"
)
COLUMNS = ("Experiment", "Published", "Model", "Real", "Verdict", "Why")
PUBLISHED = "book/published.toml"


class Html(nodes.General, nodes.TextElement):
    """One HTML element, for a table that docutils cannot draw.

    It writes no ``scope`` on header cells and no ``data-`` attributes; both are needed
    for a table that a screen reader can follow and that folds into cards on a narrow
    screen. Its text is in the document tree, so that search and citations still work.
    """


def element(tag: str, *children: Any, **attributes: Any) -> Html:
    """An HTML element: ``element("td", "text", scope="row", classes=["x"])``.

    Attribute names have ``_`` where HTML has ``-`` (``data_label``).
    """
    own = {name: attributes.pop(name, []) for name in ("classes", "ids")}
    node = Html(tag=tag, **own)
    node["html"] = {name.replace("_", "-"): text for name, text in attributes.items()}
    for child in children:
        node += nodes.Text(child) if isinstance(child, str) else child
    return node


def visit_html(self: Any, node: Html) -> None:
    self.body.append(self.starttag(node, node["tag"], "", **node["html"]))


def depart_html(self: Any, node: Html) -> None:
    self.body.append(f"</{node['tag']}>\n")


def open_scoreboard(srcdir: str | Path) -> Scoreboard:
    """The scoreboard of a book."""
    return Scoreboard(Path(srcdir, PUBLISHED), Path(srcdir, LABS))


class ScoreboardDirective(Drawn):
    """One table an article, with a picture and a computed summary above them."""

    has_content = False

    def draw(self) -> list[nodes.Node]:
        self.board = board = open_scoreboard(self.env.srcdir)
        # A notebook that does not exist yet draws the page anew when it appears.
        stems = {row.stem for row in board.rows} | set(board.labs)
        for path in (PUBLISHED, *(f"{LABS}/{stem}.ipynb" for stem in stems)):
            self.env.note_dependency(str(Path(self.env.srcdir, path)))
        summary = nodes.paragraph(classes=["scoreboard-summary"])
        summary += nodes.strong(text=board.summary)
        drawn = f'<figure class="scoreboard-figure">{picture(board)}</figure>'
        out = [summary, *(nodes.raw("", h, format="html") for h in (drawn, FILTER))]
        for source in board.sources:
            out += self.draw_source(source)
        return out

    def draw_source(self, source: Source) -> list[nodes.Node]:
        board = self.board
        judged = [j for j in board.judgements if j.row.source == source.key]
        titles = (element("th", t, scope="col", role="columnheader") for t in COLUMNS)
        # Roles said aloud: the cards of a narrow screen are no longer laid out as
        # a table, and without them a browser would then no longer call it one.
        table = element(
            "table",
            element("caption", f"{source.letter}. {source.title}"),
            element("thead", element("tr", *titles, role="row"), role="rowgroup"),
            element("tbody", *map(self.draw_row, judged), role="rowgroup"),
            classes=["cards", "scoreboard"],
            role="table",
        )
        reads = [(j.row, key) for j in judged for c in j.row.claim for key in c.reads]
        machines = {board.machine(row, key) for row, key in reads} - {""}
        if not machines:
            return [table]
        text = f"Measured on: {'; '.join(sorted(machines))}."
        return [table, nodes.paragraph(text=text, classes=["scoreboard-machine"])]

    def draw_row(self, judgement: Judgement) -> Html:
        row, (look, sign) = judgement.row, LOOKS[judgement.status]
        cited, messages = self.parse_inline(f"{{cite:p}}`{row.source}`")
        mark = element("span", f"{sign} ", aria_hidden="true")
        classes = ["verdict", look]
        why, more = reason(judgement)
        folded = [self.compared(row, more)] if judgement.status != NOT_YET else []
        return element(
            "tr",
            element(
                "th",
                self.link(row),
                f" {row.run}",
                scope="row",
                role="rowheader",
                ids=[f"scoreboard-{row.id.lower()}"],
            ),
            cell(
                "Published",
                f"{row.published[0]} ",
                nodes.inline("", "", *cited, *messages),
            ),
            cell("Model", *self.ours(row, real=False)),
            cell("Real", *self.ours(row, real=True)),
            cell("Verdict", element("strong", mark, judgement.status, classes=classes)),
            cell("Why", why, *folded),
            role="row",
        )

    def link(self, row: Row) -> nodes.Node:
        """The id, as a link to the chapter once that is written.

        A further notebook of a chapter begins with the same number as its page.
        """
        begins = f"book/{row.stem.partition('_')[0]}_"
        docs = sorted(self.env.found_docs)
        pages = [doc for doc in docs if doc == f"book/{row.stem}"]
        pages += [doc for doc in docs if doc.startswith(begins)]
        name = nodes.inline(text=row.id)
        if not pages:
            return name
        link = addnodes.pending_xref(
            "",
            name,
            refdoc=self.env.docname,
            refdomain="std",
            refexplicit=True,
            reftarget=f"/{pages[0]}",
            reftype="doc",
            refwarn=True,
        )
        return nodes.inline("", "", link)

    def ours(self, row: Row, real: bool) -> list[str]:
        """The first figure, of a real loop or of a model; the others are folded."""
        texts = (self.figured(row, c) for c in row.claim if c.real is real)
        return list(filter(None, texts))[:1]

    def figured(self, row: Row, claim: Claim) -> str:
        """A claim's figures with what they are; "" where its lab has none."""
        shown = self.board.shown(row, claim)
        return f"{shown} ({claim.what})" if shown and claim.what else shown

    def compared(self, row: Row, more: str) -> Html:
        """Folded away: the rest of the reason, every figure, and the tolerances."""
        lines = [more] if more else []
        if row.published[1:]:
            also = "; ".join(map(str, row.published[1:]))
            lines.append(f"published as well: {also}")
        for claim in row.claim:
            text = self.figured(row, claim) or claim.what or claim.keys[0]
            if claim.judged:
                text += f": {self.board.rule(claim)}"
                text += f": {claim.why}" if claim.why else ""
            lines.append(text)
        summary = element("summary", "All figures, and how they were compared")
        items = (element("li", line) for line in lines)
        return element("details", summary, element("ul", *items, classes=["rules"]))


def cell(label: str, *children: str | nodes.Node) -> Html:
    return element("td", *children, role="cell", data_label=label)


def reason(judgement: Judgement) -> tuple[str, str]:
    """One sentence that says why the verdict is what it is, and what else there is."""
    if judgement.status == BUSY:
        return "other programs used the cores while it was measured", ""
    if judgement.status == NOT_YET:
        return "its lab is not written", ""
    differs = judgement.status in {DIFFERS, NOTHING}
    text = judgement.row.because if differs else judgement.row.agrees
    first, _, more = text.partition(". ")
    return first.rstrip("."), more


def published(env: Any, words: str) -> str:
    """A published figure in prose, checked against the data file."""
    env.note_dependency(str(Path(env.srcdir, PUBLISHED)))
    return open_scoreboard(env.srcdir).published_figure(words)


def setup(app: Any) -> dict[str, Any]:
    """Register directive and roles."""
    app.add_node(Html, html=(visit_html, depart_html))
    app.add_directive("scoreboard", ScoreboardDirective)
    app.add_role("published", FigureRole(published))
    app.add_role("param", FigureRole(lambda env, words: words))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
