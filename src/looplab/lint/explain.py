"""The text of a rule or of one section of it, from the page of the rules."""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Mapping

__all__ = ["about", "sections"]

_LABEL = re.compile(r"^\(([a-z0-9-]+)\)=\n(#+) (.*)\n", re.MULTILINE)
_ROLE = re.compile(r"\{(?:ref|doc|term)\}`([^`<]*?)\s*(?:<[^`>]*>)?`")


@functools.cache
def sections() -> Mapping[str, str]:
    """The sections of the page by their labels, such as ``lag101-await``."""
    page = importlib.resources.files(__package__).joinpath("rules.md")
    text = page.read_text(encoding="utf-8")
    found = list(_LABEL.finditer(text))
    out = {}
    for place, match in enumerate(found):
        level = len(match[2])
        end = next(
            (later.start() for later in found[place + 1 :] if len(later[2]) <= level),
            len(text),
        )
        body = _LABEL.sub(r"\2 \3\n", text[match.start() : end])
        out[match[1]] = _ROLE.sub(r"\1", body).strip() + "\n"
    return out


def about(word: str) -> str:
    """The text for a code such as ``LAG101`` or a section such as ``lag101-await``.

    Raises:
        ValueError: there is no such section.
    """
    every = sections()
    if word.lower() not in every:
        raise ValueError(
            f"there is no {word!r} to explain: there are {', '.join(every)}"
        )
    return every[word.lower()]
