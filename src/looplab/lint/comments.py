"""``# noqa``: which lines a comment silences, read as flake8 reads them.

flake8 looks for the comment in what the tokenizer says is one line: a string over
several lines, or lines joined with a backslash, count as one, and the lines within
brackets do not.  It does so for its plugins; the command has to do it itself.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Sequence

__all__ = ["Silence"]

_LINE = re.compile(r"# noqa(?::\s?(?P<codes>(?:[a-z]+[0-9]+[,\s]*)+))?", re.IGNORECASE)
_FILE = re.compile(r"\s*# flake8[:=]\s*noqa", re.IGNORECASE)
_ENDS = (tokenize.NL, tokenize.NEWLINE)


class Silence:
    """What the comments of a source silence.

    Args:
        lines: the lines of the source, with their ends.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._any = any("noqa" in line.lower() for line in lines)
        self._spans: dict[int, tuple[int, int]] | None = None

    def everything(self) -> bool:
        """Whether a comment silences the whole file."""
        return self._any and any(_FILE.match(line) for line in self._lines)

    def covers(self, line: int, code: str) -> bool:
        """Whether *code* is silenced on *line*, which counts from 1."""
        if not self._any:
            return False
        if self._spans is None:
            self._spans = self._joined()
        first, last = self._spans.get(line, (line, line))
        found = _LINE.search("".join(self._lines[first - 1 : last]))
        if found is None:
            return False
        if found["codes"] is None:
            return True
        return code.startswith(tuple(filter(None, re.split(r"[,\s]", found["codes"]))))

    def _joined(self) -> dict[int, tuple[int, int]]:
        """For each line the first and last of those that count as one with it."""
        spans: dict[int, tuple[int, int]] = {}
        lines = iter(self._lines)
        first = last = 0
        try:
            for token in tokenize.generate_tokens(lambda: next(lines)):
                if token.type in (tokenize.DEDENT, tokenize.ENDMARKER):
                    continue
                first = min(first or token.start[0], token.start[0])
                last = max(last, token.end[0])
                if token.type in _ENDS:
                    spans.update(dict.fromkeys(range(first, last + 1), (first, last)))
                    first = last = 0
        except (tokenize.TokenError, SyntaxError):
            return {}
        return spans
