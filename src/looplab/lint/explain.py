"""The text of the page of the rules, section by section, for ``--explain``."""

from __future__ import annotations

import importlib.resources
import re

_LABEL = re.compile(r"^\(([a-z0-9-]+)\)=\n(#+) (.*)\n", re.MULTILINE)
_ROLE = re.compile(r"\{ref\}`([^`<]*?)(?: <[^>]*>)?`")


def sections() -> dict[str, str]:
    """Each section by its label; that of a rule has those below it in it."""
    text = importlib.resources.files("looplab.lint").joinpath("rules.md")
    page = text.read_text("utf-8")
    matches = list(_LABEL.finditer(page))
    texts = {}
    for place, match in enumerate(matches):
        level = len(match[2])
        end = next(
            (after.start() for after in matches[place + 1 :] if len(after[2]) <= level),
            len(page),
        )
        body = _LABEL.sub(r"\2 \3\n", page[match.start() : end])
        texts[match[1]] = _ROLE.sub(r"\1", body).strip() + "\n"
    return texts


def about(word: str) -> str:
    """The text for a code such as ``LAG101`` or a section such as ``lag101-await``.

    Raises:
        ValueError: there is no such section.
    """
    every = sections()
    label = word.lower().rpartition("#")[2]
    if label not in every:
        raise ValueError(
            f"there is no {word!r} to explain: there are {', '.join(every)}"
        )
    return every[label]
