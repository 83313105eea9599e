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

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from ours import LABS, Drawn, FigureRole, filled_in
from scoreboard_picture import picture
from scoreboard_verdicts import (
    BUSY,
    DIFFERS,
    MODEL,
    NOT_YET,
    NOTHING,
    REPRODUCED,
    Judgement,
    Row,
    Scoreboard,
)
from whole_units import GAP, NO_BREAK

#: The class of a verdict, and a sign beside the word: it does not rest on colour.
LOOKS = {
    REPRODUCED: ("reproduced", "✓"),
    MODEL: ("reproduced", "✓"),
    BUSY: ("not-yet", "…"),
    DIFFERS: ("differs", "≠"),
    NOTHING: ("not-yet", "–"),
    NOT_YET: ("not-yet", "…"),
}
PUBLISHED = "book/published.toml"
ROLE = re.compile(r"(\{(?:cite:p|doc)\}`[^`]*`)")


def open_scoreboard(srcdir: str | Path) -> Scoreboard:
    """The scoreboard of a book."""
    return Scoreboard(Path(srcdir, PUBLISHED), Path(srcdir, LABS))


class ScoreboardDirective(Drawn):
    """One table an article, with a picture and a computed summary above them.

    docutils cannot draw it: a table that a screen reader can follow and that folds into
    cards on a narrow screen needs ``scope`` and ``data-label`` on its cells.
    """

    has_content = False

    def draw(self) -> list[nodes.Node]:
        board = open_scoreboard(self.env.srcdir)
        # A notebook that does not exist yet draws the page anew when it appears.
        stems = {row.stem for row in board.rows} | set(board.labs)
        for path in (PUBLISHED, *(f"{LABS}/{stem}.ipynb" for stem in stems)):
            self.env.note_dependency(str(Path(self.env.srcdir, path)))
        html = filled_in(
            "scoreboard.html",
            board=board,
            picture=picture(board),
            looks=LOOKS,
            reason=reason,
            link=self.link,
        )
        drawn: list[nodes.Node] = []
        for part in ROLE.split(GAP.sub(NO_BREAK, html)):
            if ROLE.fullmatch(part):
                linked, messages = self.parse_inline(part)
                drawn.append(nodes.inline("", "", *linked, *messages))
            else:
                drawn.append(nodes.raw("", part, format="html"))
        return drawn

    def link(self, row: Row) -> str:
        """The id, as a link to the chapter once that is written.

        A further notebook of a chapter begins with the same number as its page.
        """
        begins = f"book/{row.stem.partition('_')[0]}_"
        docs = sorted(self.env.found_docs)
        pages = [doc for doc in docs if doc == f"book/{row.stem}"]
        pages += [doc for doc in docs if doc.startswith(begins)]
        return f"{{doc}}`{row.id} </{pages[0]}>`" if pages else row.id


def reason(judgement: Judgement) -> tuple[str, str | None]:
    """One sentence that says why the verdict is what it is, and what else there is."""
    if judgement.status == BUSY:
        return "other programs used the cores while it was measured", ""
    if judgement.status == NOT_YET:
        return "its lab is not written", None
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
    app.add_directive("scoreboard", ScoreboardDirective)
    app.add_role("published", FigureRole(published))
    app.add_role("param", FigureRole(lambda env, words: words))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
