"""On paper, where nothing moves, a recorded loop is four moments side by side.

They are drawn from the recording when the page is built, by the script that moves it.
Without Node the still stays what is printed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["Strips", "strips"]

SCRIPT = Path(__file__).with_name("strip.mjs")
_FILM = re.compile(r'(?=<samp class="film"[^>]*>([^<]*)</samp>)')


def strips(films: list[str]) -> list[str]:
    """Four moments of each recording as HTML; nothing of what cannot be drawn."""
    node = shutil.which("node")
    if node is None or not films:
        return [""] * len(films)
    done = subprocess.run(
        [node, "--no-warnings", str(SCRIPT)],
        input=json.dumps(films),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    drawn: list[str] = json.loads(done.stdout)
    return drawn


class Strips(SphinxPostTransform):
    """Put the four moments into each player of a page."""

    default_priority = 800  # when the outputs of cells are there
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Draw those of all players of a page in one go."""
        if not self.config.livecells_enabled:
            return  # nothing styles them then
        raws = self.document.findall(nodes.raw)
        holders = [raw for raw in raws if _FILM.search(raw.astext())]
        films = [film for raw in holders for film in _FILM.findall(raw.astext())]
        drawn = iter(strips([unescape(film) for film in films]))
        for raw in holders:
            html = _FILM.sub(lambda _: next(drawn), raw.astext())
            raw.replace_self(nodes.raw("", html, format="html"))
